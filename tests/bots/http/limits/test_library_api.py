"""What the API looks up is refused before anything is looked up."""

import json
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from bots.http.api.library import build_library_api
from bots.http.identity.caller import NOBODY_KNOWN, Caller
from bots.http.load import Slots
from bots.http.problems import add_handlers, response


def client(caller: Caller, looked: list[str]) -> TestClient:
    def versions() -> list[Any]:
        looked.append("versions")
        return []

    def history(reader: str, acts_for: Any) -> list[Any]:
        looked.append(f"questions of {reader}")
        return []

    questions: Any = SimpleNamespace(history=history)
    administrators: Any = SimpleNamespace(is_one=lambda reader: reader == "user:olga", versions=versions)
    identities: Any = SimpleNamespace(waits=lambda credentials: False, caller=lambda credentials: caller)
    nothing: Any = None
    app = FastAPI()
    add_handlers(app, lambda request, told, headers: response(told, headers))
    app.include_router(build_library_api(questions, nothing, administrators, identities, Slots(1, 1, 1)))
    return TestClient(app)


def test_versions_are_for_operators_alone() -> None:
    looked: list[str] = []
    assert client(Caller("user:ana", "bearer"), looked).get("/v1/versions").status_code == 403 and looked == []
    assert client(Caller("user:olga", "bearer"), looked).get("/v1/versions").json()["versions"] == []
    assert looked == ["versions"]


def test_strangers_have_asked_nothing() -> None:
    looked: list[str] = []
    assert client(NOBODY_KNOWN, looked).get("/v1/questions").json()["questions"] == [] and looked == []
    assert client(Caller("user:ana", "bearer"), looked).get("/v1/questions").status_code == 200
    assert looked == ["questions of user:ana"]


@pytest.mark.parametrize(("query", "told"), [
    ("a\x00b", "body.query holds a NUL character"), ("a\ud800b", "body.query holds bytes that are not UTF-8")])
def test_what_is_wrong_with_words_is_a_sentence(query: str, told: str) -> None:
    refused = client(NOBODY_KNOWN, []).post(
        "/v1/search", content=json.dumps({"query": query}), headers={"Content-Type": "application/json"})
    assert refused.status_code == 422 and refused.json()["detail"] == told
