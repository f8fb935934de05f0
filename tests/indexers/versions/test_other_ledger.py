"""A home whose ledger was exchanged: nothing that was written with the other one is overwritten, swept or purged."""

from pathlib import Path

import pytest
from two_world.stand_ins import HashEncoder, MemoryVectors, MemoryVersions
from two_world.worlds import ANALYSER, REFERENCE_LENGTH, SOURCE, make_record, publish

from indexers.publishing.index_store import IndexStore, Keep
from indexers.purging.purge import IndexPurge
from indexers.versions.files import IndexFiles
from vouch.access import NOBODY
from vouch.errors import Usage

pytestmark = pytest.mark.usefixtures("quick_disk")


def store_with(home: Path, versions: MemoryVersions) -> IndexStore:
    return IndexStore(home, versions, ANALYSER, REFERENCE_LENGTH, Keep(2, 0))


def put(store: IndexStore, path: str, words: str) -> None:
    publish(store, MemoryVectors(HashEncoder()), [make_record(SOURCE, path, [("Title", [words])])])


def paths(store: IndexStore) -> list[str]:
    version = store.open_current()
    assert version is not None and store.verify(version.number) == []
    return [header.path for header in version.documents()]


@pytest.fixture
def first(tmp_path: Path) -> IndexStore:
    store = store_with(tmp_path, MemoryVersions())
    put(store, "a.md", "travel")
    return store


def test_a_version_of_another_ledger_is_not_overwritten(first: IndexStore, tmp_path: Path) -> None:
    second = store_with(tmp_path, MemoryVersions())
    with pytest.raises(Usage, match="another ledger") as told:
        put(second, "b.md", "salaries")
    assert "VOUCH_LEDGER__URL" in told.value.cure
    assert second.versions.current() is None and paths(first) == ["a.md"]
    assert paths(store_with(tmp_path, first.versions)) == ["a.md"]      # as another process reads it


def test_nor_swept_nor_purged(first: IndexStore, tmp_path: Path) -> None:
    second = store_with(tmp_path, MemoryVersions())
    with pytest.raises(Usage):
        put(second, "b.md", "salaries")                 # its number is abandoned, and the first ledger's is current
    second.sweep()
    assert paths(store_with(tmp_path, first.versions)) == ["a.md"]
    second.versions.swap(None, second.versions.allocate(None).number)   # as an older vouch let it
    for _ in range(2):
        put(first, "a.md", "travel again")
    with pytest.raises(Usage, match="another ledger"):
        IndexPurge(tmp_path, second.versions, [(SOURCE, "b.md")])
    assert paths(store_with(tmp_path, first.versions)) == ["a.md"]


def test_without_the_look_it_would_be_overwritten(
    first: IndexStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted fault."""
    monkeypatch.setattr(IndexFiles, "others", lambda files, number, created_at: False)
    put(store_with(tmp_path, MemoryVersions()), "b.md", "salaries")
    assert paths(store_with(tmp_path, first.versions)) == ["b.md"]


def restored(first: IndexStore) -> MemoryVersions:
    """The first ledger as it was after its first version."""
    versions = MemoryVersions()
    versions._rows = {1: first.versions.rows()[0]}      # type: ignore[attr-defined]
    versions._current = 1
    return versions


def test_of_a_version_that_the_ledger_has_forgotten_nobody_reads_anything(first: IndexStore, tmp_path: Path) -> None:
    """It may be gone back to, but who read it, and what came after it, is not known."""
    put(first, "b.md", "leave")
    assert store_with(tmp_path, restored(first)).limits(2) == {(SOURCE, "a.md"): NOBODY, (SOURCE, "b.md"): NOBODY}


def test_a_restored_ledger_gets_past_the_versions_it_has_forgotten(first: IndexStore, tmp_path: Path) -> None:
    put(first, "b.md", "leave")
    store = store_with(tmp_path, restored(first))
    with pytest.raises(Usage, match="restored"):
        put(store, "c.md", "badge")
    put(store, "c.md", "badge")
    assert paths(store) == ["a.md", "c.md"]
