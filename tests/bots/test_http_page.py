"""The pages, without script: ask, read, follow a citation to its words, vote, sign out; and what strangers wrote."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from http_place import RULES, Place, http_place
from hypothesis import given, settings
from hypothesis import strategies as st
from memory import folder_in_memory

from bots.http.caller import Caller
from bots.http.identity.local import LocalSessions
from bots.http.page.csrf import Marks
from bots.http.page.highlight import parts
from bots.http.page.rendering import Rendering, safe_link
from vouch.errors import Denied

LEAVE, TOKENS = "How many days of paid leave has everybody?", "How often are the vault tokens rotated?"
TAGS = {"a", "article", "bdi", "blockquote", "body", "button", "code", "dd", "details", "div", "dl", "dt", "form",
        "h1", "h2", "head", "header", "html", "input", "label", "li", "link", "main", "mark", "meta", "ol", "option",
        "p", "section", "select", "span", "summary", "sup", "textarea", "title"}
EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'><form action=//evil.example>{{7*7}}</bdi>"


class Tags(HTMLParser):
    """What a page is made of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def complaints(text: str) -> list[str]:
    """What of a page is not of our own making: elements, scripts, addresses that leave the origin."""
    found = []
    for tag, attributes in Tags(text).found:
        if tag not in TAGS or any(name.startswith("on") or name == "style" for name in attributes):
            found.append(f"{tag} {attributes}")
        for name in ("href", "src", "action"):
            value = attributes.get(name) or ""
            outside = name == "href" and tag == "a" and re.match("https?://", value)
            if name in attributes and not re.match(r"/(?!/)|#|data:,$", value) and not outside:
                found.append(f"{tag} {name} {value}")
    return found


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with folder_in_memory() as folder, http_place(folder) as made:
        yield made


def test_ask_read_follow_a_citation_and_vote(place: Place) -> None:
    ana = place.person("ana")
    page = ana.ask_on_page(TOKENS)
    assert page.status == 200 and "every ninety days" in page.text and complaints(page.text) == []
    link = re.search(r'href="(/answers/[0-9a-f]+/citations/1)"', page.text)
    assert link
    cited = ana.get(link[1])
    assert re.search("<mark>[^<]*ninety days[^<]*</mark>", cited.text) and complaints(cited.text) == []
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


def test_a_decline_says_why(place: Place) -> None:
    page = place.person("ben").ask_on_page(TOKENS)
    assert "Declined:" in page.text and "ninety" not in page.text


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
        assert "script" not in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff" and headers["x-frame-options"] == "DENY"
    assert place.visitor().get("/").headers["cache-control"] == "no-store"


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


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(_HOSTILE, _HOSTILE)
def test_no_drawn_words_become_part_of_a_page(words: str, url: str) -> None:
    show, caller = Rendering(), Caller(words, "proxy")
    answer = an_answer(words, url)
    made = show.page("answer.html", answer=answer, caller=caller, mark="m", voted=False)
    text = bytes(made.body).decode()
    assert [one for one in complaints(text) if "evil" not in one or "href" not in one] == []
    cited = show.page("passage.html", citation=answer["citations"][0], named=words,  # type: ignore[index]
                      shown={"title": words, "path": words, "source": words, "url": url}, caller=caller, mark="m",
                      parts=parts([{"characters": [0, len(words)], "text": words, "section": [words], "flagged": True}],
                                  (1, 5)))
    assert [one for one in complaints(bytes(cited.body).decode()) if "evil" not in one or "href" not in one] == []


def test_a_field_that_is_not_escaped_would_be_seen() -> None:
    from markupsafe import Markup

    made = Rendering().page("answer.html", answer={**an_answer("x", ""), "question": Markup(EVIL)},
                            caller=Caller("public", "none"), mark="m", voted=False)
    found = complaints(bytes(made.body).decode())
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
