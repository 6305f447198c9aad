"""The OpenAPI description of the REST interface: paths from `openapi.json`, schemas derived from the records."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from webmain.clock import once

_PLAIN: Final = {str: "string", int: "integer", float: "number", bool: "boolean"}

ERRORS: Final = {"400": "Wrong", "401": "NoToken", "429": "Busy", "503": "Busy"}
ERRORS_OF_PAGES: Final = {
    "403": "Refused",
    "413": "TooLarge",
    "415": "NotJson",
    "422": "Rejected",
    "502": "NotFetched",
    "504": "NotFetched",
}
"""Responses of each operation by status, and those of operations that process a page: names of responses in the file."""


@once
def described() -> Mapping[str, Any]:
    """Return the description, an OpenAPI 3.1 document."""
    from webmain import __version__
    from webmain.cloud.records import CloudWord
    from webmain.items import Article
    from webmain.store.catalogue import Listed, SiteHealth

    description: dict[str, Any] = json.loads(Path(__file__).with_name("openapi.json").read_text("utf-8"))
    description["info"]["version"] = __version__
    schemas = description["components"]["schemas"]
    for record in (Article, Listed, SiteHealth, CloudWord):
        add_schema(record, schemas)
    del schemas["Listed"]["properties"]["key"]
    schemas["Listed"]["required"].remove("key")
    for path, operations in description["paths"].items():
        for operation in operations.values():
            of_pages = ERRORS_OF_PAGES if "requestBody" in operation else {}
            of_named = {"404": "NotFound"} if "{" in path else {}
            for status, name in sorted((ERRORS | of_pages | of_named).items()):
                operation["responses"][status] = {"$ref": f"#/components/responses/{name}"}
    return description


def query_names(path: str) -> tuple[str, ...]:
    """Return the names of the parameters that a GET request of a path may have in its query string."""
    found = described()
    shared, own = found["components"]["parameters"], found["paths"][path]["get"].get("parameters", ())
    parameters = [shared[one["$ref"].rpartition("/")[2]] if "$ref" in one else one for one in own]
    return tuple(one["name"] for one in parameters if one["in"] == "query")


def add_schema(record: type, schemas: dict[str, Any]) -> None:
    """Add the schema of a record, and of the records in its fields, under their names."""
    if record.__name__ in schemas:
        return
    schemas[record.__name__] = {}
    types, own = get_type_hints(record), fields(record)
    schemas[record.__name__] = {
        "type": "object",
        "additionalProperties": False,
        "required": [one.name for one in own],
        "properties": {one.name: _schema(types[one.name], schemas) for one in own},
    }


def _schema(kind: Any, schemas: dict[str, Any]) -> dict[str, Any]:
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        some = [_schema(one, schemas) for one in inner if one is not NoneType]
        known = some[0]
        if len(some) == 1 and isinstance(known.get("type"), str):
            return known | {"type": [known["type"], "null"]}
        return {"anyOf": [*some, {"type": "null"}]}
    if origin is tuple:
        return {"type": "array", "items": _schema(inner[0], schemas)}
    if origin is not None:  # a mapping by names
        return {"type": "object", "additionalProperties": _schema(inner[1], schemas)}
    if kind is datetime:
        return {"type": "string", "format": "date-time"}
    if isinstance(kind, type) and is_dataclass(kind):
        add_schema(kind, schemas)
        return {"$ref": f"#/components/schemas/{kind.__name__}"}
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return {"type": "string", "enum": [one.value for one in kind]}
    return {"type": _PLAIN[kind]}
