"""The pages, without script: ask, read, follow a citation to its words, vote, sign out; and what strangers wrote."""

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import pytest
from fastapi import FastAPI, Request, Response
from homes.memory import folder_in_memory
from http_scene.html_page import complaints
from http_scene.http_place import RULES, Place, http_place
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

import bots.http.page
from bots.http.events import Told
from bots.http.identity.caller import Caller, cookies_of
from bots.http.identity.identities import Identities
from bots.http.identity.local import LocalSessions
from bots.http.page.asking import _pieces
from bots.http.page.browser import BrowserPages, Marks
from bots.http.page.rendering import Rendering, safe_link
from bots.http.page.wording import in_words, parts
from vouch.errors import Denied, LedgerDown
from vouch.plurals import age

LEAVE, TOKENS = "How many days of paid leave has everybody?", "How often are the vault tokens rotated?"
EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'><form action=//evil.example>{{7*7}}</bdi>"


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with folder_in_memory() as folder, http_place(folder) as made:
        yield made


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


def test_cookies_travel_by_https_alone_where_the_service_says_so(place: Place) -> None:
    with folder_in_memory() as folder, http_place(
        folder, works=False, changed=lambda service: replace(service, secure_cookies=True)
    ) as safe:
        for at, secure in ((safe, True), (place, False)):
            visitor = at.visitor()
            visitor.get("/")
            assert [("; Secure" in one) for one in visitor.set_cookies] == [secure]
            assert list(visitor.cookies) == ["__Host-vouch_browser" if secure else "vouch_browser"]
            assert all("; Path=/;" in f"{one};" and "Domain" not in one for one in visitor.set_cookies)


@pytest.mark.parametrize("secure", [True, False])
def test_a_session_has_a_name_that_no_other_host_can_plant_and_signing_out_forgets_all(secure: bool) -> None:
    local = LocalSessions("user:ana", secure=secure)
    with folder_in_memory() as folder, http_place(
        folder, local=local, works=False, changed=lambda service: replace(service, secure_cookies=secure)
    ) as place:
        me, planted = place.visitor(), place.visitor()
        assert me.get(f"/enter?token={local.token}").status == 303
        lead = "__Host-" if secure else ""
        session = me.cookies[f"{lead}vouch_session"]
        planted.cookies["vouch_session" if secure else "__Host-vouch_session"] = session
        assert planted.get("/v1/me").json["reader"] == "public"                 # the name of the other case
        mark = me.get("/").mark
        assert set(me.cookies) == {f"{lead}vouch_session", f"{lead}vouch_browser"}
        me.set_cookies.clear()
        assert me.form("/leave", {"mark": mark}).status == 200
        assert not any(me.cookies.values())
        gone = [one for one in me.set_cookies if one.startswith("__Host-")]
        assert len(gone) == 3 and all("; Secure" in one and "Path=/" in one and "Max-Age=0" in one for one in gone)


@pytest.mark.parametrize("sign", ["\xa0", "\x85", "\x0b", "\x0c", "\x1c"])
def test_a_name_with_an_odd_sign_before_it_is_another_name(sign: str) -> None:
    """Browsers do not see a `__Host-` name in it, so any host of the domain may set it."""
    found = cookies_of([("cookie", f"a=1; {sign}__Host-vouch_person=planted;\tb = 2 ;c"), ("x", "d=3")])
    assert found == {"a": "1", f"{sign}__Host-vouch_person": "planted", "b": "2"}


def test_no_planted_name_is_a_session_over_the_wire() -> None:
    local = LocalSessions("user:ana", secure=True)
    with folder_in_memory() as folder, http_place(
        folder, local=local, works=False, changed=lambda service: replace(service, secure_cookies=True)
    ) as place:
        me, planted = place.visitor(), place.visitor()
        assert me.get(f"/enter?token={local.token}").status == 303
        session = me.cookies["__Host-vouch_session"]
        assert planted.get("/v1/me", Cookie=f"\xa0__Host-vouch_session={session}").json["reader"] == "public"
        assert planted.get("/v1/me", Cookie=f"\t__Host-vouch_session={session}").json["reader"] == "user:ana"


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


def test_a_form_without_the_mark_of_this_browser_does_nothing(place: Place) -> None:
    ana, ben = place.person("ana"), place.person("ben")
    mark, foreign = ana.get("/").mark, ben.get("/").mark
    assert mark != foreign
    for given_mark in ("", foreign, mark[:-1] + "é"):
        assert ana.form("/ask", {"mark": given_mark, "question": LEAVE}).status == 403
    ana.cookies.clear()
    assert ana.form("/ask", {"mark": mark, "question": LEAVE}).status == 403
    assert ana.form("/vote", {"mark": mark, "answer": "x", "vote": "up"}).status == 403
    assert ana.form("/leave", {"mark": mark}).status == 403


@pytest.mark.parametrize("headers", [
    {"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec_Fetch_Site": "cross-site"},
    {"Sec_Fetch_Site": "same-site"},
])
def test_a_form_on_a_page_of_somebody_else_does_nothing(place: Place, headers: dict[str, str]) -> None:
    ana = place.person("ana")
    mark = ana.get("/").mark
    assert ana.form("/ask", {"mark": mark, "question": LEAVE}, **headers).status == 403
    assert ana.post("/v1/ask", {"question": LEAVE}, **headers).status == 403


def test_every_answer_carries_the_headers_that_shut_scripts_out(place: Place) -> None:
    for path in ("/", "/nothing", "/v1/me", "/static/style.css", "/answers/x"):
        headers = place.visitor().get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "script-src 'self';" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff" and headers["x-frame-options"] == "DENY"
    assert place.visitor().get("/").headers["cache-control"] == "no-store"


def test_every_file_of_others_is_the_one_that_was_looked_at(place: Place) -> None:
    static = Path(bots.http.page.__file__).parent / "static"
    rows = re.findall(r"^\| (\S+) \| .* \| ([0-9a-f]{64}) \|$", (static / "VENDORED.md").read_text(), re.MULTILINE)
    assert {name: hashlib.sha256((static / name).read_bytes()).hexdigest() for name, _ in rows} == dict(rows)
    own = {"style.css", "vouch.js", "VENDORED.md"}
    assert {one.name for one in static.iterdir()} == own | {name for name, _ in rows}
    for path in re.findall(r'(?:src|href)="(/static/[^"]+)"', place.visitor().get("/").text):
        served = place.visitor().get(path)
        assert served.status == 200 and "immutable" in served.headers["cache-control"]


def test_pages_are_small(place: Place) -> None:
    """With all they load: 150 kB at most."""
    ana = place.person("ana")
    page = ana.ask_on_page(TOKENS)
    loaded = re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text)
    assert len(loaded) == 3
    assert len(page.body) + sum(len(ana.get(path).body) for path in loaded) < 150_000


def test_cookies_are_closed_to_scripts_and_other_sites(place: Place) -> None:
    client = place.visitor()
    client.get("/")
    assert client.set_cookies and all("HttpOnly" in one and "SameSite=strict" in one for one in client.set_cookies)


@pytest.mark.slow
def test_one_person_enters_by_a_link_and_nobody_else_gets_anything() -> None:
    local = LocalSessions("user:ana")
    with folder_in_memory() as folder, http_place(folder, local=local, anonymous=False) as place:
        token, me, other = local.token, place.visitor(), place.visitor()
        assert other.get("/").status == 401 and other.post("/v1/ask", {"question": LEAVE}).status == 401
        other.cookies["vouch_session"] = "planted"
        assert me.get(f"/enter?token={token}x").status == 401
        entered = me.get(f"/enter?token={token}")
        assert entered.status == 303 and entered.headers["location"] == "/"
        assert place.visitor().get(f"/enter?token={token}").status == 401              # replayed
        assert other.get("/").status == 401
        assert "every ninety days" in me.ask_on_page(TOKENS).text
        assert me.form("/leave", {"mark": me.get("/").mark}).status == 200
        assert me.get("/").status == 401


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
        {"chunk_id": words, "source": words, "path": words, "title": words, "place": words, "text": words}]}
    made = Rendering().page(
        "answer.html", answer={**an_answer(words, url), **changed}, caller=Caller(words, "proxy"), mark="m",
        voted=False, looked=looked, confidence=[words], traced=True,
        thread=[{"id": words, "question": words, "answer": words}],
    )  # fmt: skip
    return bytes(made.body).decode()


def traced_pages(words: str) -> list[str]:
    part = [{"feature": words, "value": 1.0, "adds": 0.5}]
    one = {"chunk_id": words, "source": words, "path": words, "title": words, "section": [words], "place": words,
           "flagged": True, "cited": True, "given": True, "position": 1, "lexical_rank": 1, "lexical_score": 1.0,
           "dense_rank": None, "dense_score": None, "fused_rank": 1, "fused_score": 1.0,
           "expansion": words, "rerank_rank": 1, "rerank_score": 1.0, "probability": 0.5, "features": {words: 1.0},
           "evidence": {words: 1.0},
           "fused_of": part, "judged_of": part, "strips": [{"text": words, "kept": True}]}
    trace = {"id": words, "asked_by_reader": True, "whole": True, "question": words, "understood_as": words,
             "searched_as": words, "understood_by": words,
             "answer": words, "reason": words, "action": words,
             "verdict": {"kind": words, "reason": words, "thresholds": {"lower": 0.1, "upper": 0.9}},
             "confidence": {"level": words, "value": 0.1, "parts": {words: 0.2}},
             "timings": [{"stage": words, "since": 0.0, "ms": 1.0}], "index_version": 1, "access_epoch": 1,
             **dict.fromkeys(("fused_by", "reranked_by", "judged_by", "model", "asked_at", "answered_at"), words),
             "candidates": [one]}
    show, caller = Rendering(), Caller(words, "proxy")
    made = [show.page("trace.html", trace=trace, rows=[one], start=1, following=None, span=1.0, caller=caller,
                      mark="m"),
            show.page("trace_passage.html", trace=trace, one=one, caller=caller, mark="m")]
    return [bytes(page.body).decode() for page in made]


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(_HOSTILE, _HOSTILE)
def test_no_drawn_words_become_part_of_a_page(words: str, url: str) -> None:
    show, caller = Rendering(), Caller(words, "proxy")
    text = parts([{"characters": [0, len(words)], "text": words, "section": [words], "flagged": True}], (1, 5))
    cited = show.page("passage.html", named=words, number=1, place=words, section=[words, words],
                      shown={"title": words, "path": words, "source": words, "url": url, "changed_at": None},
                      caller=caller, mark="m", parts=text)
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


def test_quoted_words_are_marked_wherever_passages_overlap() -> None:
    text = "one two three four five"
    passages = [{"characters": [start, end], "text": text[start:end], "section": ["A"], "flagged": False}
                for start, end in ((0, 13), (8, 18), (18, 23))]
    found = [piece for part in parts(passages, (4, 18)) for piece in part.pieces]
    assert "".join(piece.text for piece in found) == text
    assert "".join(piece.text for piece in found if piece.marked) == text[4:18]


def test_marks_are_of_one_browser_and_one_person() -> None:
    marks, ana = Marks(b"k"), Caller("user:ana", "local", "s1")
    mark = marks.mark("b1", ana)
    marks.check(mark, "b1", ana)
    again, ben = Caller("user:ana", "local", "s2"), Caller("user:ben", "local", "s1")
    for wrong in (("b2", ana), (None, ana), ("b1", again), ("b1", ben)):
        with pytest.raises(Denied):
            marks.check(mark, *wrong)


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
