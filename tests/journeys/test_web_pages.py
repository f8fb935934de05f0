"""Ten questions that only the web can answer, over a search service and a web on loopback that serve saved pages."""

import bz2
import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from fakes.memory_index import MemoryIndex
from loopback_web import LoopbackWeb
from small_world import EVERYBODY, OPEN, handbook

from composition import models
from consumers.wiring.loop import loop_components
from vouch.adapters.analyser import SnowballAnalyser
from vouch.correction.components import Components
from vouch.correction.loop import answer_question
from vouch.retrieval.query import Question
from vouch.settings import Settings, WebSettings

pytestmark = [pytest.mark.model, pytest.mark.data, pytest.mark.slow]


def saved_pages() -> list[dict[str, Any]]:
    named = os.environ.get("VOUCH_DATA")
    file = Path(named or "nowhere") / "web_pages" / "dev_data.jsonl.bz2"
    if not named or not file.exists():
        pytest.skip("VOUCH_DATA names no folder with web_pages")
    with bz2.open(file, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def web() -> Iterator[tuple[LoopbackWeb, Components, list[str]]]:
    rows = saved_pages()
    with LoopbackWeb() as server:
        found: dict[str, list[str]] = {}
        for number, row in enumerate(rows):
            pages = {one["page_url"]: one["page_result"] for one in row["search_results"]}
            found[row["query"]] = [
                server.page(f"/{number}/{n}", html) for n, html in enumerate(pages.values())
            ]
        words = {one: set(one.lower().split()) for one in found}
        server.results = lambda query: found[max(words, key=lambda one: len(words[one] & set(query.lower().split())))]
        settings = Settings(web=WebSettings(
            engine="searxng", url=server.url, test_loopback=f"127.0.0.1:{server.port}", seconds=60, page_seconds=30,
        ))
        loaded = models.load_models(settings)
        index = MemoryIndex(handbook(), {p.chunk_id: OPEN for p in handbook()}, loaded.encoder, SnowballAnalyser())
        components = loop_components(settings, index, loaded)
        yield server, components, list(found)
        assert components.outside is not None
        components.outside.search.close()  # type: ignore[attr-defined]


def test_each_goes_through_the_web_labelled_and_cited(web: tuple[LoopbackWeb, Components, list[str]]) -> None:
    server, components, questions = web
    cited = []
    for number, text in enumerate(questions):
        answer = answer_question(Question(f"q{number}", text, EVERYBODY, datetime.now(UTC)), components).answer
        external = [one for one in answer.citations if one.origin == "external"]
        print(f"{answer.action} {answer.knowledge} {len(external)} {answer.timings_ms.get('outside')} {text}")
        print(answer.answer, answer.warnings, answer.verdict.reason if answer.verdict else "")
        assert "outside" in answer.timings_ms
        for one in external:
            assert one.url is not None and one.url.startswith(server.url) and one.fetched_at is not None
        cited.append(answer.knowledge == "external" and "from the web" in answer.answer)
    print(f"through the web, labelled and cited: {sum(cited)} of {len(cited)}")
    assert len(questions) == 10 and all(cited)
