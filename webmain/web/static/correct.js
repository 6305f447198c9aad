"use strict";
// Clicks in the page check and uncheck boxes; the page itself runs no script. Without this file the boxes do it alone.

const frame = document.getElementById("marked-page");
const boxes = new Map([...document.querySelectorAll("[data-part]")].map((box) => [box.dataset.part, box]));

function connect() {
  const page = frame.contentDocument;
  if (!page?.body || page.URL === "about:blank" || page.documentElement.dataset.connected) { return; }
  page.documentElement.dataset.connected = "1";
  const parts = new Map();
  for (const element of page.querySelectorAll("[data-block]")) {
    const box = boxes.get(element.dataset.block);
    if (!box) { continue; }
    if (!parts.has(box)) { parts.set(box, []); }
    parts.get(box).push(element);
    element.style.cursor = "pointer";
    element.addEventListener("click", () => { 
      box.checked = !box.checked;
      box.dispatchEvent(new Event("change"));
      const table = box.closest(".parts");
      table.scrollTop += box.getBoundingClientRect().top - table.getBoundingClientRect().top - table.clientHeight / 2;
    });
    if (element.tabIndex === 0) {
      element.setAttribute("role", "checkbox");
      element.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") { return; }
        event.preventDefault();
        element.click();
      });
    }
  }
  for (const [box, elements] of parts) {
    const before = box.checked;
    const verdict = [...elements[0].classList].find((name) => /^wm-(content|boilerplate|duplicate|pruned|outside)$/.test(name));
    const show = () => {
      const now = box.checked ? "wm-content" : before ? "wm-boilerplate" : verdict;
      for (const element of elements) {
        element.classList.remove("wm-content", "wm-boilerplate", "wm-duplicate", "wm-pruned", "wm-outside");
        element.classList.add(now);
        element.style.outline = box.checked === before ? "" : "2px dashed currentcolor";
        if (element.getAttribute("role")) { element.setAttribute("aria-checked", box.checked); }
      }
    };
    box.addEventListener("change", show);
    box.addEventListener("focus", () => {  // not scrollIntoView: it moves this page, too, and the box away from the mouse
      const view = page.defaultView;
      view.scrollBy(0, elements[0].getBoundingClientRect().top - view.innerHeight / 2);
    });
    show();
  }
}

if (frame) { frame.addEventListener("load", connect); connect(); }
