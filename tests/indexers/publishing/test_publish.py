"""Publishing: what is kept, what is written, and that merging changes nothing a reader sees."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from two_world.observing import observe
from two_world.stand_ins import HashEncoder, MemoryVectors, MemoryVersions
from two_world.worlds import ANALYSER, DIRECTORY, NOW, SOURCE, Batch, Pair, Paper, make_record, open_world
from two_world.worlds import publish as publish_records

from indexers.building.build import Published
from indexers.parts.records import decode_record, encode_record
from indexers.publishing.index_store import IndexStore, OpenVersion, Swept
from vouch.documents.chunk import Chunk
from vouch.documents.document import DocumentRecord
from vouch.errors import BadInput, Conflict, NotFound, Usage

pytestmark = pytest.mark.usefixtures("quick_disk")


class Home:
    """A store and the vectors it is fed with."""

    def __init__(self, path: Path, versions: MemoryVersions | None = None) -> None:
        self.path = path
        self.store = IndexStore(path, versions or MemoryVersions(), ANALYSER, 8.0)
        self.encoder = HashEncoder()
        self.vectors = MemoryVectors(self.encoder)

    def publish(self, *records: DocumentRecord, moved: Mapping[str, str] | None = None, removed: Sequence[str] = (),
                cursor: int = 0) -> Published:
        return publish_records(self.store, self.vectors, records, moved, removed, cursor)

    @property
    def current(self) -> OpenVersion:
        version = self.store.open_current()
        assert version is not None
        return version


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def doc(path: str, *passages: str, heading: str = "Rules", **facts: object) -> DocumentRecord:
    return make_record(SOURCE, path, [(heading, passages)], **facts)


def test_a_first_publish_holds_everything_it_was_given(home: Home) -> None:
    one = doc("a.md", "travel", "leave", url="https://acme.test/a", changed_at=datetime(2026, 5, 1, tzinfo=UTC))
    two = DocumentRecord(SOURCE, "b.pdf", "h", "quarantined", reason="no text", narrowed=frozenset({"public"}))
    done = home.publish(one, two, cursor=3)
    assert done == Published(1, chunks_added=2, chunks_removed=0, chunks_kept=0, rows_written=2)
    version = home.current
    assert version.record(SOURCE, "a.md") == one and version.record(SOURCE, "b.pdf") == two
    assert version.record(SOURCE, "c.md") is None and version.record("other", "a.md") is None
    assert version.known(SOURCE) == {"a.md": one.hash, "b.pdf": "h"}
    assert version.cursor(SOURCE) == {"at": 3} and version.cursor("other") == {}
    assert [(h.path, h.state, h.reason, h.chunks) for h in version.documents()] == [
        ("a.md", "indexed", "", 2), ("b.pdf", "quarantined", "no text", 0)]
    assert version.manifest.counts.model_dump() == {"documents": 2, "quarantined": 1, "chunks": 2}
    assert version.manifest.dimensions == 16 and version.manifest.parent is None


def test_an_edit_writes_the_edited_passage_only(home: Home) -> None:
    home.publish(doc("a.md", *[f"passage {n}" for n in range(20)]), doc("b.md", "other"))
    done = home.publish(doc("a.md", *[f"passage {n}" for n in range(19)], "edited"))
    assert done == Published(2, chunks_added=1, chunks_removed=1, chunks_kept=19, rows_written=1)
    assert len(home.current.segments) == 2
    assert home.current.record(SOURCE, "b.md") == doc("b.md", "other")


def test_repeated_passages_keep_a_row_each(home: Home) -> None:
    home.publish(doc("a.md", "same", "same", "same"))
    done = home.publish(doc("a.md", "same", "same", "same", "same"))
    assert (done.chunks_added, done.chunks_kept) == (1, 3)
    done = home.publish(doc("a.md", "same"))
    assert (done.chunks_added, done.chunks_kept, done.chunks_removed) == (0, 1, 3)


def test_a_rename_keeps_all_rows_and_asks_for_no_vector(home: Home) -> None:
    home.publish(doc("a.md", "travel", "leave"), doc("b.md", "other"))
    before = home.current
    done = home.publish(doc("c.md", "travel", "leave"), moved={"c.md": "a.md"})
    assert done == Published(2, chunks_added=0, chunks_removed=0, chunks_kept=2, rows_written=0)
    after = home.current
    assert after.manifest.segments == before.manifest.segments and home.encoder.encoded == 3
    assert after.known(SOURCE).keys() == {"b.md", "c.md"} and after.record(SOURCE, "a.md") is None
    assert home.store.diff(1, 2).renamed == ((SOURCE, "a.md", "c.md"),)


def test_two_documents_may_change_places(home: Home) -> None:
    home.publish(doc("a.md", "travel", "leave"), doc("b.md", "badge"))
    done = home.publish(doc("b.md", "travel", "leave"), doc("a.md", "badge"), moved={"b.md": "a.md", "a.md": "b.md"})
    assert (done.chunks_added, done.chunks_kept, done.chunks_removed) == (0, 3, 0)
    assert home.current.record(SOURCE, "a.md") == doc("a.md", "badge")


def test_a_new_document_at_the_old_place_of_a_moved_one(home: Home) -> None:
    home.publish(doc("a.md", "travel", "leave"))
    done = home.publish(doc("b.md", "travel", "leave"), doc("a.md", "travel", "new"), moved={"b.md": "a.md"})
    assert done.chunks_added + done.chunks_kept == 4
    assert home.current.known(SOURCE).keys() == {"a.md", "b.md"}
    home.current.check()


def test_removed_documents_and_their_rows_leave(home: Home) -> None:
    home.publish(doc("a.md", "travel"))
    home.publish(doc("b.md", "leave", "badge", "laptop"))
    done = home.publish(removed=["a.md", "never-there.md"])
    assert (done.chunks_removed, done.chunks_added) == (1, 0)
    assert home.current.known(SOURCE).keys() == {"b.md"}
    home.publish(removed=["b.md"])
    assert list(home.current.documents()) == [] and home.current.segments == ()
    assert home.publish(doc("a.md", "back")).chunks_added == 1


def test_a_step_that_moves_only_cursors_writes_a_manifest_only(home: Home) -> None:
    home.publish(doc("a.md", "travel"))
    before = home.current.manifest
    home.publish(cursor=9)
    after = home.current.manifest
    assert (after.segments, after.parts) == (before.segments, before.parts)
    assert home.current.cursor(SOURCE) == {"at": 9}


def test_an_empty_first_publish_is_a_version(home: Home) -> None:
    assert home.publish().version == 1
    assert list(home.current.documents()) == []


def test_everything_anew_on_an_older_pointer(home: Home) -> None:
    home.publish(doc("a.md", "travel"), doc("b.md", "leave"))
    home.vectors.learn(["Rules\ntravel"])
    done = home.store.publish(None, changed=[doc("a.md", "travel")], moved={}, removed=[], cursors={},
                              fingerprints={"encoder": "new"}, vectors=home.vectors.get, parent=1)
    assert (done.version, done.chunks_added) == (2, 1)
    assert home.current.known(SOURCE).keys() == {"a.md"} and home.current.manifest.parent == 1


def test_rows_of_other_models_are_never_mixed(home: Home, tmp_path: Path) -> None:
    home.publish(doc("a.md", "travel"))
    arguments = {"changed": [], "moved": {}, "removed": [], "cursors": {}, "vectors": home.vectors.get}
    with pytest.raises(Usage, match="vouch rebuild"):
        home.store.publish(home.current, fingerprints={"encoder": "other"}, **arguments)
    other = IndexStore(tmp_path, home.store.versions, ANALYSER, 9.0)
    with pytest.raises(Usage, match="vouch rebuild"):
        other.publish(home.current, fingerprints=home.current.manifest.fingerprints, **arguments)
    with pytest.raises(Usage, match="analyser"):
        home.store.publish(None, fingerprints={"analyser": "other"}, parent=1, **arguments)
    assert home.store.versions.current() == 1


@pytest.mark.parametrize("vectors", [
    lambda keys: np.ones((len(keys), 8), np.float16), lambda keys: np.ones((len(keys), 16), np.float32),
    lambda keys: np.ones((len(keys) + 1, 16), np.float16), lambda keys: np.full((len(keys), 16), np.inf, np.float16),
])
def test_vectors_that_cannot_be_right_publish_nothing(home: Home, vectors: object) -> None:
    home.publish(doc("a.md", "travel"))
    with pytest.raises(Usage):
        home.store.publish(home.current, changed=[doc("b.md", "leave")], moved={}, removed=[], cursors={},
                           fingerprints=home.current.manifest.fingerprints, vectors=vectors)
    assert home.store.versions.current() == 1
    assert [row.state for row in home.store.versions.rows()] == ["published"]


def test_a_place_or_an_id_that_comes_twice_is_refused(home: Home) -> None:
    first = doc("a.md", "travel")
    home.publish(first)
    stolen = DocumentRecord(SOURCE, "b.md", "h", "indexed", text=first.text, chunks=first.chunks)
    for records in ([stolen], [doc("c.md", "x"), doc("c.md", "y")]):
        with pytest.raises(BadInput):
            home.publish(*records)
    assert home.publish(stolen, removed=["a.md"]).version == 2


def test_merging_keeps_few_folders_and_every_bit(tmp_path: Path) -> None:
    papers = [Paper(f"open/{n}.md", (("Rules", (f"travel {n}", "leave", f"budget {n % 3}")),)) for n in range(40)]
    pair = Pair(("public",), "travel budget 2 leave", (Batch(tuple(papers)),), tuple(Batch((p,)) for p in papers))
    at_once, one_by_one = open_world(tmp_path / "a", pair.first), open_world(tmp_path / "b", pair.second)
    assert observe(at_once, pair) == observe(one_by_one, pair)
    version = one_by_one.store.open_current()
    assert len(version.segments) <= 6 and len(version.parts) <= 6
    assert [version.record(SOURCE, p.path) for p in papers] == [p.record for p in papers]
    assert sum(s.rows for s in version.segments) == 120 and one_by_one.encoder.encoded < 120
    assert DIRECTORY.audience(["public"], NOW).digest == pair.audience.digest


def test_merging_drops_dead_rows_and_tombstones(home: Home) -> None:
    for n in range(30):
        home.publish(doc("a.md", f"travel {n}", f"leave {n}"), doc(f"b{n}.md", "badge"),
                     removed=[f"b{n - 1}.md"] if n else [])
    version = home.current
    assert sum(s.rows for s in version.segments) <= 12 and len(version.segments) <= 4
    assert len(version.parts) <= 4 and sum(len(p.removed) for p in version.parts) <= 4
    assert version.known(SOURCE).keys() == {"a.md", "b29.md"}
    for n in range(20):
        home.publish(removed=[f"none{n}.md"])
        home.publish(doc(f"c{n}.md", "laptop"))
        home.publish(removed=[f"c{n}.md"])
    assert len(home.current.parts) <= 8


_TEXT = st.text(st.characters(codec="utf-8"), max_size=30)


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(_TEXT, _TEXT, _TEXT, st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=4),
       st.none() | st.frozensets(st.sampled_from(("public", "group:é"))))
def test_a_record_comes_back_as_it_went(
    text: str, title: str, heading: str, cuts: list[tuple[int, int]], narrowed: frozenset[str] | None
) -> None:
    size = len(text)
    chunks = tuple(
        Chunk(f"{n:032x}", (heading, "b"), min(a, b, size), min(max(a, b), size), 1, 2, n, n or None, n > 1)
        for n, (a, b) in enumerate(cuts)
    )
    record = DocumentRecord("s", title or "p", "h", "indexed", title, text, chunks, narrowed, "", None, None)
    facts, raw = encode_record(record)
    stored = decode_record(facts)
    assert (stored.record.chunks, stored.record.narrowed, stored.record.title) == (chunks, narrowed, title)
    for held in stored.chunks:
        assert raw[held.first_byte : held.end_byte].decode() == text[held.chunk.start : held.chunk.end]


def test_a_rollback_is_a_new_version_with_the_old_content(home: Home) -> None:
    home.publish(doc("a.md", "travel"), cursor=1)
    home.publish(doc("a.md", "changed"), doc("b.md", "leave"), cursor=2)
    assert home.store.rollback(1) == 3
    version = home.current
    assert (version.number, version.manifest.parent, version.cursor(SOURCE)) == (3, 2, {"at": 1})
    assert version.record(SOURCE, "a.md") == doc("a.md", "travel") and version.known(SOURCE).keys() == {"a.md"}
    diff = home.store.diff(1, 3)
    assert (diff.added, diff.changed, diff.renamed, diff.removed, diff.chunks_kept) == ((), (), (), (), 1)
    diff = home.store.diff(2, 3)
    assert (diff.changed, diff.removed) == (((SOURCE, "a.md"),), ((SOURCE, "b.md"),))
    assert (diff.chunks_added, diff.chunks_removed, diff.chunks_kept) == (1, 2, 0)
    assert home.publish(doc("a.md", "travel", "more")).chunks_kept == 1


def test_a_rollback_to_other_models_or_to_nothing_is_refused(home: Home) -> None:
    home.publish(doc("a.md", "travel"))
    home.store.publish(None, changed=[], moved={}, removed=[], cursors={}, fingerprints={"encoder": "new"},
                       vectors=home.vectors.get, parent=1)
    with pytest.raises(Usage):
        home.store.rollback(1)
    with pytest.raises(NotFound):
        home.store.rollback(7)
    assert home.store.versions.current() == 2
    assert home.store.rollback(1, home.store.manifest(1).fingerprints) == 3


def test_a_sweep_deletes_leftovers_and_nothing_else(home: Home) -> None:
    home.publish(doc("a.md", "travel"))
    with pytest.raises(Usage):
        home.store.publish(home.current, changed=[doc("b.md", "x")], moved={}, removed=[], cursors={},
                           fingerprints=home.current.manifest.fingerprints, vectors=lambda k: np.ones((1, 2), "f2"))
    swap = home.store.versions.swap

    def overtaken(old: int | None, new: int) -> None:
        home.store.versions.swap = swap
        home.publish(doc("b.md", "leave"))
        swap(old, new)

    home.store.versions.swap = overtaken
    with pytest.raises(Conflict):                           # leaves a segment, a part and a manifest behind
        home.publish(doc("b.md", "badge"))
    gone = home.store.sweep().deleted
    assert len(gone) == 3 and [g for g in gone if g.startswith("versions/")] == ["versions/2"]
    assert home.store.sweep() == Swept()
    for number in (1, 3):
        assert home.store.verify(number) == []
    current = Home(home.path, home.store.versions).current
    assert current.record(SOURCE, "b.md") == doc("b.md", "leave") and current.known(SOURCE).keys() == {"a.md", "b.md"}


def test_a_sweep_spares_a_publish_under_way(home: Home) -> None:
    home.publish(doc("a.md", "travel"))
    swap = home.store.versions.swap
    home.store.versions.swap = lambda old, new: (swept.append(home.store.sweep()), swap(old, new))
    swept: list[Swept] = []
    home.publish(doc("b.md", "leave"))
    assert swept == [Swept(waiting=True)] and home.current.known(SOURCE).keys() == {"a.md", "b.md"}
