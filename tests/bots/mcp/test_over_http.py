"""Assistants over HTTP, with the SDK's own client over a real socket: each call is of whoever proves to make it."""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, TypeVar

import httpx2
import pytest
from homes.memory import folder_in_memory
from http_scene.http_place import HEADER, SECRET, Place, http_place
from http_scene.http_two_worlds import _chunks, draw
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.types import INVALID_PARAMS

from bots.http.app import Service
from bots.mcp.resources import address_of

TOKENS = "How often are the vault tokens rotated?"
TOKENS_MD = address_of("docs", "eng/tokens.md")
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
T = TypeVar("T")
Talk = Callable[[Client], Awaitable[T]]


def with_assistants(service: Service) -> Service:
    return replace(service, assistants=True)


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with folder_in_memory() as folder, http_place(folder, changed=with_assistants) as made:
        yield made


def proof(name: str) -> dict[str, str]:
    return {HEADER: name, "X-Vouch-Proxy-Secret": SECRET} if name else {}


def talked(place: Place, name: str, talk: Talk[T], mode: str = "auto") -> T:
    """What came of it, as this person or, with no name, as nobody."""

    async def go() -> T:
        http = httpx2.AsyncClient(headers=proof(name), timeout=60)
        spoken = streamable_http_client(f"{place.address}/mcp", http_client=http)
        async with http, Client(spoken, mode=mode) as client:
            return await talk(client)

    return asyncio.run(go())


async def asked(client: Client) -> Any:
    return (await client.call_tool("ask", {"question": TOKENS})).structured_content


async def refused(client: Client, address: str) -> str:
    with pytest.raises(MCPError) as error:
        await client.read_resource(address)
    return str(error.value)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_two_people_get_what_each_may_read(place: Place, mode: str) -> None:
    async def everything(client: Client) -> tuple[Any, list[str], str]:
        listed = [one.name for one in (await client.list_resources()).resources]
        found = (await client.call_tool("search", {"query": "vault tokens"})).structured_content
        return await asked(client), listed, str(found)

    answer, listed, found = talked(place, "ana", everything, mode)
    assert "ninety days" in answer["answer"] and listed == ["eng/tokens.md", "leave.md"] and "ninety" in found
    answer, listed, found = talked(place, "ben", everything, mode)
    assert answer["action"] == "declined" and listed == ["leave.md", "people/salaries.md"]
    assert "ninety" not in f"{answer}{found}"
    answer, listed, found = talked(place, "", everything, mode)
    assert answer["action"] == "declined" and listed == ["leave.md"] and "ninety" not in f"{answer}{found}"


def test_a_hidden_document_and_passage_are_told_as_unknown_ones(place: Place) -> None:
    async def chunk(client: Client) -> str:
        text = (await client.read_resource(TOKENS_MD)).contents[0].text  # type: ignore[union-attr]
        return str(json.loads(text)["passages"][0]["chunk_id"])

    hidden = talked(place, "ana", chunk)

    async def tried(client: Client) -> tuple[list[str], list[str]]:
        read = [await refused(client, one) for one in (TOKENS_MD, address_of("docs", "eng/none.md"),
                                                       address_of("none", "eng/tokens.md"))]
        shown = [str((await client.call_tool("show", {"chunk_id": one})).content) for one in (hidden, "0" * 32)]
        return read, shown

    for name in ("ben", ""):
        read, shown = talked(place, name, tried)
        assert len(set(read)) == 1 and len(set(shown)) == 1 and "may not be read" in shown[0]


def test_a_revocation_between_two_calls_counts() -> None:
    with folder_in_memory() as folder, http_place(folder, changed=with_assistants, works=False) as place:

        async def talk(client: Client) -> None:
            assert "ninety" in str(await client.read_resource(TOKENS_MD))
            assert "ninety" in str(await client.call_tool("search", {"query": "vault tokens"}))
            place.home.put_rules("docs", [("**", ["public"]), ("eng/**", [])])
            assert "no such document" in await refused(client, TOKENS_MD)
            assert "ninety" not in str(await client.call_tool("search", {"query": "vault tokens"}))
            assert [one.name for one in (await client.list_resources()).resources] == ["leave.md"]

        talked(place, "ana", talk)


def test_who_proves_nothing_is_refused_where_the_setting_says_so() -> None:
    with folder_in_memory() as folder, http_place(folder, changed=with_assistants, works=False,
                                                  anonymous=False) as place:
        told = place.visitor().post("/mcp", CALL)
        assert told.status == 401 and told.headers["content-type"] == "application/problem+json"
        assert told.headers["www-authenticate"] == "Bearer"
        with pytest.raises(BaseException):  # noqa: B017  (a group, of the client's own)
            talked(place, "", asked)
        assert talked(place, "ana", lambda client: client.list_tools()).tools


def test_a_forged_proof_is_refused_and_never_taken_for_the_public(place: Place) -> None:
    for headers in ({HEADER: "ana"}, {HEADER: "ana", "X-Vouch-Proxy-Secret": "guessed-by-somebody"}):
        sent = {name.replace("-", "_"): value for name, value in headers.items()}
        assert place.visitor().post("/mcp", CALL, **sent).status == 401
    assert place.visitor().post("/mcp", CALL, Authorization="Bearer abc").status == 401


def test_foreign_names_pages_and_methods_and_large_requests_are_refused(place: Place) -> None:
    ana = place.person("ana")
    assert ana.post("/mcp", CALL, Host="evil.example").status == 421
    assert ana.post("/mcp", CALL, Origin="https://evil.example").status == 403
    assert ana.post("/mcp", CALL, Sec_Fetch_Site="cross-site").status == 403
    assert ana.post("/mcp", {**CALL, "params": {"long": "a" * 70_000}}).status == 413
    for method in ("GET", "DELETE", "PUT"):
        told = ana.send(method, "/mcp")
        assert told.status == 405 and told.headers["allow"] == "POST"


def test_nothing_is_there_unless_a_setting_turns_it_on() -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place:
        assert place.person("ana").post("/mcp", CALL).status == 404


def test_no_word_of_a_document_or_question_and_no_path_is_logged(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    async def talk(client: Client) -> None:
        await asked(client)
        await refused(client, TOKENS_MD)
        await refused(client, "vouch://elsewhere/tokens")
        await client.call_tool("show", {"chunk_id": "tokens"})
        await client.call_tool("search", {"query": ""})

    with caplog.at_level(logging.INFO):
        talked(place, "ben", talk)
    assert not [one for one in caplog.messages if "tokens" in one.lower()]


def test_a_call_is_logged_with_its_route(place: Place, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        assert place.visitor().post("/mcp", CALL, Accept="application/json, text/event-stream").status == 200
        until = time.monotonic() + 10           # the line is written after the reply
        while not any("http: request" in one for one in caplog.messages) and time.monotonic() < until:
            time.sleep(0.01)
    assert any("POST /mcp: 200" in one for one in caplog.messages), caplog.messages


def test_a_search_for_a_character_that_is_none_is_refused_as_over_the_api(place: Place) -> None:
    async def searched(client: Client) -> bool:
        return bool((await client.call_tool("search", {"query": "vault\x00"})).is_error)

    assert talked(place, "ana", searched)


def told_to(place: Place, name: str, paths: set[str], chunks: list[str]) -> dict[str, bytes]:
    """All bytes that this reader gets."""
    client = place.person(name) if name else place.visitor()
    calls = {
        "list": ("resources/list", {}),
        "search": ("tools/call", {"name": "search", "arguments": {"query": "vault tokens salary", "top": 50}}),
        **{f"read {path}": ("resources/read", {"uri": address_of("docs", path)}) for path in paths},
        **{f"show {one}": ("tools/call", {"name": "show", "arguments": {"chunk_id": one}}) for one in chunks},
    }
    found = {}
    for number, (said, (method, params)) in enumerate(calls.items()):
        told = client.post("/mcp", {"jsonrpc": "2.0", "id": number, "method": method, "params": params},
                           Accept="application/json, text/event-stream")
        assert told.status == 200, told.text
        found[said] = told.body
    return found


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_hidden_documents_change_no_byte(seed: int) -> None:
    pair, told = draw(seed), []
    paths = {*pair.seen, *pair.hidden[0], *pair.hidden[1], "people/none.md"}
    with ExitStack() as stack:
        places = [stack.enter_context(http_place(stack.enter_context(folder_in_memory()), {**pair.seen, **papers},
                                                 works=False, changed=with_assistants)) for papers in pair.hidden]
        chunks = [*_chunks(places), "0" * 32]
        told = [told_to(place, pair.reader, paths, chunks) for place in places]
    assert told[0] == told[1]
    assert all(len(one) > 50 for one in told[0].values())


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_prompt_that_is_not_there_is_refused_without_a_word_in_the_log(
    place: Place, mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def prompted(client: Client) -> int:
        with pytest.raises(MCPError) as error:
            await client.get_prompt("x\nERROR made up")
        return error.value.code

    assert talked(place, "", prompted, mode) == INVALID_PARAMS
    assert [one for one in caplog.records if one.levelno >= logging.WARNING] == []
