"""What operators see of documents and readers, what they upload, and what they have looked at again."""

import errno
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from homes.memory import folder_in_memory
from http_scene.html_page import complaints
from http_scene.http_client import Client, Reply
from http_scene.http_place import HEADER, RULES, SECRET, Paper, Place, http_place

from services.documents.announcing import Announcer
from vouch.access import Directory, Person
from vouch.adapters.ledger import SourceRow
from vouch.errors import LedgerDown, LogDown
from vouch.messages import DocumentsChanged, decode

EVIL, TOPIC = "<script>alert(1)</script>", "documents.changed"
PEOPLE = Directory(
    {"ana": Person(("eng",)), "ben": Person(("people",)), "olga": Person(("ops",)), "ci": Person(("robots",))},
    {"eng": (), "people": (), "ops": (), "robots": ()},
)


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with folder_in_memory() as folder, http_place(
        folder, people=PEOPLE, works=False, operated={"announcers": ("group:robots",)}
    ) as made:
        yield made


def announced(place: Place) -> list[DocumentsChanged]:
    found = [decode(TOPIC, record.value) for record in place.log.read(TOPIC)]
    return [one for one in found if isinstance(one, DocumentsChanged)]


def upload(client: Client, path: str, data: bytes = b"# Words\n\nOf a document.\n", name: str = "words.md",
           **fields: str) -> Reply:
    """As a browser sends a form with a file."""
    mark = client.get("/").mark
    sent = {"mark": mark, "path": path, "sure": "yes", **fields}
    parts = [f'--edge\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'.encode()
             for key, value in sent.items()]
    file = f'--edge\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode()
    body = b"".join([*parts, file, data, b"\r\n--edge--\r\n"])
    return client.send("POST", "/operate/upload", body, Content_Type="multipart/form-data; boundary=edge",
                       Origin=client.address, Sec_Fetch_Site="same-origin")


def folder_of(place: Place) -> Path:
    return place.home.place / "docs"


def test_who_may_read_a_document_is_told_with_the_groups_they_are_in(place: Place) -> None:
    page = place.person("olga").get("/operate/access?document=docs:eng/tokens.md")
    assert "user:ana" in page.text and "group <bdi>eng</bdi>" in page.text and "user:ben" not in page.text
    assert "The rules allow: <bdi>group:eng</bdi>" in page.text and complaints(page.text) == []
    assert "everybody, as it is public" in place.person("olga").get("/operate/access?document=docs:leave.md").text


def test_a_persons_view_has_what_this_person_may_read_and_no_more(place: Place) -> None:
    olga = place.person("olga")
    ana = olga.get("/operate/person?person=user:ana&source=docs")
    assert "eng/tokens.md" in ana.text and "leave.md" in ana.text and "salaries" not in ana.text
    ben = olga.get("/operate/person?person=user:ben&source=docs")
    assert "tokens" not in ben.text and "people/salaries.md" in ben.text
    assert '"May read">2<' in ben.text and '"Documents in all">3<' in ben.text
    assert "leave.md" not in olga.get("/operate/person?person=user:ben&source=docs&after=leave.md").text
    assert complaints(ana.text) == complaints(ben.text) == []
    assert olga.get("/operate/person?person=nobody").status == 422


@pytest.mark.slow
def test_a_long_list_of_what_a_person_reads_has_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.operating.document_looks.SHOWN", 2)
    with folder_in_memory() as folder, http_place(folder, {f"{n}.md": f"# {n}\n\nWords.\n" for n in range(5)},
                                                  works=False) as place:
        olga, seen, after = place.person("olga"), list[str](), ""
        for _ in range(3):
            page = olga.get(f"/operate/person?person=user:ana&source=docs&after={after}").text
            found = [f"{n}.md" for n in range(5) if f"<bdi>{n}.md</bdi>" in page]
            seen, after = [*seen, *found], found[-1]
        assert seen == [f"{n}.md" for n in range(5)] and "The next ones" not in page


def test_what_is_put_aside_is_listed_with_its_reason(place: Place) -> None:
    place.home.put("docs", "broken.pdf", Paper("not a PDF"))
    assert place.home.ingest(["docs"])
    page = place.person("olga").get("/operate/documents?source=docs&state=quarantined")
    assert "broken.pdf" in page.text and "quarantined: <bdi>" in page.text and "leave.md" not in page.text
    assert "look again" in page.text and complaints(page.text) == []


def test_a_state_that_is_its_own_reason_is_told_once(place: Place) -> None:
    place.home.put("docs", "nothing.md", Paper(""))
    assert place.home.ingest(["docs"])
    page = place.person("olga").get("/operate/documents?source=docs")
    assert "nothing.md" in page.text and '"State">empty' in page.text and "empty: <bdi>is empty" not in page.text
    version = place.person("olga").get("/operate/versions/version?number=2")
    assert "broken.pdf" in version.text and "What the checks said" in version.text and complaints(version.text) == []


def test_looking_again_is_confirmed_announced_and_noted(place: Place) -> None:
    olga, before = place.person("olga"), len(announced(place))
    asked = olga.get("/operate/again?source=docs&path=eng/%D9%87%E2%80%8C.md")
    assert "\neng/\u0647\u200c.md</textarea>" in asked.text         # a sign that joins letters stays
    asked = olga.get("/operate/again?source=docs&path=eng/tokens.md")
    assert "eng/tokens.md" in asked.text and complaints(asked.text) == [] and len(announced(place)) == before
    done = olga.form("/operate/again", {"mark": asked.mark, "source": "docs", "paths": "eng/tokens.md\n\nleave.md"})
    assert done.status == 200 and complaints(done.text) == []
    olga.form("/operate/again", {"mark": asked.mark, "source": "docs", "paths": ""})
    sent = announced(place)[before:]
    assert [(one.source, one.paths) for one in sent] == [("docs", ("eng/tokens.md", "leave.md")), ("docs", None)]
    assert "looking again at docs: eng/tokens.md, leave.md" in olga.get("/operate/acts").text
    assert olga.form("/operate/again", {"mark": asked.mark, "source": "none"}).status == 404
    assert olga.get("/operate/again?source=none").status == 404, "it does not even offer itself"
    assert olga.form("/operate/again", {"mark": asked.mark, "source": "docs", "paths": "../x"}).status == 422
    assert olga.form("/operate/again", {"mark": "0" * 64, "source": "docs"}).status == 403
    assert len(announced(place)) == before + 2


def test_programs_announce_what_changed_if_they_may(place: Place) -> None:
    before = len(announced(place))
    for name in ("olga", "ci"):
        told = place.person(name).post("/v1/sources/docs/changed", {"paths": ["leave.md"]})
        assert told.status == 202 and told.json["paths"] == ["leave.md"] and told.json["source"] == "docs"
    assert place.person("ci").post("/v1/sources/docs/changed", {}).json["paths"] is None
    assert [one.paths for one in announced(place)[before:]] == [("leave.md",), ("leave.md",), None]
    assert [act.by for act in place.home.bench.ledger.acts.list(3)] == ["user:ci", "user:ci", "user:olga"]


def test_a_source_that_is_not_there_is_told_as_one_that_is_forbidden(place: Place) -> None:
    before, acts = len(announced(place)), len(place.home.bench.ledger.acts.list())
    told = [place.person(who).post(f"/v1/sources/{source}/changed", {})
            for who, source in (("ana", "docs"), ("ana", "none"), ("ci", "none"), ("olga", "none"))]
    told += [place.visitor().post("/v1/sources/docs/changed", {}), place.visitor().post("/v1/sources/x/changed", {})]
    assert {one.status for one in told} == {403}
    assert len({str(one.json | {"request_id": ""}) for one in told}) == 1
    assert len(announced(place)) == before and len(place.home.bench.ledger.acts.list()) == acts


@pytest.mark.parametrize("body", [{"paths": []}, {"paths": [""]}, {"paths": ["a\u0000"]}, {"path": "x"}, [], "x",
                                  {"paths": ["../x"]}, {"paths": ["/etc/passwd"]}, {"paths": ["./."]},
                                  {"paths": ["a"] * 1001}])
def test_what_is_no_announcement_is_refused(place: Place, body: Any) -> None:
    before = len(announced(place))
    told = place.person("ci").post("/v1/sources/docs/changed", body)
    assert told.status == 422 and str(place.home.place) not in told.text and len(announced(place)) == before


def test_an_upload_is_in_its_folder_announced_and_noted(place: Place) -> None:
    olga = place.person("olga")
    form = olga.get("/operate/upload")
    assert "group:eng" in form.text and "20,000 bytes" in form.text and complaints(form.text) == []
    done = upload(olga, "eng/", b"# Deploys\n\nOn Mondays.\n", "deploys.md")
    assert done.status == 200 and "group:eng" in done.text and "shown to nobody" not in done.text
    assert (folder_of(place) / "eng" / "deploys.md").read_bytes() == b"# Deploys\n\nOn Mondays.\n"
    assert announced(place)[-1].paths == ("eng/deploys.md",)
    act = place.home.bench.ledger.acts.list()[0]
    assert (act.by, act.act, act.outcome) == ("user:olga", "upload of docs:eng/deploys.md", "done")
    assert place.home.ingest(["docs"])
    assert "deploys.md" in olga.get("/operate/person?person=user:ana&source=docs").text
    assert "deploys.md" not in olga.get("/operate/person?person=user:ben&source=docs").text
    assert [one.name for one in (folder_of(place) / "eng").iterdir() if one.name.startswith(".")] == []


def test_what_a_killed_upload_left_goes_with_the_next_one_there(place: Place) -> None:
    left, under_way, foreign = (folder_of(place) / f".{name}.upload" for name in ("a" * 32, "b" * 32, "own"))
    for one in (left, under_way, foreign):
        one.write_text("half of a docum")
    for one in (left, foreign):
        os.utime(one, (0, 0))
    assert upload(place.person("olga"), "next.md").status == 200
    assert [one.exists() for one in (left, under_way, foreign)] == [False, True, True]
    for one in (under_way, foreign):
        one.unlink()


def test_what_is_there_is_replaced_only_if_that_is_said(place: Place) -> None:
    olga, file = place.person("olga"), folder_of(place) / "twice.md"
    assert upload(olga, "twice.md", b"# One\n").status == 200
    refused = upload(olga, "twice.md", b"# Two\n")
    assert "or tick that it is replaced" in refused.text
    assert refused.status == 409 and "is there already" in refused.text and file.read_bytes() == b"# One\n"
    assert complaints(refused.text) == []
    assert upload(olga, "twice.md", b"# Two\n", replace="yes").status == 200 and file.read_bytes() == b"# Two\n"
    assert upload(olga, "eng", b"# A folder\n", "eng", replace="yes").status == 422
    (folder_of(place) / "folder.md").mkdir()
    assert upload(olga, "folder.md", replace="yes").status == 409


@pytest.mark.parametrize(("path", "name"), [
    ("../out.md", ""), ("/etc/out.md", ""), ("a/../../out.md", ""), (".hidden.md", ""), ("a/.git/x.md", ""),
    ("access.yaml", ""), ("CODEOWNERS", ""), (".vouchignore", ""), ("x.exe", ""), ("a\\b.md", ""), ("a//b.md", ""),
    ("a\u202eb.md", ""), ("a\nb.md", ""), (f"{'x' * 300}.md", ""), ("", "..\\..\\.md"), ("node_modules/a.md", ""),
    ("d/" * 30 + "x.md", ""), ("link/x.md", ""), ("", ""),
])
def test_no_path_leaves_the_folder_or_changes_its_rules(place: Place, path: str, name: str) -> None:
    if not (folder_of(place) / "link").is_symlink():
        (place.home.place / "outside").mkdir()
        (folder_of(place) / "link").symlink_to(place.home.place / "outside")
    before, held = len(announced(place)), sorted(place.home.place.rglob("*.md"))
    assert upload(place.person("olga"), path, name=name).status in (409, 422)
    assert sorted(place.home.place.rglob("*.md")) == held and len(announced(place)) == before
    assert list((place.home.place / "outside").iterdir()) == []


def test_rules_that_are_named_as_a_document_are_not_uploaded_however_they_are_spelled() -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as place:
        olga, sources = place.person("olga"), place.home.bench.ledger.sources
        rules = folder_of(place) / "rules.txt"
        rules.write_text("rules: []\n")
        (place.home.place / "link").symlink_to(folder_of(place))
        for spelled in (rules, folder_of(place) / ".." / "docs" / "rules.txt", place.home.place / "link" / "rules.txt"):
            sources.set_access("docs", str(spelled))
            refused = upload(olga, "rules.txt", b"rules: [{match: '**', allow: [public]}]\n", replace="yes")
            assert refused.status == 422 and "not uploaded" in refused.text and rules.read_text() == "rules: []\n"
        sources.set_access("docs", str(place.home.rules_file("docs")))
        sources.add(SourceRow("other", "folder", str(place.home.place / "other"), str(rules)))
        assert upload(olga, "rules.txt", replace="yes").status == 422 and rules.read_text() == "rules: []\n"


def test_an_upload_is_refused_without_leave_a_mark_a_yes_or_words(place: Place) -> None:
    olga, held = place.person("olga"), sorted(folder_of(place).rglob("*"))
    assert upload(place.person("ana"), "x.md").status == 403
    assert upload(olga, "x.md", mark="0" * 64).status == 403
    assert upload(olga, "x.md", sure="").status == 422
    assert upload(olga, "x.md", b"").status == 422
    again = upload(olga, "eng/", name="x.exe", sure="", replace="yes")
    assert again.status == 422 and "it was not confirmed" in again.text and 'name="path" value="eng/"' in again.text
    assert 'name="replace" value="yes" checked' in again.text and 'type="file"' in again.text
    large = upload(olga, "x.md", b"x" * 20_001)
    assert large.status == 422 and "20,000 bytes" in large.text
    assert olga.send("POST", "/operate/upload", b"x", Content_Type="multipart/form-data; boundary=e").status == 400
    assert sorted(folder_of(place).rglob("*")) == held


@pytest.mark.parametrize("charset", ["undefined", "punycode"])
def test_a_form_in_a_charset_that_cannot_be_read_is_the_mistake_of_who_sends_it(place: Place, charset: str) -> None:
    body = b'--bnd\r\nContent-Disposition: form-data; name="mark"\r\n\r\nabc-!\r\n--bnd--\r\n'
    kind = f"multipart/form-data; boundary=bnd; charset={charset}"
    told = place.person("olga").send("POST", "/operate/upload", body, Content_Type=kind)
    assert told.status == 422 and "the form cannot be read" in told.text


@pytest.mark.slow
def test_what_no_rule_grants_is_shown_to_nobody_and_the_page_says_so() -> None:
    with folder_in_memory() as folder, http_place(
        folder, {"eng/a.md": "# A\n\nWords.\n"}, rules=[("eng/**", ["group:eng"])], works=False
    ) as place:
        olga = place.person("olga")
        done = upload(olga, f"{EVIL.replace('/', '_')}.md")
        assert done.status == 200 and "shown to nobody" in done.text and complaints(done.text) == []
        assert place.home.ingest(["docs"])
        for person in ("ana", "ben", "olga"):
            assert "alert(1)" not in olga.get(f"/operate/person?person=user:{person}&source=docs").text


@pytest.mark.slow
def test_a_full_disk_is_told_and_noted_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*values: Any, **more: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with folder_in_memory() as folder, http_place(folder, works=False) as place:
        monkeypatch.setattr("vouch.adapters.sources.folder.receiving.os.link", full)
        held = sorted(folder_of(place).rglob("*"))
        assert upload(place.person("olga"), "x.md").status == 503
        assert place.home.bench.ledger.acts.list()[0].outcome == "refused: Unavailable"
        assert sorted(folder_of(place).rglob("*")) == held and announced(place) == []


@pytest.mark.slow
def test_what_could_not_be_announced_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def down(*values: Any) -> None:
        raise LogDown("the log does not answer")

    with folder_in_memory() as folder, http_place(folder, works=False) as place:
        monkeypatch.setattr(Announcer, "send", down)
        assert upload(place.person("olga"), "x.md").status == 503
        assert place.home.bench.ledger.acts.list()[0].outcome == "refused: Unavailable"


@pytest.mark.slow
def test_without_the_setting_nothing_is_taken() -> None:
    with folder_in_memory() as folder, http_place(folder, works=False, operated={"uploads": ""}) as place:
        assert place.person("olga").get("/operate/upload").status == 404
        assert upload(place.person("olga"), "x.md").status == 404


@pytest.mark.slow
def test_an_act_that_cannot_be_noted_is_not_done(monkeypatch: pytest.MonkeyPatch) -> None:
    with folder_in_memory() as folder, http_place(folder, rules=RULES, works=False) as place:
        olga, acts = place.person("olga"), place.home.bench.ledger.acts
        mark = olga.get("/").mark

        def down(*values: Any) -> int:
            raise LedgerDown("the ledger does not answer")

        monkeypatch.setattr(acts, "begin", down)
        assert upload(olga, "x.md").status == 503 and not (folder_of(place) / "x.md").exists()
        assert olga.form("/operate/again", {"mark": mark, "source": "docs"}).status == 503
        assert olga.post("/v1/sources/docs/changed", {}).status == 503
        assert announced(place) == []


@pytest.mark.slow
def test_a_large_form_is_taken_there_alone() -> None:
    limits = {"body_bytes": 2_000, "upload_bytes": 10_000}
    with folder_in_memory() as folder, http_place(folder, works=False, limits=limits) as place:
        olga = place.person("olga")
        assert upload(olga, "x.md", b"# X\n" + b"x" * 9_000).status == 200
        for told in (upload(olga, "y.md", b"x" * 30_000),
                     olga.form("/operate/again", {"mark": "0", "paths": "x" * 3_000})):
            assert told.status == 413 and told.headers["content-type"].startswith("text/html")
            assert "send less at a time" in told.text and "VOUCH_" not in told.text and complaints(told.text) == []
            assert "x-request-id" in told.headers and told.headers["content-security-policy"]
        assert "VOUCH_HTTP__BODY_BYTES" in olga.post("/v1/search", {"query": "x" * 3_000}).json["cure"]


@contextmanager
def begun_uploads(place: Place, proof: str = "") -> Iterator[None]:
    """Four large forms that do not go on."""
    head = f"POST /operate/upload HTTP/1.1\r\nHost: 127.0.0.1\r\n{proof}Content-Length: 9000\r\n\r\nx"
    address = urlsplit(place.address)
    with ExitStack() as held:
        for _ in range(4):
            one = held.enter_context(socket.create_connection((address.hostname or "", address.port or 0)))
            one.sendall(head.encode())
        yield


@pytest.mark.slow
def test_only_few_large_forms_come_at_a_time_and_strangers_hold_up_nobody() -> None:
    limits = {"body_bytes": 2_000, "upload_bytes": 10_000, "body_seconds": 30.0}
    proof = f"{HEADER}: olga\r\nX-Vouch-Proxy-Secret: {SECRET}\r\n"
    with folder_in_memory() as folder, http_place(folder, works=False, limits=limits) as place:
        olga = place.person("olga")
        with begun_uploads(place, proof):
            assert _becomes(lambda: upload(olga, "x.md", replace="yes").status == 503)
            assert olga.get("/operate/upload").status == 200            # whoever only looks is not held up
        assert _becomes(lambda: upload(olga, "x.md", replace="yes").status == 200)
        with begun_uploads(place), begun_uploads(place, proof.replace("olga", "ana")):
            assert not _becomes(lambda: upload(olga, "x.md", replace="yes").status == 503, 2.0)
        assert upload(place.person("ana"), "y.md", b"x" * 3_000).status == 413


def _becomes(so: Callable[[], bool], seconds: float = 15.0) -> bool:
    until = time.monotonic() + seconds
    while not so():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def test_a_source_that_is_not_there_is_not_found(place: Place) -> None:
    page = place.person("olga").get("/operate/documents?source=nope")
    assert page.status == 404 and complaints(page.text) == []
    assert place.person("olga").get("/operate/documents?source=docs&state=quarantined").status == 200
