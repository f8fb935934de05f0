"""Questions that only the web can answer: a search service and a web on loopback, the settings' own components."""

import bz2
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from fakes.memory_index import MemoryIndex
from homes.small_world import EVERYBODY, OPEN, handbook
from web_scene.connections import watched
from web_scene.loopback_web import LoopbackWeb

from composition import models
from consumers.wiring.loop import loop_components
from vouch.adapters.analyser import SnowballAnalyser
from vouch.answering.answer import Answer
from vouch.correction.loop import answer_question
from vouch.settings import Settings
from vouch.settings.answering import WebSettings
from vouch.values.question import Question

pytestmark = [pytest.mark.model, pytest.mark.slow, pytest.mark.integration]
Ask = Callable[[str], Answer]


@contextmanager
def asking(server: LoopbackWeb, **chosen: Any) -> Iterator[Ask]:
    """Over a handbook that answers none of it."""
    settings = Settings(web=WebSettings(
        engine="searxng", url=server.url, test_loopback=f"127.0.0.1:{server.port}", **chosen,
    ))
    loaded = models.load_models(settings)
    index = MemoryIndex(handbook(), {p.chunk_id: OPEN for p in handbook()}, loaded.encoder, SnowballAnalyser())
    components = loop_components(settings, index, loaded)
    with watched(("127.0.0.1", server.port)) as connections:
        yield lambda text: answer_question(Question("q", text, EVERYBODY, datetime.now(UTC)), components).answer
    assert set(connections.begun) <= {("127.0.0.1", server.port)}


PAGES = {
    "/harbour": ("Harbour news", "The Borealis ferry leaves the north harbour at 7:45 on weekdays. Tickets are sold on "
                                 "board, and bicycles travel free of charge."),
    "/garden": ("Garden notes", "Tulips are planted in autumn, before the first frost. Water them once a week."),
}


def small_pages(server: LoopbackWeb) -> None:
    for path, (title, words) in PAGES.items():
        server.page(path, f"<html><title>{title}</title><body><article><h1>{title}</h1><p>{words}</p></article></html>")


def test_a_page_of_the_web_answers_with_its_address() -> None:
    with LoopbackWeb() as server, asking(server, seconds=60) as ask:
        small_pages(server)
        answer = ask("When does the Borealis ferry leave the north harbour?")
        assert server.queries == ["Borealis ferry leave north harbour"]
        assert answer.knowledge == "external" and "7:45" in answer.answer and "from the web" in answer.answer
        assert {one.url for one in answer.citations} == {server.at("/harbour")}
        inside = ask("How many weeks of paid leave do parents get?")
        assert inside.knowledge == "internal" and len(server.queries) == 1


def test_a_web_that_is_gone_leaves_a_warning() -> None:
    with LoopbackWeb() as server, asking(server, seconds=5) as ask:
        server.results = lambda query: ["http://169.254.169.254/latest/meta-data/"]
        answer = ask("When does the Borealis ferry leave the north harbour?")
        assert answer.action == "declined" and any("closed (link-local)" in one for one in answer.warnings)


def saved_pages() -> list[dict[str, Any]]:
    named = os.environ.get("VOUCH_DATA")
    file = Path(named or "nowhere") / "web_pages" / "dev_data.jsonl.bz2"
    if not named or not file.exists():
        pytest.skip("VOUCH_DATA names no folder with web_pages")
    with bz2.open(file, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.data
def test_ten_questions_over_saved_pages() -> None:
    """Each goes through the web; what is not declined is labeled and cited. One has pages on another subject only."""
    rows = saved_pages()
    with LoopbackWeb() as server, asking(server, seconds=90, page_seconds=30) as ask:
        found: dict[str, list[str]] = {}
        for number, row in enumerate(rows):
            pages = {one["page_url"]: one["page_result"] for one in row["search_results"]}
            found[row["query"]] = [server.page(f"/{number}/{n}", html) for n, html in enumerate(pages.values())]
        words = {one: set(one.lower().split()) for one in found}
        server.results = lambda query: found[max(words, key=lambda one: len(words[one] & set(query.lower().split())))]
        answers = {text: ask(text) for text in found}
    through = [one for one in answers.values() if "outside" in one.timings_ms]
    cited = [one for one in through if one.knowledge == "external" and "from the web" in one.answer]
    print(f"\nthrough the web {len(through)} of {len(rows)}; labeled and cited {len(cited)}, declined "
          f"{sum(one.action == 'declined' for one in through)}")
    for answer in cited:
        for one in answer.citations:
            assert one.origin == "external" and one.url in found[answer.question] and one.fetched_at is not None
    declined = [one for one in through if one not in cited]
    assert all(one.action == "declined" and one.reason.endswith("nor is one of the web") for one in declined)
    assert (len(rows), len(through)) == (10, 10) and len(cited) >= 9
