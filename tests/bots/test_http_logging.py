"""What is logged of requests: ids that lead from line to line, and no secret, question or name of a document."""

import json
import logging
import time
from collections.abc import Iterator
from typing import Any

import pytest
from http_place import SECRET, Place, http_place
from memory import folder_in_memory

from bots.http.identity.local import LocalSessions
from vouch.adapters.observability.log_lines import JsonLines
from vouch.trace import Span, trace_id

QUESTION = "How often are the vault tokens rotated?"


@pytest.fixture
def place() -> Iterator[Place]:
    with folder_in_memory() as folder, http_place(folder, local=LocalSessions("user:ana")) as made:
        yield made


@pytest.fixture
def lines() -> Iterator[list[dict[str, Any]]]:
    """As a collector gets them, down to level info."""
    found: list[dict[str, Any]] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(json.loads(JsonLines(whole=False).format(record)))

    handler, root = Kept(), logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    yield found
    root.removeHandler(handler)
    root.setLevel(before)


def test_a_request_leads_to_its_question_and_to_its_trace(place: Place, lines: list[dict[str, Any]]) -> None:
    spans: list[Span] = []
    object.__setattr__(place.service.questions, "record", spans.append)
    told = place.person("ana").post("/v1/ask", {"question": QUESTION})
    number, question = told.headers["x-request-id"], told.json["question_id"]
    other = place.visitor().get("/v1/me").headers["x-request-id"]
    until = time.monotonic() + 10
    while not any(other in one["message"] for one in lines) and time.monotonic() < until:
        time.sleep(0.01)                            # it is written once the response is out
    mine = [one for one in lines if one.get("request") == number]
    assert {one["trace"] for one in mine if question in one["message"]} == {trace_id(question)}
    assert any(f"request {number}: POST /v1/ask: 200 in" in one["message"] for one in mine)
    [asked] = [one for one in spans if one.name == "ask"]
    assert asked.notes["request"] == number and asked.trace == trace_id(question)
    assert not [one for one in mine if other in one["message"]]


def test_nothing_secret_and_no_word_of_questions_and_documents_is_logged(
    place: Place, lines: list[dict[str, Any]]
) -> None:
    local = place.service.local
    assert local is not None
    link, ana, browser = local.token, place.person("ana"), place.visitor()
    answer = ana.post("/v1/ask", {"question": QUESTION}, Idempotency_Key="key-of-ana").json
    ana.get("/v1/documents/docs/eng/tokens.md")
    ana.get("/v1/documents/docs/eng/tokens-none.md")
    ana.get("/tokens/rotated?vault=tokens")
    browser.get(f"/enter?token={link}")
    browser.get(f"/enter?token={link}")
    browser.get("/")
    place.visitor().get("/v1/me", Authorization="Bearer token-of-a-program")
    place.visitor().get("/v1/me", X_Person="ana", X_Vouch_Proxy_Secret="guessed-secret")
    browser.form("/ask", {"mark": "forged-mark", "question": QUESTION})
    ana.post("/v1/feedback", {"answer_id": answer["id"], "vote": "down", "reason": "tokens are vaults"})
    written = json.dumps(lines)
    assert len(lines) >= 10
    secrets = [link, SECRET, "key-of-ana", "token-of-a-program", "guessed-secret", "forged-mark",
               *browser.cookies.values()]
    assert not [one for one in [*secrets, "vault", "rotated", "tokens", "ninety"] if one in written]
