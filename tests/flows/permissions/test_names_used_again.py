"""A name, or an access file, that passes to other documents opens none of those that stood there before."""

from dataclasses import replace
from pathlib import Path

import pytest
from homes.ingest_bench import Bench

from indexers.live_index import LiveIndex
from indexers.search import labels
from indexers.versions.version import GENERATION
from services.documents.access_explanation import explain
from services.documents.administration import Administration
from services.documents.sources import add_source, remove_source, set_source
from vouch.access import Directory
from vouch.adapters.access.watched import WatchedPermissions
from vouch.adapters.analyser import SnowballAnalyser
from vouch.documents.document import DocumentRecord
from vouch.errors import Usage
from vouch.retrieval.question.query import form_query

WORDS = {"pay": "# Pay\n\nThe chief earns many pounds.\n", "menu": "# Menu\n\nSoup is served.\n"}
PUBLIC = "rules:\n  - match: '**'\n    allow: public\n"
NOBODY = "rules: []\n"


class Place:
    """A home with the administrator's commands, and a reader who belongs to the public."""

    def __init__(self, bench: Bench, tmp_path: Path) -> None:
        self.bench = bench
        self.tmp_path = tmp_path
        self.watched = WatchedPermissions(bench.ledger.sources, bench.ledger.access)

    @property
    def parts(self) -> Administration:
        return Administration(self.bench.home, self.bench.ledger, self.bench.components.store, self.watched)

    def folder(self, name: str, rules: str, *words: str) -> Path:
        place = self.tmp_path / name
        place.mkdir()
        (place / "access.yaml").write_text(rules)
        for word in words:
            (place / f"{word}.md").write_text(WORDS[word])
        return place

    def add(self, place: Path, kind: str = "folder") -> None:
        add_source(self.parts, "it", kind, place, place / "access.yaml" if kind == "folder" else None)
        self.bench.folder("it", place)

    def ingest(self) -> None:
        self.watched.refresh()
        self.bench.ingest()

    def read(self) -> set[str]:
        """The documents that the public finds, by any of their words."""
        index = LiveIndex(self.bench.components.store, self.watched)
        view = index.view(Directory().audience(["public"]))
        terms = form_query(" ".join(WORDS.values()), SnowballAnalyser()).terms
        hits = [hit.chunk_id for hit in view.lexical(terms, 50)]
        return {passage.path for passage in view.passages(hits)}


@pytest.fixture
def place(bench: Bench, tmp_path: Path) -> Place:
    return Place(bench, tmp_path)


def test_a_removed_sources_name_is_free_at_once_and_opens_nothing_of_it(place: Place) -> None:
    place.add(place.folder("board", NOBODY, "pay"))
    place.ingest()
    remove_source(place.parts, "it")
    place.add(place.folder("kitchen", PUBLIC, "menu"))
    assert place.read() == set()                    # the index holds pay.md, and the rules say public
    place.ingest()
    assert place.read() == {"menu.md"} and set(place.bench.known("it")) == {"menu.md"}


def test_going_back_to_a_version_of_the_former_source_opens_nothing(place: Place) -> None:
    place.add(place.folder("board", NOBODY, "pay"))
    place.ingest()
    remove_source(place.parts, "it")
    place.add(place.folder("kitchen", PUBLIC, "menu"))
    place.ingest()
    place.parts.versions.rollback(1, place.watched.permissions(), allow_widening=True)
    assert set(place.bench.known("it")) == {"pay.md"} and place.read() == set()
    (row,) = place.parts.access_report().rows("it")
    assert row["effective"] == []
    explained = explain(place.parts, "public", "it:pay.md")
    assert not explained["allowed"] and "no ingest has read the whole source" in explained["refused_by"][0]
    place.bench.ledger.holds.release()
    place.ingest()
    assert place.read() == {"menu.md"} and set(place.bench.known("it")) == {"menu.md"}


def test_an_equal_document_of_both_is_read_once_it_was_ingested(place: Place) -> None:
    place.add(place.folder("board", NOBODY, "menu", "pay"))
    place.ingest()
    remove_source(place.parts, "it")
    place.add(place.folder("kitchen", PUBLIC, "menu"))
    assert place.read() == set()
    place.ingest()
    assert place.read() == {"menu.md"}


def test_an_ingest_that_began_before_the_name_passed_on_opens_nothing(place: Place) -> None:
    board = place.folder("board", NOBODY, "pay")
    place.add(board)
    began = place.bench.components
    remove_source(place.parts, "it")
    place.add(place.folder("kitchen", PUBLIC, "menu"))
    place.bench.generations = dict(began.generations)
    place.bench.folder("it", board)
    place.ingest()
    assert set(place.bench.known("it")) == {"pay.md"} and place.read() == set()


def test_without_the_look_at_generations_it_would_be_open(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted bug: rules for whatever has the name. The tests above must find it."""
    place.add(place.folder("board", NOBODY, "pay"))
    place.ingest()
    remove_source(place.parts, "it")
    place.add(place.folder("kitchen", PUBLIC, "menu"))
    place.watched.refresh()
    access = place.bench.ledger.access
    access.scan_ended(["it"], access.scan_begins(["it"]))       # or its rules would grant nothing yet
    monkeypatch.setattr(labels.OpenVersion, "generation", lambda version, source: place.watched.permissions()
                        .generations.get(source, ""))
    assert place.read() == {"pay.md"}


def test_a_new_path_with_its_own_rules_shows_nothing_of_the_old_one(place: Place) -> None:
    place.add(place.folder("board", NOBODY, "pay"))
    place.ingest()
    kitchen = place.folder("kitchen", PUBLIC, "menu")
    row, hidden = set_source(place.parts, "it", kitchen, None, None, None)
    assert hidden and row["access"] == str(kitchen / "access.yaml") and place.read() == set()
    place.bench.folder("it", kitchen)
    place.ingest()
    assert place.read() == {"menu.md"} and set(place.bench.known("it")) == {"menu.md"}


def test_a_moved_folder_under_rules_of_their_own_place_is_read_all_the_time(place: Place) -> None:
    old = place.folder("old", PUBLIC, "menu")
    rules = place.tmp_path / "rules.yaml"
    rules.write_text(PUBLIC)
    add_source(place.parts, "it", "folder", old, rules)
    place.bench.folder("it", old)
    place.ingest()
    new = old.rename(place.tmp_path / "new")
    _, hidden = set_source(place.parts, "it", new, None, None, None)
    assert not hidden and place.read() == {"menu.md"}
    place.bench.folder("it", new)
    assert place.bench.ingest()[0].unchanged == 1


def test_patterns_are_kept_and_replaced_each_for_itself(place: Place) -> None:
    docs = place.folder("docs", PUBLIC, "menu")
    add_source(place.parts, "it", "folder", docs, None, None, ["*.md"], ["old/"])
    row, hidden = set_source(place.parts, "it", None, None, None, ["drafts/"])
    assert (row["include"], row["exclude"], hidden) == (["*.md"], ["drafts/"], False)
    assert set_source(place.parts, "it", None, None, [], [])[0]["include"] == []
    with pytest.raises(Usage):
        set_source(place.parts, "it", None, None, ["#"], None)


def test_events_of_a_former_source_leave_too(place: Place) -> None:
    place.add(place.folder("board", NOBODY, "pay"))
    place.ingest()
    remove_source(place.parts, "it")
    file = place.tmp_path / "events.jsonl"
    file.write_text('{"commit": "1", "seq": 0, "op": "add", "path": "menu.md", "text": "# Menu\\n\\nSoup.\\n"}\n')
    place.add(file, "events")
    place.bench.events("it", file)
    place.ingest()
    assert set(place.bench.known("it")) == {"menu.md"}
    assert replace(place.bench.ledger.sources.get("it"), generation="").kind == "events"


def test_foreign_is_whatever_another_source_left_under_a_name_documents_or_a_cursor(place: Place) -> None:
    components = place.bench.components
    cursors = {"mine": {GENERATION: "1"}, "emptied": {GENERATION: "0"}, "gone": {GENERATION: "1"}}
    components.store.publish(
        None, changed=[DocumentRecord(name, "a.md", "1", "indexed") for name in ("mine", "bare", "gone", "old")],
        moved={}, removed=[], cursors=cursors, vectors=lambda keys: None, fingerprints=components.fingerprints,
    )  # fmt: skip
    version = components.store.open_current()
    now = {"mine": "1", "bare": "1", "emptied": "1", "old": "", "new": "1"}
    assert version is not None and version.foreign(now) == {"bare", "emptied", "gone"}
