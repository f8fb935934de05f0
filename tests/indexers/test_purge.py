"""A purge of any document of any world: what stays is, bit for bit, what a world without it would have."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from homes.grep_home import grep
from homes.memory import folder_in_memory
from homes.one_document import Documents
from hypothesis import event, given, settings
from hypothesis import strategies as st
from two_world.drawing import ANEW
from two_world.every_row import every_row
from two_world.stand_ins import HashEncoder, MemoryVectors, MemoryVersions
from two_world.worlds import ANALYSER, REFERENCE_LENGTH, SOURCE, Paper, make_record, publish

from indexers.publishing.index_store import IndexStore
from indexers.purging import purge as module
from indexers.purging.inventory import read_holdings
from indexers.purging.purge import IndexPurge
from indexers.search.engines import LexicalIndex
from indexers.search.faiss_vectors import VectorIndex
from indexers.versions.files import IndexFiles
from vouch.errors import Damaged

pytestmark = pytest.mark.usefixtures("quick_disk")
_SETTINGS = settings(ANEW, max_examples=40)
_STOCK = ["budget travel leave", "salary merger badge", "laptop policy", "vendor invoice retro", "grade lawyer 2026"]
EMPTY = hashlib.sha256(b"").hexdigest()
PLACES = ["a.md", "b.md", "c.md", "d.md"]


def paper(path: str, texts: tuple[str, ...], mark: str) -> Any:
    """A record whose words nobody else has, beside some that many have."""
    return make_record(SOURCE, path, [("Rules", [*texts, f"only {mark} knows"])])


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[dict[str, Any], dict[str, str], list[str]]]:
    """Publishes: records written by path, moves new → old, removals. Each text has a word of its own."""
    standing: dict[str, Any] = {}
    history = []
    for step in range(draw(st.integers(1, 5))):
        written: dict[str, Any] = {}
        moved: dict[str, str] = {}
        removed: list[str] = []
        for path in PLACES:
            fate = draw(st.sampled_from(("write", "write", "move", "copy", "copy", "remove", "leave")))
            texts = tuple(draw(st.lists(st.sampled_from(_STOCK), min_size=0, max_size=3)))
            others = [p for p in standing if p not in (*written, *moved.values(), *removed)]
            if fate == "write":
                written[path] = paper(path, texts, f"zq{step}{path[0]}x")
            elif fate in ("move", "copy") and others and path not in standing:
                old = draw(st.sampled_from(others))
                before = standing[old]
                written[path] = make_record(SOURCE, path, _sections(before))
                if fate == "move":
                    moved[path] = old
            elif fate == "remove" and path in others:
                removed.append(path)
        standing = {p: r for p, r in standing.items() if p not in (*moved.values(), *removed)} | written
        history.append((written, moved, removed))
    return history


def _sections(record: Any) -> list[tuple[str, list[str]]]:
    return [("Rules", [record.text[c.start : c.end] for c in record.chunks])]


def play(home: Path, history: list[Any]) -> IndexStore:
    store = IndexStore(home, MemoryVersions(), ANALYSER, REFERENCE_LENGTH)
    vectors = MemoryVectors(HashEncoder())
    for written, moved, removed in history:
        if written or removed:
            publish(store, vectors, list(written.values()), moved, [*removed, *moved.values()])
    return store


def seen(store: IndexStore, number: int) -> dict[str, Any]:
    """Documents and every score of every word over all rows, exactly; nothing of row numbers."""
    version = store.open(number)
    rows = every_row(version)
    words = sorted({term for header in version.headers
                    for term in ANALYSER.terms(version.record(*header.place).text)} | {"nothing"})
    lexical = LexicalIndex(version)
    query = HashEncoder().questions([" ".join(_STOCK)])[0]
    return {
        "documents": {h.path: (h.hash, version.record(*h.place).text) for h in version.documents()},
        "lexical": {w: [(h.chunk_id, h.score.hex()) for h in lexical.search([w], rows, 99)] for w in words},
        "dense": [(h.chunk_id, h.score.hex()) for h in VectorIndex(version).search(query, rows, 99)],
        "statistics": lexical.statistics(words, rows),
        "cursors": version.manifest.cursors,
        "counts": version.manifest.counts,
    }


def fresh(documents: dict[str, tuple[str, str]], store: IndexStore, number: int) -> dict[str, Any]:
    """The same look at an index made at once of the documents of one version that stay."""
    with folder_in_memory() as home:
        records = [store.open(number).record(SOURCE, path) for path in documents]
        new = IndexStore(home, MemoryVersions(), ANALYSER, REFERENCE_LENGTH)
        publish(new, MemoryVectors(HashEncoder()), records)
        return seen(new, 1)


@pytest.mark.slow
@_SETTINGS
@given(histories(), st.data())
def test_what_stays_is_what_a_world_without_it_has(history: list[Any], data: st.DataObject) -> None:
    with folder_in_memory() as folder:
        home = folder
        store = play(home, history)
        numbers = [row.number for row in store.versions.rows()]
        if not numbers:
            return
        before = {n: seen(store, n) for n in numbers}
        places = sorted({path for n in numbers for path in before[n]["documents"]})
        if not places:
            return
        path = data.draw(st.sampled_from(places))
        index = IndexPurge(home, store.versions, [(SOURCE, path)])
        event(f"copies: {bool(index.lineage.copies)}")
        while index.lineage.copies:
            index = IndexPurge(home, store.versions, [*index.places, *index.lineage.copies])
        model = Documents()
        for written, moved, removed in history:
            model.publish(written, moved, removed)
        also, contents = model.one([path])
        gone = {((SOURCE, place), digest) for place, digest in contents}
        assert index.places == {(SOURCE, place) for place in also} and index.lineage.contents == gone
        event(f"other places: {len({place for place, _ in gone}) > 1}")
        traces = index.remains().fingerprints
        done = index.run()
        assert done.version == numbers[-1] + 1
        for number in [*numbers, done.version]:
            assert store.verify(number) == []
            old = before[min(number, numbers[-1])]["documents"]
            kept = {p: d for p, d in old.items() if ((SOURCE, p), d[0]) not in gone}
            now = seen(store, number)
            assert now["documents"] == kept
            again = fresh(kept, store, number)
            del again["cursors"], now["cursors"]
            assert now == again
        assert_gone(home, gone, before, traces)
        assert seen(store, numbers[-1])["lexical"] == seen(store, done.version)["lexical"]
        assert store.sweep().deleted == ()


def assert_gone(home: Path, gone: Any, before: dict[int, Any], traces: Any) -> None:
    hashes = {digest for _, digest in gone}
    texts = [(d[0], d[1]) for look in before.values() for d in look["documents"].values()]
    marks = {word for digest, text in texts if digest in hashes for word in text.split() if word.startswith("zq")}
    stay = {word for digest, text in texts if digest not in hashes for word in text.split() if word.startswith("zq")}
    assert grep(home, marks - stay, [*traces.keys, *traces.vectors]) == []


def test_every_place_of_the_document_is_emptied_for_good(tmp_path: Path) -> None:
    """Moves and edits in one step leave no equal hash: the rows tell."""
    old = make_record(SOURCE, "old.md", [("Rules", ["budget travel leave", "salary of zqold"])])
    new = make_record(SOURCE, "new.md", [("Rules", ["budget travel leave", "salary of zqnew"])])
    other = make_record(SOURCE, "other.md", [("Rules", ["budget travel leave"])])
    store = play(tmp_path, [({"old.md": old, "other.md": other}, {}, []), ({"new.md": new}, {"new.md": "old.md"}, [])])
    IndexPurge(tmp_path, store.versions, [(SOURCE, "new.md")]).run()
    assert grep(tmp_path, ["zqold", "zqnew"]) == []
    assert [h.path for h in store.open(1).documents()] == ["other.md"]
    number = store.rollback(1)
    assert [h.path for h in store.open(number).documents()] == ["other.md"]


def test_what_lay_hidden_under_the_document_does_not_come_to_light(tmp_path: Path) -> None:
    """b.md's first text is purged as a copy of c.md; the text before that one must not show up in its stead."""
    first = make_record(SOURCE, "b.md", [("Rules", ["leave"])])
    second = make_record(SOURCE, "b.md", [("Rules", ["salary zqsecond"])])
    third = make_record(SOURCE, "b.md", [("Rules", ["badge"])])
    copy = make_record(SOURCE, "c.md", [("Rules", ["salary zqsecond"])])
    filler = [make_record(SOURCE, f"f{n}.md", [("Rules", ["laptop " * 50])]) for n in range(4)]
    store = play(tmp_path, [
        ({"b.md": first, **{r.path: r for r in filler}}, {}, []), ({"b.md": second}, {}, []),
        ({"b.md": third, "c.md": copy}, {}, []),
    ])
    IndexPurge(tmp_path, store.versions, [(SOURCE, "c.md")]).run()
    assert store.open(1).record(SOURCE, "b.md").text == first.text
    assert store.open(2).record(SOURCE, "b.md") is None
    assert store.open(3).record(SOURCE, "b.md").text == third.text
    assert grep(tmp_path, ["zqsecond"]) == []


def documents(store: IndexStore, number: int) -> dict[str, str]:
    version = store.open(number)
    return {h.path: version.record(*h.place).text for h in version.documents()}


@pytest.mark.parametrize("began_at", ["b.md", "c.md"])
def test_another_document_that_once_held_the_same_bytes_keeps_its_own_former_texts(
    tmp_path: Path, began_at: str
) -> None:
    """b.md lives on. For one version it held the bytes of a.md, in rows that it shares with its other texts."""
    secret = ["budget travel leave", "salary zqsecret"]
    first, last = ["budget travel leave", "plan zqfirst"], ["budget travel leave", "plan zqlast"]

    def b(texts: list[str], path: str = "b.md") -> dict[str, Any]:
        return {path: make_record(SOURCE, path, [("Rules", texts)])}

    a = make_record(SOURCE, "a.md", [("Rules", secret)])
    moved = {} if began_at == "b.md" else {"b.md": began_at}
    store = play(tmp_path, [({"a.md": a, **b(first, began_at)}, {}, []), (b(secret), moved, []), (b(last), {}, [])])
    rows = [set(h.serials) for h in read_holdings(IndexFiles(tmp_path), store.versions).documents
            if h.header.path != "a.md"]
    assert len(rows) == 3 and set.intersection(*rows)       # or the rows would lead nowhere
    before = {n: documents(store, n) for n in (1, 2, 3)}
    IndexPurge(tmp_path, store.versions, [(SOURCE, "a.md")]).run()
    assert documents(store, 1) == {began_at: before[1][began_at]}
    assert documents(store, 2) == {}
    assert documents(store, 3) == {"b.md": before[3]["b.md"]}
    assert grep(tmp_path, ["zqsecret"]) == [] and grep(tmp_path, ["zqfirst"]) and grep(tmp_path, ["zqlast"])


def test_of_a_document_that_was_split_the_part_that_stayed_keeps_the_past(tmp_path: Path) -> None:
    whole = make_record(SOURCE, "b.md", [("Rules", ["budget", "travel", "only zqwhole knows"])])
    part = make_record(SOURCE, "a.md", [("Rules", ["budget", "only zqpart knows"])])
    rest = make_record(SOURCE, "b.md", [("Rules", ["travel", "only zqrest knows"])])
    store = play(tmp_path, [({"b.md": whole}, {}, []), ({"a.md": part, "b.md": rest}, {"a.md": "b.md"}, ["b.md"])])
    rows = {h.header.hash: set(h.serials) for h in read_holdings(IndexFiles(tmp_path), store.versions).documents}
    assert rows[whole.hash] & rows[part.hash] and rows[whole.hash] & rows[rest.hash]
    IndexPurge(tmp_path, store.versions, [(SOURCE, "a.md")]).run()
    assert documents(store, 1) == {"b.md": whole.text} and documents(store, 2) == {"b.md": rest.text}
    assert grep(tmp_path, ["zqpart"]) == []


@pytest.mark.parametrize("noted", [(), (EMPTY,)])
def test_two_documents_that_were_both_empty_once_are_two_documents(tmp_path: Path, noted: tuple[str, ...]) -> None:
    """Or both could not be read: their hash says nothing, also if a note of the purge names it."""
    def empty(path: str) -> Any:
        return make_record(SOURCE, path, [], hash=EMPTY)

    def full(path: str, word: str) -> Any:
        return make_record(SOURCE, path, [("Rules", [f"only {word} knows"])])

    store = play(tmp_path, [
        ({path: empty(path) for path in ("a.md", "b.md")}, {}, []),
        ({"a.md": full("a.md", "zqa"), "b.md": full("b.md", "zqb")}, {}, []),
    ])
    index = IndexPurge(tmp_path, store.versions, [(SOURCE, "a.md")], noted, {EMPTY})
    assert index.lineage.copies == () and {place for place, _ in index.lineage.contents} == {(SOURCE, "a.md")}
    index.run()
    assert list(documents(store, 1)) == list(documents(store, 2)) == ["b.md"]
    assert grep(tmp_path, ["zqa"]) == [] and grep(tmp_path, ["zqb"])


def test_what_only_a_version_that_is_no_longer_kept_holds_does_not_stay(tmp_path: Path) -> None:
    """Its folders are still on the disk. Neither its rows nor its words may hide what is to go with the document."""
    shared = "nobody may ever learn of zqpay"

    def both(word: str, of_b: str) -> dict[str, Any]:
        written = {path: make_record(SOURCE, path, [("Rules", texts)]) for path, texts in {
            "a.md": ["leave", shared, word], "b.md": ["budget travel", of_b]}.items()}
        for n in range(20):             # their rows stay where they are, so that nothing is merged
            written[f"{n}.md"] = make_record(SOURCE, f"{n}.md", [("Rules", [f"laptop {n}"])], title=word)
        return written

    store = play(tmp_path, [(both("old", shared + " and of zqold"), {}, []), (both("new", "badge"), {}, [])])
    manifests = [store.manifest(n) for n in (1, 2)]
    assert not {f.id for f in manifests[0].parts} & {f.id for f in manifests[1].parts}
    assert {f.id for f in manifests[0].segments} & {f.id for f in manifests[1].segments}    # with a row for nobody
    store.versions.retire(1)
    index = IndexPurge(tmp_path, store.versions, [(SOURCE, "a.md")])
    remains = index.remains()
    hashes = {h.header.hash for h in remains.staying if h.header.path == "b.md"}
    assert hashes == {both("", "badge")["b.md"].hash}
    assert not any(b"zqold" in text for text in remains.others())
    assert len(remains.kept_keys) == 20 + 2                 # of "budget travel" and "badge": other vectors are to go
    index.run()
    assert grep(tmp_path, ["zqold", "zqpay"]) == []


def test_a_publish_that_was_under_way_loses(tmp_path: Path) -> None:
    store = play(tmp_path, [({"a.md": Paper("a.md", (("Rules", ("zqword",)),)).record}, {}, [])])
    base = store.open_current()
    row = store.versions.allocate(1)
    IndexPurge(tmp_path, store.versions, [(SOURCE, "a.md")]).run()
    assert store.versions.rows()[row.number - 1].state == "abandoned"
    del base
    assert grep(tmp_path, ["zqword"]) == []


def test_a_version_that_cannot_be_read_stops_it_before_anything_changed(tmp_path: Path) -> None:
    store = play(tmp_path, [({"a.md": Paper("a.md", (("Rules", ("zqword",)),)).record}, {}, []),
                            ({"b.md": Paper("b.md", (("Rules", ("badge",)),)).record}, {}, [])])
    (tmp_path / "versions" / "1" / "manifest.json").write_text("{}")
    with pytest.raises(Damaged, match="version 1 cannot be searched"):
        IndexPurge(tmp_path, store.versions, [(SOURCE, "a.md")])
    (tmp_path / "versions" / "1" / "manifest.json").unlink()        # the cure that the error names
    IndexPurge(tmp_path, store.versions, [(SOURCE, "a.md")]).run()
    assert grep(tmp_path, ["zqword"]) == []


def test_the_oracle_sees_a_row_that_was_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted bug: rows of the document stay in the segments; nobody points at them, and their words are left."""
    store = play(tmp_path, [({"a.md": paper("a.md", ("leave",), "zqword"), "b.md": paper("b.md", (), "zqb")}, {}, [])])
    monkeypatch.setattr(module.IndexPurge, "_narrowed", lambda self, segment, needed: segment.folder.entry)
    index = IndexPurge(tmp_path, store.versions, [(SOURCE, "a.md")])
    traces = index.remains().fingerprints
    index.run()
    assert grep(tmp_path, ["zqword"]) and grep(tmp_path, [], traces.vectors | traces.keys)


