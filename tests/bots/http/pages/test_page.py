"""The pages, without script: ask, read, follow a citation to its words, vote, follow up."""

import asyncio
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Annotated

import pytest
from fastapi import FastAPI, Request, Response
from homes.memory import folder_in_memory
from http_scene.html_page import complaints
from http_scene.http_place import Place, http_place
from starlette.testclient import TestClient

from bots.confidence_words import in_words
from bots.http.events import Told
from bots.http.identity.caller import Caller
from bots.http.identity.identities import Identities
from bots.http.identity.local import LocalSessions
from bots.http.page.asking import _pieces
from bots.http.page.browser import BrowserPages
from bots.http.page.marked_quotes import parts
from vouch.errors import LedgerDown
from vouch.moments import age

LEAVE, TOKENS = "How many days of paid leave has everybody?", "How often are the vault tokens rotated?"


def test_ask_read_follow_a_citation_and_vote(place: Place) -> None:
    ana = place.person("ana")
    page = ana.ask_on_page(TOKENS)
    assert page.status == 200 and "every ninety days" in page.text and complaints(page.text) == []
    link = re.search(r'href="(/answers/[0-9a-f]+/citations/1)#quote"', page.text)
    assert link
    cited = ana.get(link[1])
    assert re.search('<mark id="quote">[^<]*ninety days[^<]*</mark>', cited.text) and complaints(cited.text) == []
    assert re.search(r"docs:eng/tokens.md</bdi>, lines? [0-9-]+, changed \d{4}-\d\d-\d\d, \d+ \w+ ago", cited.text)
    answer = re.search(r'name="answer" value="([0-9a-f]{32})"', page.text)
    assert answer
    voted = ana.form("/vote", {"mark": page.mark, "answer": answer[1], "vote": "up", "reason": ""})
    assert voted.status == 303 and "counted" in ana.get(voted.headers["location"]).text
    assert 'value="not_allowed"' in page.text
    for chosen, status in {"up": 303, "down": 303, "sideways": 422}.items():        # a category goes with `down` only
        fields = {"mark": page.mark, "answer": answer[1], "vote": chosen, "category": "wrong"}
        assert ana.form("/vote", fields).status == status
    fields = {"mark": page.mark, "answer": answer[1], "vote": "down", "category": "rude"}
    assert ana.form("/vote", fields).status == 422
    for other in (place.person("ben"), place.visitor()):
        assert other.get(link[1]).status == other.get(f"/answers/{answer[1]}").status == 404


def test_who_is_refused_a_page_still_finds_the_way_to_their_own(place: Place) -> None:
    own, operated = '<a href="/questions">Your questions</a>', '<a href="/operate/status">Operate</a>'
    for path, status in (("/answers/nothing", 404), ("/operate/status", 403)):
        refused = place.person("ana").get(path)
        assert refused.status == status and complaints(refused.text) == []
        assert "as <bdi>user:ana</bdi>" in refused.text and own in refused.text and operated not in refused.text
        assert own not in place.visitor().get(path).text
    assert operated in place.person("olga").get("/answers/nothing").text


def test_nobody_is_asked_for_a_vote_that_could_not_be_counted(place: Place) -> None:
    page = place.visitor().ask_on_page(LEAVE)
    assert "thirty days" in page.text and "Ask on" in page.text
    assert not re.search("vote|useful|Sign in", page.text)


def test_a_decline_says_why_and_what_was_looked_at_and_offers_what_is_closest(place: Place) -> None:
    ben = place.person("ben")
    page = ben.ask_on_page(TOKENS)
    assert "Declined:" in page.text and "ninety" not in page.text
    assert re.search(r"Looked at \d+ passages? of \d+ documents? that you may read", page.text)
    link = re.search(r'href="(/answers/[0-9a-f]+/passages/[0-9a-f]{32})"', page.text)
    assert link and complaints(page.text) == []
    read = ben.get(link[1])
    assert read.status == 200 and '<div class="passage">' in read.text and "<mark" not in read.text
    hidden = place.person("ana").post("/v1/search", {"query": "vault tokens"}).json["results"][0]["chunk_id"]
    assert ben.get(f"{link[1][:-32]}{hidden}").status == ben.get(f"{link[1][:-32]}{'0' * 32}").status == 403
    assert place.person("ana").get(link[1]).status == 404


async def test_a_page_that_waits_forgets_its_sentences_where_a_search_begins_anew() -> None:
    async def happened() -> AsyncIterator[Told]:
        yield Told("stage", {"stage": "retrieve"})
        yield Told("sentence", {"text": "<b>Old</b>.", "citations": []})
        yield Told("alive")
        yield Told("stage", {"stage": "rerank", "done": [{"stage": "retrieve", "count": 2}]})
        yield Told("stage", {"stage": "retrieve", "done": []})
        yield Told("answer", {"answer": "Secret."})

    browser = BrowserPages(Identities([], anonymous=True), b"k", secure=False)
    told = [one.decode() async for one in _pieces(happened(), browser)]
    kinds = [one.split("\n")[0].removeprefix("event: ") for one in told]
    assert kinds == ["anew", "stage", "sentence", ": still at work", "stage", "anew", "stage", "answer"]
    assert "&lt;b&gt;Old" in told[2] and "Secret" not in "".join(told)


def test_a_follow_up_stands_below_what_it_follows_up_on(place: Place) -> None:
    ana = place.person("ana")
    first = ana.ask_on_page(TOKENS)
    answer = re.search(r'name="answer" value="([0-9a-f]{32})"', first.text)
    assert answer and "Asked before" not in first.text
    second = ana.ask_on_page("And by whom?", follows=answer[1])
    assert "Asked before" in second.text and f'<a href="/answers/{answer[1]}">' in second.text
    assert second.text.index(TOKENS) < second.text.index("<h1")


def test_an_answer_says_in_words_how_sure_it_is(place: Place) -> None:
    text = place.person("ana").ask_on_page(TOKENS).text
    assert re.search("Confidence: <strong>(low|medium|high)</strong>. The passages [a-z ]+ hold the answer.", text)
    assert in_words({"parts": {"evaluator": 0.9, "support": 1.0, "agreement": 1.0}}) == [
        "The passages very likely hold the answer.", "Every word of the answer stands in its quotes.",
        "Both searches, by words and by meaning, put them among their first ten."]
    assert in_words({"parts": {"evaluator": 0.1, "support": 0.5, "agreement": 0.0}}) == [
        "The passages may or may not hold the answer.", "50% of the answer's words stand in its quotes.",
        "Neither search put them among its first ten."]


def test_the_age_of_a_document_is_told_in_words() -> None:
    now = datetime(2026, 3, 10, 8, tzinfo=UTC)
    for changed, told in {"2026-03-10T01:00:00+00:00": "today", "2026-03-09T23:00:00+00:00": "1 day ago",
                          "2026-01-01T00:00:00": "2 months ago", "2020-01-01T00:00:00Z": "6 years ago"}.items():
        assert age(changed, now) == f"changed {changed[:10]}, {told}"
    assert age(None) == "" and age("2027-01-01T00:00:00Z", now) == "changed 2027-01-01"


def test_with_a_script_a_question_leads_to_its_page_at_once(place: Place) -> None:
    ana = place.person("ana")
    sent = ana.form("/ask", {"mark": ana.get("/").mark, "question": LEAVE}, HX_Request="true")
    assert sent.status == 200 and re.fullmatch("/answers/[0-9a-f]+", sent.headers["hx-redirect"])
    told = ana.get(sent.headers["hx-redirect"] + "/events")
    assert told.headers["content-type"].startswith("text/event-stream")
    assert told.text.endswith("event: answer\ndata: -\n\n")
    assert place.person("ben").get(sent.headers["hx-redirect"] + "/events").status == 404


def test_further_readers_make_it_smaller(place: Place) -> None:
    page = place.person("ana").ask_on_page(TOKENS, audience="user:ben, group:people")
    assert "Declined:" in page.text


def test_those_that_an_answer_was_made_for_are_named_to_them_alone(place: Place) -> None:
    ana = place.person("ana")
    sent = ana.form("/ask", {"mark": ana.get("/").mark, "question": LEAVE, "audience": "user:ben, group:people"})
    told = "Made for: <bdi>user:ana</bdi>, <bdi>user:ben</bdi>, <bdi>group:people</bdi>."
    for reader in (ana, place.person("ben")):
        assert told in reader.get(sent.headers["location"]).text
    other = place.person("olga").get(sent.headers["location"])
    assert other.status == 404 and "Made for" not in other.text and "user:ben" not in other.text
    assert "Made for" not in ana.ask_on_page(LEAVE).text


def test_pages_are_small(place: Place) -> None:
    """With all they load: 150 kB at most."""
    ana = place.person("ana")
    page = ana.ask_on_page(TOKENS)
    loaded = re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text)
    assert len(loaded) == 3
    assert len(page.body) + sum(len(ana.get(path).body) for path in loaded) < 150_000


@pytest.mark.slow
def test_one_person_enters_by_a_link_and_nobody_else_gets_anything() -> None:
    local = LocalSessions("user:ana")
    with folder_in_memory() as folder, http_place(folder, local=local, anonymous=False) as place:
        token, me, other = local.token, place.visitor(), place.visitor()
        assert other.get("/").status == 401 and other.post("/v1/ask", {"question": LEAVE}).status == 401
        assert "link that vouch serve printed" in other.get("/v1/me").json["cure"]
        other.cookies["vouch_session"] = "planted"
        assert me.get(f"/enter?token={token}x").status == 401
        entered = me.get(f"/enter?token={token}")
        assert entered.status == 303 and entered.headers["location"] == "/"
        assert place.visitor().get(f"/enter?token={token}").status == 401              # replayed
        assert other.get("/").status == 401
        assert "every ninety days" in me.ask_on_page(TOKENS).text
        assert me.form("/leave", {"mark": me.get("/").mark}).status == 200
        assert me.get("/").status == 401


def test_quoted_words_are_marked_wherever_passages_overlap() -> None:
    text = "one two three four five"
    passages = [{"characters": [start, end], "text": text[start:end], "section": ["A"], "flagged": False}
                for start, end in ((0, 13), (8, 18), (18, 23))]
    found = [piece for part in parts(passages, (4, 18)) for piece in part.pieces]
    assert "".join(piece.text for piece in found) == text
    assert "".join(piece.text for piece in found if piece.marked) == text[4:18]


def test_an_empty_question_is_told_as_such(place: Place) -> None:
    ana = place.person("ana")
    sent = ana.form("/ask", {"mark": ana.get("/").mark, "question": "  "})
    assert sent.status == 422 and "the question is empty" in sent.text and "write a question" in sent.text


def test_who_operates_is_looked_up_where_nobody_else_has_to_wait_and_a_failure_is_no() -> None:
    waited: list[bool] = []

    def operates(tag: str) -> bool:
        try:
            asyncio.get_running_loop()
            waited.append(True)
        except RuntimeError:
            waited.append(False)
        if len(waited) > 1:
            raise LedgerDown("away")
        return True

    browser = BrowserPages(Identities([], anonymous=True), b"k", secure=False, operates=operates)
    app = FastAPI()

    @app.get("/")
    async def form(request: Request, caller: Annotated[Caller, browser.who]) -> Response:
        return browser.page(request, caller, "ask.html")

    client = TestClient(app)
    pages = [client.get("/").text for _ in range(2)]
    assert waited == [False, False] and ["/operate" in page for page in pages] == [True, False]
