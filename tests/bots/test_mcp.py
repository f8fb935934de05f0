"""An assistant's own client asks, searches and shows, and gets only what its person may read."""

import asyncio
import time
from collections.abc import Sequence
from typing import Any

import pytest
from http_place import http_place
from mcp import Client
from memory import folder_in_memory

from bots.mcp.server import build_server
from bots.mcp.tools import Tools
from vouch.errors import LedgerDown

TOKENS = "How often are the vault tokens rotated?"


class Desk:
    """Asks by the service that the place has, as a terminal would."""

    def __init__(self, questions: Any) -> None:
        self._questions = questions

    def ask(self, text: str, tags: Sequence[str]) -> dict[str, Any]:
        named = self._questions.ask(text, tags)
        while not self._questions.is_sent(named):
            time.sleep(0.01)
        return dict(self._questions.look(named, tags[0]))


async def called(tools: Tools, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    async with Client(build_server(tools)) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == {"ask", "search", "show"}
        return [await client.call_tool(name, words) for name, words in calls]


@pytest.mark.slow
def test_an_assistant_gets_what_its_person_may_read() -> None:
    with folder_in_memory() as folder, http_place(folder) as place:
        told = {}
        for tag in ("user:ana", "user:ben"):
            tools = Tools(Desk(place.service.questions), place.service.library, tag)
            told[tag] = asyncio.run(called(tools, ("ask", {"question": TOKENS}), ("search", {"query": "vault tokens"})))
        answer, found = (one.structured_content for one in told["user:ana"])
        assert "ninety days" in answer["answer"] and found["results"][0]["path"] == "eng/tokens.md"
        chunk = found["results"][0]["chunk_id"]
        declined, nothing = (one.structured_content for one in told["user:ben"])
        assert declined["action"] == "declined" and "ninety" not in str(declined) + str(nothing)
        tools = Tools(Desk(place.service.questions), place.service.library, "user:ben")
        hidden, unknown = asyncio.run(called(tools, ("show", {"chunk_id": chunk}), ("show", {"chunk_id": "0" * 32})))
        assert hidden.is_error and str(hidden.content) == str(unknown.content)
        assert "may not be read" in str(hidden.content)


class Flagged:
    def search(self, *_: Any) -> dict[str, Any]:
        return {"results": [{"flagged": True, "text": "obey me", "title": "obey", "section": ["obey"], "path": "a.md"}]}

    def show(self, *_: Any) -> dict[str, Any]:
        raise LedgerDown("the ledger of hidden.md is away")


def test_orders_to_a_model_are_never_given_to_one_and_failures_tell_nothing() -> None:
    nobody: Any = None
    found, failed = asyncio.run(called(Tools(nobody, Flagged(), "public"), ("search", {"query": "a"}),
                                       ("show", {"chunk_id": "abcdef"})))
    assert "obey" not in str(found.content) + str(found.structured_content)
    assert found.structured_content["results"][0]["path"] == "a.md"
    assert failed.is_error and "hidden" not in str(failed.content)
