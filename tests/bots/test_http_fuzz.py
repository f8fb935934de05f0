"""Requests drawn from the service's own OpenAPI document, sound and broken: none fails or meets the undescribed."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from http_client import Reply
from http_place import Place, http_place
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memory import folder_in_memory

from bots.http.app import build_fastapi
from bots.http.problems import MEDIA_TYPE

TEXT = st.text(st.characters(codec="utf-8"), max_size=40)
JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
                    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=5)


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with folder_in_memory() as folder, http_place(folder) as made:
        yield made


@pytest.fixture(scope="module")
def document(place: Place) -> dict[str, Any]:
    return build_fastapi(place.service).openapi()


def value(schema: dict[str, Any], whole: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values of a schema, and now and then anything else."""
    return st.one_of(_sound(schema, whole), _sound(schema, whole), _sound(schema, whole), JSON)


def _sound(schema: dict[str, Any], whole: dict[str, Any]) -> st.SearchStrategy[Any]:
    if "$ref" in schema:
        return _sound(whole["components"]["schemas"][schema["$ref"].rpartition("/")[2]], whole)
    if "anyOf" in schema:
        return st.one_of([_sound(one, whole) for one in schema["anyOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema.get("type"):
        case "object":
            fields = {name: value(one, whole) for name, one in schema["properties"].items()}
            needed = {name: fields.pop(name) for name in schema["required"]}
            return st.fixed_dictionaries(needed, optional=fields)
        case "array":
            return st.lists(_sound(schema["items"], whole), max_size=3)
        case "integer":
            return st.integers(schema.get("minimum", -5), schema.get("maximum", 200))
        case "number":
            return st.just(0) if "wait" in schema.get("title", "").lower() else st.floats(0, 2)
        case "null":
            return st.none()
        case _:
            return st.from_regex(schema["pattern"], fullmatch=True) if "pattern" in schema else TEXT


def check(told: Reply, operation: dict[str, Any], what: str) -> None:
    """Every answer is one that the document describes, and none is a failure."""
    assert told.status < 500, (what, told.text)
    described = operation["responses"].get(str(told.status))
    assert described is not None, (what, told.status, told.text)
    kind = told.headers["content-type"].partition(";")[0]
    assert kind in described["content"], (what, kind)
    if told.status >= 400:
        assert kind == MEDIA_TYPE and told.json["status"] == told.status


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_drawn_requests_are_answered_as_described(place: Place, document: dict[str, Any], data: st.DataObject) -> None:
    path, method = data.draw(st.sampled_from(
        [(path, method) for path, methods in document["paths"].items() for method in methods]))
    operation = document["paths"][path][method]
    address, query = path, {}
    for one in operation.get("parameters", []):
        drawn = data.draw(value(one["schema"], document) if one["in"] == "query" else _sound(one["schema"], document))
        if one["in"] == "path":
            address = address.replace("{" + one["name"] + "}", quote(str(drawn) or "x", safe=""))
        elif one["in"] == "query":
            query[one["name"]] = str(drawn)
    body = None
    if "requestBody" in operation:
        drawn = data.draw(value(operation["requestBody"]["content"]["application/json"]["schema"], document))
        if path == "/v1/ask" and isinstance(drawn, dict):
            drawn["wait"] = 0
        body = json.dumps(drawn).encode()
    client = data.draw(st.sampled_from([place.visitor(), place.person("ana"), place.person("olga")]))
    target = f"{address}?{urlencode(query)}" if query else address
    told = client.send(method.upper(), target, body, Content_Type="application/json")
    check(told, operation, f"{method} {target} {body!r}")


def test_an_answer_that_is_not_described_would_be_seen() -> None:
    operation = {"responses": {"200": {"content": {"application/json": {}}}}}
    for reply in (Reply(500, {"content-type": "application/json"}, b"{}"), Reply(404, {}, b"{}"),
                  Reply(200, {"content-type": "text/html"}, b"")):
        with pytest.raises(AssertionError):
            check(reply, operation, "planted")
