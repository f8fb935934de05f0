"""A page of an answer shows every line of its text, and what is told beside it, as the other surfaces do."""

import re
from datetime import UTC, datetime
from html import unescape
from html.parser import HTMLParser
from typing import Any

import pytest
from homes.small_world import passage
from http_scene.http_place import Place

from bots.http.identity.caller import Caller
from bots.http.page.rendering import Rendering
from bots.steps_line import steps_line
from vouch.answering.answer import only_from
from vouch.answering.answer_text import apart, by_document, declined, flowing, listed, sentence_text
from vouch.answering.verification.citations import Citation, Sentence, Verified

OLD, NEW = datetime(2024, 1, 5, tzinfo=UTC), datetime(2026, 1, 5, tzinfo=UTC)


class _Words(HTMLParser):
    """The words of each paragraph of the section that holds the answer."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.paragraphs: list[str] = []
        self._inside = self._open = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = self._inside or dict(attrs).get("aria-label") == "Answer"
        if tag == "p" and self._inside:
            self._open = True
            self.paragraphs.append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag != "section"
        self._open = self._open and tag != "p"

    def handle_data(self, data: str) -> None:
        if self._open:
            self.paragraphs[-1] += data


def quoted(*texts: str, origins: str = "ii", **values: Any) -> Verified:
    cited = [
        Citation(n, passage(text, path=f"{n}.md", title=f"Doc {n}", changed_at=(OLD, NEW)[n % 2],
                            origin="external" if origins[n - 1] == "e" else "internal"), 0, len(text))
        for n, text in enumerate(texts, 1)
    ]
    sentences = tuple(Sentence(one.quote, (one.number,), 1.0, **values) for one in cited)
    return Verified(sentences, tuple(cited), ())


DISAGREE = quoted("Hotels cost up to 140 euros.", "Hotels cost up to 160 euros.")
PLAIN = quoted("Hotels cost up to 140 euros.", "Trains are booked a week ahead.")
STEPS = quoted("1. Ask.\n2. Wait.", "```sh\nrun\n\nrun again\n```", left_out="2 more steps")
NOTHING = Verified((), (), ())
KINDS = {
    "a disagreement": ("answered", by_document(DISAGREE), DISAGREE),
    "titles": ("answered", by_document(PLAIN), PLAIN),
    "nearest passages that disagree": ("answered_with_caution", apart(DISAGREE), DISAGREE),
    "a list": ("answered", listed(PLAIN, unsure=False), PLAIN),
    "a doubted list": ("answered_with_caution", listed(PLAIN, unsure=True), PLAIN),
    "a language model's": ("answered", flowing(PLAIN, unsure=False), PLAIN),
    "a doubted one": ("answered_with_caution", flowing(PLAIN, unsure=True), PLAIN),
    "partly from the web": ("answered", flowing(found := quoted("A.", "B.", origins="ie"), unsure=False), found),
    "of the web alone": ("answered", flowing(found := quoted("A.", "B.", origins="ee"), unsure=False), found),
    "steps and code": ("answered", by_document(STEPS), STEPS),
    "weak": ("answered", flowing(found := quoted("A.", "B.", weak=True), unsure=False), found),
    "a decline": ("declined", declined(None, ()), NOTHING),
    "a reply": ("replied", "Hello. Ask me something.", NOTHING),
}


def page_of(action: str, text: str, found: Verified, **changed: Any) -> str:
    answer = {
        "id": "a", "question": "q", "answer": text, "action": action, "reason": "", "warnings": [], "citations": [],
        "sentences": [{"text": sentence_text(one), "citations": list(one.citations)} for one in found.sentences],
        "confidence": {"value": 0.5, "level": "low", "parts": {"evaluator": 1.0, "support": 1.0, "agreement": 1.0}},
        "index_version": 1, "model": "extractive", "answered_at": "2026-01-05T12:00:00Z", **changed,
    }  # fmt: skip
    made = Rendering().page(
        "answer.html", answer=answer, caller=Caller("user:ana", "proxy"), mark="m", voted=False, thread=[],
        looked={"passages": 0, "documents": 0, "closest": []}, confidence=["Sure."], numbers=[], traced=False,
        readers=[],
    )  # fmt: skip
    return bytes(made.body).decode()


@pytest.mark.parametrize("kind", KINDS)
def test_no_line_of_the_answer_is_missing(kind: str) -> None:
    action, text, found = KINDS[kind]
    page = page_of(action, text, found)
    assert "\n\n".join(_Words(page).paragraphs) == text
    links = re.findall(r'<a href="#citation-(\d+)"', page)
    assert links == [number for number in re.findall(r"\[(\d+)\]", text) if found.sentences] or "What cites" in text
    assert ('<p class="caution">' in page) == (action == "answered_with_caution")


def test_a_number_in_a_sentence_opens_the_document_at_its_quote(place: Place) -> None:
    ana = place.person("ana")
    page = ana.ask_on_page("How often are the vault tokens rotated?")
    link = re.search(r'<sup><a href="([^"#]+)#quote" aria-label="Citation 1">', page.text)
    assert link and f'<p class="place">\n<a href="{link[1]}#quote">' in page.text
    assert re.search('<mark id="quote"[^>]*>[^<]*ninety days', ana.get(link[1]).text)


def test_a_number_of_the_web_leads_to_its_entry_below() -> None:
    action, text, found = KINDS["titles"]
    one = {"title": "T", "path": "t.md", "source": "docs", "section": [], "quote": "q", "place": "", "url": None}
    cited = [{**one, "number": n, "origin": origin} for n, origin in ((1, "internal"), (2, "external"))]
    page = page_of(action, text, found, citations=cited)
    leads = dict(re.findall(r'<a href="([^"]+)" aria-label="Citation ([12])"', page))
    assert leads == {"/answers/a/citations/1#quote": "1", "#citation-2": "2"} and '<li id="citation-2"' in page


def test_what_is_told_beside_it_is_there_too() -> None:
    beside = {"warnings": ["the web was down"], "filters": {"sources": ["docs"]}, "stopped": "covered",
              "steps": [{"tool": "rag"}]}
    page = unescape(page_of(*KINDS["titles"], **beside))
    for told in (only_from(beside), steps_line(beside)[1:], "the web was down"):
        assert told and told in page


@pytest.mark.parametrize("question", [
    "How many days of paid leave has everybody?", "How often are the vault tokens rotated?", "hi", "Who plays chess?",
])
def test_the_page_says_what_a_program_is_told(place: Place, question: str) -> None:
    ana = place.person("ana")
    told = ana.post("/v1/ask", {"question": question}).json["answer"]
    assert told and "\n\n".join(_Words(ana.ask_on_page(question).text).paragraphs) == told
