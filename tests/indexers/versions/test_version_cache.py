"""Which version is opened in place of a damaged one, and that rows are searched in their own version only."""

from dataclasses import replace
from pathlib import Path

import pytest
from two_world.every_row import every_row
from two_world.stand_ins import HashEncoder, MemoryVectors, MemoryVersions
from two_world.worlds import ANALYSER, SOURCE, make_record, publish

from indexers.publishing.index_store import IndexStore
from vouch.documents.document import DocumentRecord
from vouch.errors import Damaged, Denied, Held, NotFound

pytestmark = pytest.mark.usefixtures("quick_disk")


def paper(words: str) -> DocumentRecord:
    return make_record(SOURCE, "open/a.md", [("Rules", (words,))])


@pytest.fixture
def versions() -> MemoryVersions:
    return MemoryVersions()


@pytest.fixture
def vectors() -> MemoryVectors:
    return MemoryVectors(HashEncoder())


@pytest.fixture
def store(tmp_path: Path, versions: MemoryVersions, vectors: MemoryVectors) -> IndexStore:
    """Two versions of one document."""
    store = IndexStore(tmp_path, versions, ANALYSER, 8.0)
    for number, words in enumerate(("travel", "budget"), 1):
        publish(store, vectors, [paper(words)], cursor=number)
    return store


def damage(home: Path, number: int) -> None:
    (home / "versions" / str(number) / "manifest.json").write_bytes(b"damage")


def test_an_abandoned_version_is_never_served_even_when_nothing_else_is_sound(
    store: IndexStore, versions: MemoryVersions, vectors: MemoryVectors, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is whole on the disk, but nobody ever decided that it may be read."""
    def lost(expected: int | None, new: int, **_: object) -> None:
        raise Held("a rollback is in force")

    with monkeypatch.context() as patch, pytest.raises(Held):
        patch.setattr(versions, "swap", lost)
        publish(store, vectors, [paper("never")], cursor=3)
    publish(store, vectors, [paper("leave")], cursor=4)
    assert [row.state for row in versions.rows()] == ["published", "published", "abandoned", "published"]
    assert store.manifest(3).version == 3
    for number in (1, 2, 4):
        damage(tmp_path, number)
    with pytest.raises(Damaged):
        IndexStore(tmp_path, versions, ANALYSER, 8.0).open_current()


def grown(store: IndexStore, vectors: MemoryVectors, last: int) -> None:
    for number in range(3, last + 1):
        publish(store, vectors, [paper(f"leave {number}")], cursor=number)


def test_what_is_older_than_a_retired_version_cannot_be_gone_back_to(
    store: IndexStore, versions: MemoryVersions, vectors: MemoryVectors
) -> None:
    """It is there because somebody has it open; what the retired one took back from readers is not known any more."""
    grown(store, vectors, 3)
    versions.retire(2)
    for act in (store.rollback, store.limits):
        with pytest.raises(NotFound, match="version 1 is older than 2, which is retired"):
            act(1)
    with pytest.raises(NotFound, match="version 2 is retired: there is nothing to go back to"):
        store.rollback(2)
    assert versions.current() == 3


def test_nor_does_it_stand_in_for_a_damaged_one(
    store: IndexStore, versions: MemoryVersions, vectors: MemoryVectors, tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    grown(store, vectors, 3)
    versions.retire(2)
    damage(tmp_path, 3)
    with pytest.raises(Damaged, match="no earlier one is sound"):
        store.open_current()
    assert "version 3 is damaged" in caplog.text and "in place of" not in caplog.text


def test_nor_if_the_sweep_comes_while_it_is_opened(
    store: IndexStore, versions: MemoryVersions, vectors: MemoryVectors, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grown(store, vectors, 4)
    damage(tmp_path, 3)
    damage(tmp_path, 4)
    monkeypatch.setattr(versions, "former_rules", lambda number: versions.retire(3) or {})
    with pytest.raises(Damaged, match="no earlier one is sound"):
        store.open_current()
    assert [row.state for row in versions.rows()] == ["published", "published", "retired", "published"]


def test_a_parent_stands_in_before_a_newer_version_that_is_none(
    store: IndexStore, versions: MemoryVersions, vectors: MemoryVectors, tmp_path: Path
) -> None:
    grown(store, vectors, 3)
    versions._rows[3] = replace(versions._rows[3], parent=1)
    damage(tmp_path, 3)
    version = store.open_current()
    assert version is not None and (version.number, store.standing_in_for(version)) == (1, 3)


def test_rows_of_another_version_are_refused_also_when_there_are_equally_many(
    tmp_path: Path, versions: MemoryVersions, vectors: MemoryVectors
) -> None:
    store = IndexStore(tmp_path, versions, ANALYSER, 8.0)
    publish(store, vectors, [paper("travel")], cursor=1)
    publish(store, vectors, [], cursor=2)                   # the same rows under another number
    first, second = store.open(1), store.open(2)
    assert every_row(first).mask.shape == second.rows.live.shape
    assert second.rows.inside(every_row(second)) is not None
    with pytest.raises(Denied):
        second.rows.inside(every_row(first))
