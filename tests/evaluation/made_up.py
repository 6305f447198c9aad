"""What several tests of the evaluation are made from: files of gold data, sentences, rendered pages; rows of tables."""

import gzip
import json

WORDS = [
    a + b for a in ("ba", "de", "fi", "go", "lu", "ma", "ne", "pi") for b in ("ras", "ton", "mel", "kis", "vun", "dor")
]


def sentence(draw, n):
    return " ".join(draw.choice(WORDS) + draw.choice(WORDS) for _ in range(n))


def write(file, data):
    """Write a file with its folders, compressed if its name says so."""
    file.parent.mkdir(parents=True, exist_ok=True)
    data = data if isinstance(data, bytes) else data.encode()
    file.write_bytes(gzip.compress(data) if file.suffix == ".gz" else data)


def only(gold):
    (page,) = gold
    return page


def cells(table, *row):
    """Return the row that begins so, by column."""
    found = next(r for r in table.rows if r[: len(row)] == row)
    return dict(zip(table.columns, found, strict=True))


def rendered_line(page, site, blocks, **fields):
    """Return the line of a rendered page: `blocks` are texts with their paths, styles and rectangles."""
    listed = [{"text": [t], "path": path, "computed": style, "bound": bound} for t, path, style, bound in blocks]
    return json.dumps({"id": page, "site": site, "blocks": listed, **fields})
