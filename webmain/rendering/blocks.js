// Returns, as JSON, a drawn page: its markup with a number in each block, and the style and the rectangle of each block.
// Runs in a world of its own, where the page's scripts cannot have changed anything; webmain/items/rendered.py has the form.
// Called with: mark (name of an attribute), blockTags, maxElements, maxBoxes, maxStyles, maxChars,
// maxValueChars.
(options) => {
  // Of the element that holds most of a block's text: what a reader sees of the text itself.
  const TEXT = [
    "color", "cursor", "font-family", "font-size", "font-style", "font-weight", "letter-spacing", "line-height",
    "text-align", "text-decoration-line", "text-indent", "text-overflow", "text-shadow", "text-transform",
    "white-space", "word-break",
  ];
  // Of the block.
  const BOX = [
    "background-color", "border-bottom-color", "border-bottom-style", "border-bottom-width", "border-collapse",
    "border-left-color", "border-left-style", "border-left-width", "border-right-color", "border-right-style",
    "border-right-width", "border-top-color", "border-top-left-radius", "border-top-style", "border-top-width",
    "box-shadow", "box-sizing", "clear", "clip", "display", "float", "list-style-position", "list-style-type",
    "margin-bottom", "margin-left", "margin-right", "margin-top", "max-height", "max-width", "min-height", "min-width",
    "opacity", "overflow-x", "overflow-y", "padding-bottom", "padding-left", "padding-right", "padding-top",
    "position", "text-overflow", "vertical-align", "visibility", "z-index",
  ];
  const root = document.documentElement;
  const body = document.body;
  if (!root || !body || body.localName !== "body") return JSON.stringify({ error: "no_body" });
  const blockTags = new Set(options.blockTags);
  const roots = [];
  const longest = new Map(); // by block: the element with its longest text, and that text's length
  let nElements = 0;

  // In document order, with what is in open shadow roots; no recursion, as pages may be deeper than the stack.
  const waiting = [[body, body]];
  while (waiting.length) {
    const [node, outer] = waiting.pop();
    if (node.nodeType === Node.TEXT_NODE) {
      const length = node.data.trim().length;
      const known = longest.get(outer);
      if (length && (!known || known[1] < length)) longest.set(outer, [node.parentElement || outer, length]);
      continue;
    }
    let block = outer;
    if (node.nodeType === Node.ELEMENT_NODE) {
      if (++nElements > options.maxElements) return JSON.stringify({ error: "too_large" });
      if (["script", "style", "noscript", "template"].includes(node.localName)) continue;
      node.removeAttribute(options.mark);
      if (blockTags.has(node.localName)) block = node;
      if (node.shadowRoot) {
        roots.push(node.shadowRoot);
        waiting.push([node.shadowRoot, block]);
      }
    }
    for (let child = node.lastChild; child; child = child.previousSibling) waiting.push([child, block]);
  }

  const usual = getComputedStyle(body);
  const common = new Map([...TEXT, ...BOX].map((name) => [name, usual.getPropertyValue(name)]));
  const styles = [];
  const numbers = new Map();
  const boxes = [];
  const round = (value) => Math.round(10 * value) / 10;
  for (const [block, [holder]] of longest) {
    if (boxes.length >= options.maxBoxes || styles.length >= options.maxStyles) break;
    const style = {};
    for (const [names, element] of [[TEXT, holder], [BOX, block]]) {
      const computed = getComputedStyle(element);
      for (const name of names) {
        const value = computed.getPropertyValue(name);
        if (value && value !== common.get(name)) style[name] = value.slice(0, options.maxValueChars);
      }
    }
    const key = JSON.stringify(style);
    if (!numbers.has(key)) {
      numbers.set(key, styles.length);
      styles.push(style);
    }
    const place = block.getBoundingClientRect();
    block.setAttribute(options.mark, String(boxes.length));
    boxes.push([
      numbers.get(key), round(place.left + scrollX), round(place.top + scrollY), round(place.width), round(place.height),
    ]);
  }

  const empty = root.cloneNode(false).outerHTML;
  const inner = root.getHTML ? root.getHTML({ shadowRoots: roots }) : root.innerHTML;
  const html = "<!DOCTYPE html>" + empty.slice(0, empty.lastIndexOf("</")) + inner + "</html>";
  if (html.length > options.maxChars) return JSON.stringify({ error: "too_large" });
  return JSON.stringify({
    format: "webmain rendering", version: 1, width: innerWidth, height: innerHeight, html, styles, boxes,
  });
}
