"""The table of methods is that of the methods themselves."""

from __future__ import annotations

import dataclasses
import re

import pytest

from webmain.extractors.base import EXTRACTORS, create
from webmain.web.choices import checked_method, methods
from webmain.web.problems import Problem


def test_every_method_is_there_the_default_first():
    assert set(methods()) == set(EXTRACTORS)
    assert checked_method(None) == "learned"


@pytest.mark.parametrize("name", list(EXTRACTORS))
def test_options_are_those_of_the_method_but_for_files(name):
    made = create(name)
    known = {option.name: option for option in methods()[name].options}
    fields = {
        f.name: f
        for f in dataclasses.fields(made)
        if f.init and f.repr and f.name != "learned" and "str" not in str(f.type).split()
    }
    assert set(known) == set(fields)
    for option, field in fields.items():
        shown, literal = known[option], re.findall(r"['\"](\w+)['\"]", str(field.type))
        assert shown.default == field.default
        assert type(shown.default) is type(field.default)
        assert list(shown.values) == literal
        assert (shown.low, shown.high) == field.metadata.get("within", (None, None))


@pytest.mark.parametrize(
    ("spec", "made"),
    [
        ("pab", "pab"),
        (" pab:hidden=keep", "pab:hidden=keep"),
        ("pab:hidden=drop", "pab"),
        ("line_block:decision=sigma,tkd=require", "line_block:decision=sigma,tkd=require"),
        ("lbda:ads=false,min_words=3", "lbda:ads=false,min_words=3"),
        ("line_block:max_gap=-1", "line_block:max_gap=-1"),
    ],
)
def test_what_is_allowed_makes_the_method(spec, made):
    assert checked_method(spec) == made
    create(made)


@pytest.mark.parametrize(
    "spec", ["x", "os:system", "pab:hidden", "pab:x=1", "lbda:filters=x", "svm:features=x", "pab:max_outer_share=inf"]
)
def test_what_is_not_allowed_is_told(spec):
    with pytest.raises(Problem) as problem:
        checked_method(spec)
    assert problem.value.status_code == 400
