"""What strangers wrote is words on every page, and no part of it."""

import re
from typing import Any

import pytest
from homes.memory import folder_in_memory
from http_scene.html_page import complaints
from http_scene.http_place import RULES, http_place
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.http.identity.caller import Caller
from bots.http.page.marked_quotes import parts
from bots.http.page.rendering import Rendering, safe_link

EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'><form action=//evil.example>{{7*7}}</bdi>"


@pytest.mark.slow
def test_what_strangers_wrote_is_shown_as_words() -> None:
    papers = {
        f"{number}.md": f"# Zebra {EVIL}\n\nThe zebra number {number} has {EVIL} stripes. \u202eesrever\n"
        for number in range(3)
    }
    with folder_in_memory() as folder, http_place(folder, papers, rules=RULES) as place:
        client = place.visitor()
        page = client.ask_on_page(f"How many stripes has the zebra number 1? {EVIL}")
        assert "&lt;script&gt;" in page.text and complaints(page.text) == [] and "\u202e" not in page.text
        for link in re.findall(r'href="(/answers/[0-9a-f]+/citations/\d+)"', page.text):
            cited = client.get(link)
            assert cited.status == 200 and complaints(cited.text) == [] and "\u202e" not in cited.text
        wrong = client.form("/ask", {"mark": client.get("/").mark, "question": "a", "audience": EVIL})
        assert wrong.status >= 400 and complaints(wrong.text) == []


_HOSTILE = st.lists(st.sampled_from(
    ["<", ">", '"', "'", "&", "script", "</bdi>", "javascript:", "\x00", "\u202e", "{{", "%}", "a", " ", "\n", "--",
     "onload=", "<!--", "]]>", "&lt;", "é", "https://evil.example/"]
), max_size=12).map("".join)


def an_answer(words: str, url: str) -> dict[str, object]:
    citation = {
        "number": 1, "chunk_id": words, "source": words, "path": words, "title": words, "section": [words, words],
        "quote": words, "place": words, "url": url, "origin": "internal", "characters": [0, 3], "lines": [1, 1],
    }  # fmt: skip
    return {
        "id": words, "question": words, "answer": words, "action": "answered_with_caution", "reason": words,
        "sentences": [{"text": words, "citations": [1]}], "citations": [citation], "warnings": [words],
        "confidence": {"value": 0.5, "level": words, "parts": {"evaluator": 1.0, "support": 1.0, "agreement": 1.0}},
        "index_version": 1, "model": words, "answered_at": words,
    }


def a_page_of(words: str, url: str, **changed: Any) -> str:
    """Of an answer whose every word is `words`."""
    looked = {"passages": 1, "documents": 1, "closest": [
        {"chunk_id": words, "source": words, "path": words, "title": words, "place": words, "number": 1,
         "text": words}]}
    made = Rendering().page(
        "answer.html", answer={**an_answer(words, url), **changed}, caller=Caller(words, "proxy"), mark="m",
        voted=False, looked=looked, confidence=[words], numbers=[(words, 0.5)], traced=True, readers=[words, words],
        thread=[{"id": words, "question": words, "answer": words}],
    )  # fmt: skip
    return bytes(made.body).decode()


def traced_pages(words: str) -> list[str]:
    part = [{"feature": words, "value": 1.0, "weight": 0.5, "adds": 0.5}]
    one = {"chunk_id": words, "source": words, "path": words, "title": words, "section": [words], "place": words,
           "flagged": True, "number": 1, "cited": True, "given": True, "position": 1,
           "lexical_rank": 1, "lexical_score": 1.0, "dense_rank": None, "dense_score": None, "fused_rank": 1,
           "fused_score": 1.0,
           "expansion": words, "rerank_rank": 1, "rerank_score": 1.0, "probability": 0.5, "features": {words: 1.0},
           "evidence": {words: 1.0},
           "fused_of": part, "judged_of": part, "strips": [{"text": words, "kept": True}]}
    trace = {"id": words, "asked_by_reader": True, "whole": True, "question": words, "understood_as": words,
             "searched_as": words, "understood_by": words,
             "answer": words, "reason": words, "action": words,
             "verdict": {"kind": words, "reason": words, "thresholds": {"lower": 0.1, "upper": 0.9}},
             "confidence": {"level": words, "value": 0.1,
                            "parts": dict.fromkeys(("evaluator", "support", "agreement"), 0.2)},
             "timings": [{"stage": words, "since": 0.0, "ms": 1.0}], "index_version": 1, "access_epoch": 1,
             **dict.fromkeys(("fused_by", "reranked_by", "judged_by", "read_by", "model", "recipe"), words),
             "asked_at": words, "answered_at": words, "candidates": [one], "stopped": "budget",
             "steps": [{"tool": words, "query": words, "opened": words, "source": words, "path": words, "after": words,
                        "section": words, "error": words, "passages": [words], "ms": 1.0,
                        "thought": words, "by": words}],
             "orders": [{"step": 1, "by": words, "error": words, "thought": words},
                        {"step": 2, "by": words, "error": "", "thought": words}],
             "recipe_steps": [{"step": words, "by": words, "said": [words, words]}]}
    show, caller = Rendering(), Caller(words, "proxy")
    made = [show.page("trace.html", trace=trace, rows=[one], start=1, following=None, span=1.0, caller=caller,
                      mark="m", ended={"budget": words}, parts=3, spent=words),
            show.page("trace_passage.html", trace=trace, one=one, caller=caller, mark="m")]
    return [bytes(page.body).decode() for page in made]


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(_HOSTILE, _HOSTILE)
def test_no_drawn_words_become_part_of_a_page(words: str, url: str) -> None:
    """Fifty of them, all on fourteen pages; `make soak` draws fifty others in each of its rounds."""
    show, caller = Rendering(), Caller(words, "proxy")
    text = parts([{"characters": [0, len(words)], "text": words, "section": [words], "flagged": True}], (1, 5))
    cited = show.page("passage.html", named=words, number=1, place=words, section=[words, words],
                      shown={"title": words, "path": words, "source": words, "url": url, "changed_at": None},
                      caller=caller, mark="m", parts=text, near={"earlier": words, "later": words})
    live = [show.piece("live/sentence.html", text=words, citations=[{"title": words, "path": words, "number": 1}]),
            show.piece("live/stages.html", stage=words, done=[{"stage": words, "count": 1}])]
    pages = [a_page_of(words, url), a_page_of(words, url, action="declined"), bytes(cited.body).decode(), *live,
             *traced_pages(words)]
    for page in pages:
        assert [one for one in complaints(page) if "evil" not in one or "href" not in one] == []


def test_a_field_that_is_not_escaped_would_be_seen() -> None:
    from markupsafe import Markup

    found = complaints(a_page_of("x", "", question=Markup(EVIL)))
    assert any("script" in one for one in found) and any("evil.example" in one for one in found)


def test_only_addresses_of_the_web_become_links() -> None:
    assert safe_link("https://acme.test/a?b=1") == "https://acme.test/a?b=1"
    for address in ("javascript:alert(1)", " javascript:alert(1)", "data:text/html,x", "//evil.example", "vbscript:x",
                    "", None, "https://["):
        assert safe_link(address) == ""
