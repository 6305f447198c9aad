"""docs/methods.md can't rot: what it names must be there."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from webmain.evaluation.protocols import PROTOCOLS
from webmain.extractors.base import EXTRACTORS

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs" / "methods.md"
COLUMNS = ("section", "claim or rule", "code", "test", "deviation and reason")
NONE = "—"
CODE = re.compile(r"`([a-z_]+(?:\.[a-z_]+)*):([A-Za-z_][\w.]*)`")
TEST = re.compile(r"`([a-z_/]+\.py)::(test_\w+)`")


class Row(NamedTuple):
    line: int
    section: str
    claim: str
    code: str
    test: str
    deviation: str


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split(" | ")]


def rows(text: str) -> list[Row]:
    """Return the rows of all tables of claims."""
    found, inside = [], False
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("|"):
            inside = False
        elif tuple(cells(line)) == COLUMNS:
            inside = True
        elif inside and not line.startswith("|-"):
            assert len(cells(line)) == len(COLUMNS), f"line {number} has {len(cells(line))} cells"
            found.append(Row(number, *cells(line)))
    return found


@cache
def defined(path: Path) -> dict[str, set[str]]:
    """Return the names that a module defines, "" for its own, else by class; nothing is run."""
    names: dict[str, set[str]] = {"": set()}
    for node in ast.parse(path.read_text("utf-8")).body:
        names[""] |= bound(node)
        if isinstance(node, ast.ClassDef):
            names[node.name] = set().union(*map(bound, node.body))
    return names


def bound(node: ast.stmt) -> set[str]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return {target.id for target in targets if isinstance(target, ast.Name)}


def has_code(module: str, name: str) -> bool:
    base = ROOT / "webmain" / Path(*module.split("."))
    path = next((p for p in (base.with_suffix(".py"), base / "__init__.py") if p.is_file()), None)
    owner, _, member = name.rpartition(".")
    return path is not None and member in defined(path).get(owner, ())


def has_test(file: str, name: str) -> bool:
    path = ROOT / "tests" / file
    return path.is_file() and name in defined(path)[""]


ROWS = rows(DOCUMENT.read_text("utf-8"))


def test_every_method_of_a_paper_has_a_section_with_rows():
    text = DOCUMENT.read_text("utf-8")
    papers = ("line_block", "lbda", "svm", "pab", "eniw", "thai_xpath")
    headings = re.findall(r"^## .*", text, re.MULTILINE)
    for name in filter(EXTRACTORS.__contains__, papers):
        assert any(f"(`{name}`)" in heading for heading in headings), name
    assert len(ROWS) > 100


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"line {row.line}")
def test_row_names_code_and_tests_that_are_there(row):
    for cell, one in ((row.code, CODE), (row.test, TEST)):
        if cell != NONE:
            assert one.sub("", cell).strip(" ,") == "", f"line {row.line}: {cell!r} is no list of names"
            assert one.findall(cell)
    assert (row.code == NONE) == (row.test == NONE), f"line {row.line}: code without test, or a test without code"
    gone = [f"{m}:{n}" for m, n in CODE.findall(row.code) if not has_code(m, n)]
    gone += [f"{f}::{n}" for f, n in TEST.findall(row.test) if not has_test(f, n)]
    assert not gone, f"line {row.line} names what is not there: {', '.join(gone)}"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"line {row.line}")
def test_row_says_what_was_done_otherwise_or_that_nothing_was(row):
    assert row.section
    assert row.claim
    assert row.deviation
    if row.code == NONE:
        assert row.deviation != "none", f"line {row.line}: nothing holds the claim, and no reason is given"


def test_tests_named_elsewhere_in_the_document_are_there():
    text = DOCUMENT.read_text("utf-8")
    assert [(file, name) for file, name in TEST.findall(text) if not has_test(file, name)] == []


def test_protocols_of_the_commands_are_there():
    named = set(re.findall(r"--protocols? ([a-z_]+)", DOCUMENT.read_text("utf-8")))
    assert named <= PROTOCOLS.keys()
    assert named


@pytest.mark.parametrize(
    ("found", "name"),
    [
        (has_code, ("extractors.pab", "PAB.judge")),
        (has_code, ("extractors.pab", "PRIORITY")),
        (has_code, ("extractors.pab", "PAB.max_outer_share")),
        (has_test, ("test_methods_doc.py", "test_what_is_gone_is_noticed")),
    ],
)
def test_what_is_gone_is_noticed(found, name):
    assert found(*name)
    assert not found(name[0], name[1] + "_x")
    assert not found("gone." + name[0], name[1])


def test_broken_rows_are_noticed():
    head = f"| {' | '.join(COLUMNS)} |\n|---|---|---|---|---|\n"
    assert len(rows(head + "| 1 | a | — | — | claim |\n\n| 1 | a | b |\n")) == 1
    with pytest.raises(AssertionError, match="line 3 has 4 cells"):
        rows(head + "| 1 | a | — | claim |\n")
