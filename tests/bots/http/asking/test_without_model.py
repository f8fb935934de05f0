"""A service that holds no model searches by words alone, for programs and for assistants, and says so."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from homes.memory import folder_in_memory
from http_scene.http_place import HEADER, SECRET, Place, http_place
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from bots.http.app import Service
from cli.wiring.http.serving import open_library
from services.answering.search import WORDS_ALONE
from vouch.retrieval.fusion import ReciprocalRanks
from vouch.settings import Settings


def thin(service: Service) -> Service:
    """As with Kafka: what the wiring gives a process that does no work of a worker."""
    held: Any = service.library
    parts: Any = SimpleNamespace(index=held.index, watched=held.watched,
                                 registry=lambda: SimpleNamespace(fusion=ReciprocalRanks()))
    return replace(service, library=open_library(Settings(), parts, works=False), assistants=True)


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with folder_in_memory() as folder, http_place(folder, changed=thin, works=False) as made:
        yield made


def test_a_search_without_a_mode_is_by_words_and_says_so(place: Place) -> None:
    told = place.person("ana").post("/v1/search", {"query": "vault tokens"})
    assert told.status == 200 and told.json["warnings"] == [WORDS_ALONE]
    assert told.json["results"][0]["path"] == "eng/tokens.md"
    scores = told.json["results"][0]["scores"]
    assert scores["lexical"] is not None and scores["dense"] is None
    assert "ninety" not in place.person("ben").post("/v1/search", {"query": "vault tokens"}).text


def test_a_mode_that_was_asked_for_is_what_comes(place: Place) -> None:
    told = place.person("ana").post("/v1/search", {"query": "vault tokens", "mode": "lexical"})
    assert told.status == 200 and told.json["warnings"] == [] and told.json["results"]
    for mode in ("fused", "dense", "reranked"):
        refused = place.person("ana").post("/v1/search", {"query": "vault tokens", "mode": mode})
        assert refused.status == 400 and "without a mode" in refused.json["cure"]


def test_an_assistant_searches_by_words_and_is_told_so(place: Place) -> None:
    async def found() -> Any:
        http = httpx2.AsyncClient(headers={HEADER: "ana", "X-Vouch-Proxy-Secret": SECRET}, timeout=60)
        async with http, Client(streamable_http_client(f"{place.address}/mcp", http_client=http)) as client:
            return await client.call_tool("search", {"query": "vault tokens"})

    told = asyncio.run(found())
    assert not told.is_error and told.structured_content["warnings"] == [WORDS_ALONE]
    assert told.structured_content["results"][0]["path"] == "eng/tokens.md"


def test_with_models_a_search_without_a_mode_is_fused() -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place:
        ana = place.person("ana")
        plain, fused = (ana.post("/v1/search", {"query": "vault tokens", **how}).json
                        for how in ({}, {"mode": "fused"}))
        assert plain == fused and plain["warnings"] == [] and plain["results"][0]["scores"]["dense"] is not None
