"""Each form of the application, as its own routes name them: without the mark of the browser's page it does nothing."""

import hashlib
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from fastapi.routing import iter_route_contexts
from homes.memory import folder_in_memory
from http_scene.http_client import Client, Reply
from http_scene.http_place import Paper, Place, http_place
from learning_scene.past_answers import put
from learning_scene.registry_rows import fusion_row

from bots.http.app import build_fastapi
from bots.http.identity.local import LocalSessions
from bots.http.page.signing import LOGOUT
from vouch.messages import DeadLetter
from vouch.ports.surface import Delivery

OLGA, ASKED = "user:olga", "When are tokens rotated on paid leave?"
Fields = Mapping[str, str]


@dataclass
class Scene:
    place: Place
    browser: Client                     # of an operator, with a session

    @property
    def marks(self) -> dict[str, str]:
        return {"mark": self.browser.get("/").mark}

    def send(self, path: str, fields: Fields) -> Reply:
        """As a browser sends a form of this service; what is uploaded is a text."""
        if path != "/operate/upload":
            return self.browser.form(path, dict(fields), HX_Request="true")     # which waits for no answer
        parts = [("", key, value) for key, value in fields.items()] + [('; filename="words.md"', "file", "# Words\n")]
        body = "".join(f'--edge\r\nContent-Disposition: form-data; name="{key}"{more}\r\n\r\n{value}\r\n'
                       for more, key, value in parts)
        return self.browser.send("POST", path, f"{body}--edge--\r\n".encode(), Origin=self.browser.address,
                                 Sec_Fetch_Site="same-origin", Content_Type="multipart/form-data; boundary=edge")

    def kept(self) -> list[str]:
        """All that the service keeps: rows of its databases, documents, and who this browser is."""
        found = [f"reader {self.browser.get('/v1/me').json['reader']}"]
        for file in sorted(self.place.home.place.rglob("*")):
            if file.suffix == ".sqlite":
                found += rows(file)
            elif file.is_file() and not file.name.endswith(("-wal", "-shm", "-journal")):
                found.append(f"{file} {hashlib.sha256(file.read_bytes()).hexdigest()}")
        return found


def rows(file: Path) -> list[str]:
    with closing(sqlite3.connect(file)) as connection:
        return [f"{file} {line}" for line in connection.iterdump()]


def judged(scene: Scene) -> Fields:
    one = scene.place.service.administrators.labels.next(OLGA, 0)
    assert one is not None
    return {"question": one["key"], "chunk": one["chunk_id"], "hash": one["text_hash"], "relevance": "3"}


def dead(scene: Scene) -> Fields:
    (one,) = scene.place.service.administrators.dead()
    return {"message": one["message"]}


def serves(scene: Scene) -> Fields:
    return {"name": fusion_row(bm25_share=2.0).name, "early": "yes"}


FORMS: Mapping[str, Callable[[Scene], Fields]] = {
    "/ask": lambda scene: {"question": ASKED},
    "/vote": lambda scene: {"answer": "a-q1", "vote": "down", "category": "wrong"},
    "/operate/dead/replay": dead,
    "/operate/again": lambda scene: {"source": "docs"},
    "/operate/upload": lambda scene: {"path": "new.md", "sure": "yes"},
    "/operate/versions/rollback": lambda scene: {"number": "1"},
    "/operate/versions/release": lambda scene: {},
    "/operate/quality/gaps": lambda scene: {},
    "/operate/models/promote": serves,
    "/operate/models/rollback": lambda scene: {"kind": "fusion"},
    "/operate/labels": judged,
    "/leave": lambda scene: {},
}
"""By path what lets a form act. One that is not listed is tried without."""


@pytest.fixture(scope="module")
def scene() -> Iterator[Scene]:
    local = LocalSessions(OLGA, secure=False)
    with folder_in_memory() as folder, http_place(folder, local=local, works=False) as place:
        home, ledger = place.home, place.home.bench.ledger
        home.put("docs", "parking.md", Paper("# Parking\n\nThe car park opens at seven.\n"))
        assert home.ingest(["docs"]) and home.rollback(1)
        ledger.surface.post(Delivery("q1", None, {"id": put(ledger, "q1", ASKED, OLGA, home.now)}))
        letter = DeadLetter("questions", 0, 0, "words", "BadMessage", 3, "2026-11-23T10:00:00", "2026-11-23T10:01:00")
        place.log.producer().send("questions.dead", b"k", b"words", letter.headers())
        for model in (first := fusion_row(bm25_share=1.0), fusion_row(bm25_share=2.0)):
            assert ledger.models.add(model)
        ledger.models.move("fusion", first.name, expected=0, reason="better", by=OLGA, at=home.now)
        browser = place.visitor()
        assert browser.get(f"/enter?token={local.token}").status == 303
        browser.get("/")
        yield Scene(place, browser)


def posted(place: Place) -> list[str]:
    """Addresses that take forms: all that may change something, but for those of programs, which no browser sends
    a session to by itself, and the one that a provider calls with a signed token."""
    found = {route.path or "": (route.methods or set()) - {"GET", "HEAD"}
             for route in iter_route_contexts(build_fastapi(place.service).routes)}
    changing = {path: methods for path, methods in found.items()
                if methods and not path.startswith("/v1/") and path != LOGOUT}
    assert set().union(*changing.values()) == {"POST"}
    return list(changing)


def test_no_form_acts_without_the_mark_of_its_page(scene: Scene) -> None:
    paths, before = posted(scene.place), scene.kept()
    foreign = scene.place.visitor().get("/").mark
    assert len(paths) >= len(FORMS)
    for path in paths:
        fields = FORMS.get(path, lambda scene: {})(scene)
        for wrong in ({}, {"mark": ""}, {"mark": "0" * 64}, {"mark": foreign}):
            refused = scene.send(path, {**fields, **wrong})
            assert refused.status == 403 and "was not made by this service" in refused.text, (path, wrong)
            assert scene.kept() == before, (path, wrong)


def test_each_of_these_forms_acts_with_the_mark(scene: Scene) -> None:
    """Or else it would be no proof that nothing was done."""
    assert set(posted(scene.place)) == set(FORMS), "a new form is to be listed with what lets it act"
    for path, fields in FORMS.items():
        before = scene.kept()
        done = scene.send(path, {**fields(scene), **scene.marks})
        assert done.status in (200, 303) and scene.kept() != before, (path, done.status, done.text)
