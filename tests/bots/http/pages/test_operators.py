"""The pages for operators: nobody else sees them, each act is noted, and what is shown is words."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from fastapi.routing import APIRoute
from homes.memory import folder_in_memory
from http_scene.html_page import complaints
from http_scene.http_client import Reply
from http_scene.http_place import Paper, Place, http_place
from learning_scene.past_answers import put

from bots.http.operators.pages import build_operator_pages
from bots.http.page.browser import BrowserPages
from vouch.errors import Busy, LogDown
from vouch.messages import DeadLetter
from vouch.ports.surface import Delivery

PAGES = ("/operate/status", "/operate/versions", "/operate/versions/difference?older=1&newer=2",
         "/operate/versions/rollback?number=1", "/operate/versions/version?number=2", "/operate/versions/release",
         "/operate/sources", "/operate/documents?source=docs", "/operate/access",
         "/operate/access?document=docs:eng/tokens.md", "/operate/person?person=user:ana&source=docs",
         "/operate/again?source=docs", "/operate/upload", "/operate/quality", "/operate/quality/votes.svg",
         "/operate/quality/drift", "/operate/quality/gaps", "/operate/models", "/operate/labels",
         "/operate/runs", "/operate/answers", "/operate/acts", "/operate/nothing")
EVIL = "<script>alert(1)</script>"


@contextmanager
def two_versions() -> Iterator[Place]:
    with folder_in_memory() as folder, http_place(folder) as place:
        place.home.put("docs", "parking.md", Paper("# Parking\n\nThe car park opens at seven.\n"))
        assert place.home.ingest(["docs"])
        yield place


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with two_versions() as made:
        yield made


@pytest.mark.parametrize("path", PAGES)
def test_everybody_else_is_told_the_same_of_each_page(place: Place, path: str) -> None:
    for client in (place.person("ana"), place.visitor()):
        reply = client.get(path)
        assert reply.status == 403 and "this page is for operators" in reply.text and "parking" not in reply.text
        assert "Try: <bdi>ask who runs vouch</bdi>" in reply.text and "VOUCH_" not in reply.text
    assert place.person("olga").get(path).status == (404 if path.endswith("nothing") else 200)


def test_operators_alone_find_the_way_to_their_pages(place: Place) -> None:
    olga = place.person("olga")
    for path in ("/", "/questions", "/operate/sources"):
        assert '<a href="/operate/status">Operate</a>' in olga.get(path).text
    assert olga.get("/operate").headers["location"] == "/operate/status"
    for client in (place.person("ana"), place.visitor()):
        assert "/operate" not in client.get("/").text
        assert client.get("/operate").status == 403


def test_no_address_of_theirs_is_open_to_others(place: Place) -> None:
    service = place.service
    routes = build_operator_pages(service.administrators, BrowserPages(service.identities, b"k", secure=False)).routes
    ana, tried = place.person("ana"), 0
    mark = ana.get("/").mark
    for route in routes:
        assert isinstance(route, APIRoute)
        path = route.path.replace("{rest:path}", "x")
        for method in route.methods or ():
            reply = ana.get(f"{path}?older=1&newer=2&number=1&source=docs") if method == "GET" else ana.form(
                path, {"mark": mark, "number": "1", "message": "questions.dead/0/0"})
            assert reply.status == 403, path
            tried += 1
    assert tried == 38 and place.home.bench.ledger.acts.list() == []


def test_only_operators_act(place: Place) -> None:
    ana = place.person("ana")
    mark = ana.get("/").mark
    for path, fields in {"/operate/versions/rollback": {"number": "1"}, "/operate/versions/release": {},
                         "/operate/dead/replay": {"message": "questions.dead/0/0"}}.items():
        assert ana.form(path, {"mark": mark, **fields}).status == 403
        assert place.person("olga").form(path, {"mark": mark, **fields}).status == 403         # the mark is ana's
    assert place.home.bench.ledger.acts.list() == []


@pytest.mark.slow
def test_going_back_and_letting_ingests_go_on_is_noted_with_who_and_when() -> None:
    with two_versions() as place:
        olga = place.person("olga")
        listed = olga.get("/operate/versions")
        assert "go back to it" in listed.text and complaints(listed.text) == []
        asked = olga.get("/operate/versions/rollback?number=1")
        assert "docs:parking.md" in asked.text and complaints(asked.text) == []
        done = olga.form("/operate/versions/rollback", {"mark": asked.mark, "number": "1"})
        assert done.status == 200 and "has the documents of version 1" in done.text
        assert "car park opens" not in olga.ask_on_page("When does the car park open?").text
        held = olga.get("/operate/versions/release")
        for page in ("/operate/versions", "/operate/versions/release", "/operate/status"):
            assert "UTC" in olga.get(page).text and "utc" not in olga.get(page).text
        assert "Ingests are stopped" in olga.get("/operate/versions").text and "Allow ingests again?" in held.text
        assert olga.form("/operate/versions/release", {"mark": held.mark}).status == 303
        assert "Ingests are stopped" not in olga.get("/operate/versions").text
        assert olga.form("/operate/versions/release", {"mark": held.mark}).status == 404
        acts = place.home.bench.ledger.acts.list()
        assert [(act.by, act.act, act.outcome) for act in acts] == [
            ("user:olga", "release of ingests", "refused: NotFound"), ("user:olga", "release of ingests", "done"),
            ("user:olga", "rollback to version 1", "done"),
        ]
        assert all(act.at == place.home.now for act in acts)
        shown = olga.get("/operate/acts").text
        assert "user:olga" in shown and "rollback to version 1" in shown


@pytest.mark.slow
def test_a_rollback_that_would_show_more_is_refused_unless_it_is_hidden() -> None:
    with two_versions() as place:
        olga = place.person("olga")
        place.home.put("docs", "leave.md", Paper("---\naccess: group:people\n---\n# Leave\n\nThirty days.\n"))
        assert place.home.ingest(["docs"])
        before = olga.get("/operate/versions/rollback?number=1")
        assert "1 of its documents would be shown to more people" in before.text and complaints(before.text) == []
        mark = before.mark
        refused = olga.form("/operate/versions/rollback", {"mark": mark, "number": "1"})
        assert refused.status == 409 and "Nothing was changed" in refused.text and "docs:leave.md" in refused.text
        assert "--" not in refused.text and "allow-widening" not in refused.text        # those are of the command
        (label,) = re.findall(r'name="hide"[^>]*> ([^<]+)<', refused.text)
        assert f"tick: {label}" in refused.text
        assert place.home.bench.ledger.versions.current() == 3
        done = olga.form("/operate/versions/rollback", {"mark": mark, "number": "1", "hide": "yes"})
        assert done.status == 200 and "docs:leave.md" in done.text
        assert place.home.bench.ledger.acts.list()[-1].outcome == "refused: Guarded"


def told_beside_the_form(reply: Reply, status: int, *held: str) -> None:
    assert reply.status == status and 'role="alert"' in reply.text and "For operators" in reply.text
    assert all(one in reply.text for one in held) and complaints(reply.text) == []


def test_a_mistake_leads_back_to_the_form_with_what_was_filled_in_and_the_reason(place: Place) -> None:
    olga = place.person("olga")
    mark = olga.get("/operate/again?source=docs").mark
    again = olga.form("/operate/again", {"mark": mark, "source": "docs", "paths": "leave.md\n../x"})
    told_beside_the_form(again, 422, "does not name a document", "leave.md\n../x</textarea>", 'value="docs"')
    told_beside_the_form(olga.form("/operate/again", {"mark": mark, "source": "none"}), 404, 'value="none"', "<form")
    for number, status in (("99", 404), ("x", 422)):
        back = olga.form("/operate/versions/rollback", {"mark": mark, "number": number})
        told_beside_the_form(back, status, "Versions of the index", "Nothing was changed")
    told_beside_the_form(olga.form("/operate/versions/release", {"mark": mark}), 404, "Allow ingests again?")
    gone = olga.form("/operate/dead/replay", {"mark": mark, "message": "questions.dead/0/77"})
    told_beside_the_form(gone, 404, "What runs")
    told_beside_the_form(olga.form("/operate/models/rollback", {"mark": mark, "kind": "fusion"}), 400, "<h1>Models")
    told_beside_the_form(olga.form("/operate/models/promote", {"mark": mark, "name": "none"}), 404, "<h1>Models")
    typed = olga.get("/operate/access?document=docs:nine.md&person=user:ana")
    told_beside_the_form(typed, 404, 'value="docs:nine.md"', 'value="user:ana"', "Nothing was found")
    told_beside_the_form(olga.get("/operate/person?person=ana%20b"), 422, 'value="ana b"')


@pytest.mark.slow
def test_what_was_ticked_stays_ticked_where_going_back_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with two_versions() as place:
        def busy(*values: object, **more: object) -> None:
            raise Busy("an ingest runs", cure="wait until it is done")

        monkeypatch.setattr(type(place.service.administrators), "roll_back", busy)
        olga = place.person("olga")
        fields = {"mark": olga.get("/operate/versions/rollback?number=1").mark, "number": "1", "hide": "yes"}
        told_beside_the_form(olga.form("/operate/versions/rollback", fields), 503, "an ingest runs",
                             'name="hide" value="yes" checked', "Go back to version 1?")


@pytest.mark.slow
def test_a_dead_message_is_listed_without_its_words_and_sent_again() -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place:
        producer = place.log.producer()
        letter = DeadLetter("questions", 0, 0, EVIL, "BadMessage", 3, "2026-11-23T10:00:00", "2026-11-23T10:01:00")
        producer.send("questions.dead", b"k", b"the secret words", letter.headers())
        olga = place.person("olga")
        page = olga.get("/operate/status")
        assert "BadMessage" in page.text and "secret words" not in page.text and complaints(page.text) == []
        link = re.search(r'href="(/operate/dead/replay[^"]+)"', page.text)
        assert link
        asked = olga.get(link[1])
        assert "Send this message again?" in asked.text and "secret words" not in asked.text
        assert complaints(asked.text) == [] and list(place.log.read("questions")) == []
        named = re.search(r'name="message" value="(questions\.dead/\d+/\d+)"', asked.text)
        assert named
        assert olga.form("/operate/dead/replay", {"mark": asked.mark, "message": named[1]}).status == 303
        assert [record.value for record in place.log.read("questions")] == [b"the secret words"]
        assert "BadMessage" not in olga.get("/operate/status").text
        assert olga.form("/operate/dead/replay", {"mark": asked.mark, "message": EVIL}).status == 404
        assert olga.get("/operate/dead/replay?message=questions.dead/0/0").status == 404
        assert "replay of questions.dead" in olga.get("/operate/acts").text


@pytest.mark.slow
def test_what_is_down_is_told_while_the_log_is_down(monkeypatch: pytest.MonkeyPatch) -> None:
    def down(*values: object) -> None:
        raise LogDown("the log does not answer", cure="start it")

    with folder_in_memory() as folder, http_place(folder, works=False) as place:
        monkeypatch.setattr(place.log, "read", down)
        monkeypatch.setattr(place.log, "lags", down)
        page = place.person("olga").get("/operate/status")
        assert page.status == 200 and "log is down" in page.text and "They cannot be read" in page.text
        assert complaints(page.text) == []


def test_documents_sources_and_who_may_read(place: Place) -> None:
    olga = place.person("olga")
    sources, documents = olga.get("/operate/sources"), olga.get("/operate/documents?source=docs")
    assert ">docs<" in sources.text and "eng/tokens.md" in documents.text and "group:eng" in documents.text
    why = olga.get("/operate/access?document=docs:eng/tokens.md&person=user:ben")
    assert "may not" in why.text and "the current rules" in why.text
    assert "may not" not in olga.get("/operate/access?document=docs:eng/tokens.md&person=user:ana").text
    assert olga.get("/operate/access?document=docs:none.md&person=user:ana").status == 404
    for page in (sources, documents, why):
        assert complaints(page.text) == []


@pytest.mark.slow
def test_hostile_names_stay_words() -> None:
    papers = {f"{EVIL.replace('/', '_')}.md": f"# {EVIL}\n\nWords.\n"}
    with folder_in_memory() as folder, http_place(folder, papers, works=False) as place:
        olga = place.person("olga")
        named = f"{EVIL.replace('/', '_')}.md"
        for path in (f"/operate/access?document=docs:{named}", f"/operate/person?person={EVIL}",
                     "/operate/person?person=user:ana&source=docs", f"/operate/person?person=user:ana&source={EVIL}",
                     f"/operate/again?source={EVIL}&path={EVIL}", f"/operate/dead/replay?message={EVIL}",
                     f"/operate/quality/report?name={EVIL}", f"/operate/models/model?name={EVIL}",
                     f"/operate/models/rollback?kind={EVIL}", "/operate/versions/version?number=1",
                     "/operate/documents?source=docs", "/operate/versions/difference?older=1&newer=1",
                     f"/operate/access?person={EVIL}&document={EVIL}"):
            page = olga.get(path)
            assert EVIL not in page.text and complaints(page.text) == []


@pytest.mark.slow
def test_what_was_begun_is_listed_even_if_the_process_ended_within() -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place:
        place.home.bench.ledger.acts.begin("user:olga", "rollback to version 1", place.home.now)
        shown = place.person("olga").get("/operate/acts").text
        assert "rollback to version 1" in shown and "not known" in shown


@pytest.mark.slow
def test_older_acts_are_on_further_pages_each_once() -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place:
        for number in range(120):
            place.home.bench.ledger.acts.begin("user:olga", f"replay of m{number}.", place.home.now)
        path, pages = "/operate/acts", list[list[str]]()
        while path:
            text = place.person("olga").get(path).text
            pages.append(re.findall(r"replay of (m\d+)\.", text))
            further = re.search(r'href="(/operate/acts\?before=\d+)"', text)
            path = further[1] if further else ""
            assert complaints(text) == [] and len(pages) < 9
        assert [len(page) for page in pages] == [50, 50, 20]
        assert [one for page in pages for one in page] == [f"m{number}" for number in reversed(range(120))]
        assert place.person("olga").get("/operate/acts?before=0").status == 422


@pytest.mark.slow
def test_answers_are_listed_without_words_and_askers_and_lead_to_their_traces() -> None:
    with folder_in_memory() as folder, http_place(folder) as place:
        ana, olga = place.person("ana"), place.person("olga")
        secret = ana.post("/v1/ask", {"question": "How often are the vault tokens rotated?"}).json
        declined = ana.post("/v1/ask", {"question": "Who painted the zebra?"}).json
        page = olga.get("/operate/answers")
        main = page.text.partition("<h1>")[2]
        assert complaints(page.text) == [] and main.count("/trace") == 2
        for told in ("vault", "tokens", "rotated", "ninety", "zebra", "user:", "olga", secret["question_id"]):
            assert told not in main
        assert "answered" in main and "declined" in main and secret["answer"] not in page.text
        for one in (secret, declined):
            assert f'href="/answers/{one["id"]}/trace"' in main
            assert olga.get(f"/answers/{one['id']}/trace").status == 200


@pytest.mark.slow
def test_older_answers_are_on_further_pages_each_once() -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place:
        ledger, now = place.home.bench.ledger, place.home.now
        for number in range(120):           # many of one moment
            name = put(ledger, f"n{number:03}", "secret words", "user:ana", now - timedelta(minutes=number // 70))
            ledger.surface.post(Delivery(f"n{number:03}", None, {"id": name}))
        path, pages = "/operate/answers", list[list[str]]()
        while path:
            text = place.person("olga").get(path).text
            assert "secret words" not in text and complaints(text) == [] and len(pages) < 9
            pages.append(re.findall(r'href="/answers/([^/]+)/trace"', text))
            further = re.search(r'href="(/operate/answers\?before=[^"]+)"', text)
            path = further[1] if further else ""
        assert [len(page) for page in pages] == [50, 50, 20]
        assert sorted(one for page in pages for one in page) == [f"a-n{number:03}" for number in range(120)]
        for wrong in ("x", "2026-01-01T00:00:00/a", "2026-01-01T00:00:00%2B00:00"):
            assert place.person("olga").get(f"/operate/answers?before={wrong}").status == 422


@pytest.mark.slow
def test_runs_that_go_on_and_that_failed_are_listed_with_how_long_they_took() -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place:
        now, runs = place.home.now, place.home.bench.ledger.flow_runs
        runs.begin("train", "", now - timedelta(minutes=3))
        failed = runs.begin("ingest", f"docs, {EVIL}", now - timedelta(minutes=2))
        runs.end(failed, "failed", now - timedelta(minutes=1, seconds=30), error="Guarded", cause=EVIL)
        page = place.person("olga").get("/operate/runs").text
        assert EVIL not in page and complaints(page) == []
        rows = [re.sub(r"<[^>]+>", " ", row).split() for row in re.findall(r"<tr>.*?</tr>", page, re.DOTALL)]
        assert ["train", "going", "on", "180.0"] in [row[2:] for row in rows]
        words = "&lt;script&gt;alert(1)&lt;/script&gt;"
        assert f"ingest of docs, {words} failed: Guarded, {words} 30.0".split() in [row[2:] for row in rows]
        assert any(row[2:4] == ["ingest", "of"] and "done" in row for row in rows)      # what made the place


@pytest.mark.slow
def test_one_sees_ones_own_questions_while_one_may_read_their_answers() -> None:
    with folder_in_memory() as folder, http_place(folder) as place:
        ana, ben = place.person("ana"), place.person("ben")
        ana.ask_on_page("How often are the vault tokens rotated?")
        ben.ask_on_page("How many days of paid leave has everybody?")
        page = ana.get("/questions")
        assert "vault tokens" in page.text and "paid leave" not in page.text and complaints(page.text) == []
        assert "vault tokens" not in ben.get("/questions").text
        assert "There are none" in place.visitor().get("/questions").text
        place.home.put_rules("docs", [("**", ["public"]), ("eng/**", ["group:people"])])
        assert "vault tokens" not in ana.get("/questions").text
