"""What a publish costs follows its changes: not the number of versions before it, nor that of the documents."""

import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from two_world.stand_ins import HashEncoder, MemoryVectors, MemoryVersions
from two_world.worlds import ANALYSER, SOURCE, make_record, publish

from indexers.parts.tables import DocumentTable
from indexers.publishing.index_store import IndexStore
from indexers.versions.version_cache import VersionCache
from vouch.documents.document import DocumentRecord

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("quick_disk")]
FEW, MANY, VERSIONS, MEASURED = 60, 1000, 150, 16


def calls(act: Callable[[], Any]) -> int:
    """How many functions `act` calls: a measure of work that no other process disturbs."""
    count = 0

    def counting(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counting)
    try:
        act()
    finally:
        sys.setprofile(None)
    return count


class Growing:
    """A store to which one changed document after the other is published."""

    def __init__(self, home: Path, documents: int) -> None:
        self.store = IndexStore(home, MemoryVersions(), ANALYSER, 8.0)
        self.vectors = MemoryVectors(HashEncoder())
        self.documents = documents
        self.edition = 0
        publish(self.store, self.vectors, [self.record(n) for n in range(documents)])

    def record(self, number: int) -> DocumentRecord:
        passages = (f"travel {number}", f"edition {self.edition}", "leave")
        return make_record(SOURCE, f"{number}.md", [("Rules", passages)])

    def change(self) -> None:
        self.edition += 1
        publish(self.store, self.vectors, [self.record(self.edition * 37 % self.documents)])

    def cost(self) -> float:
        """Of a publish and of opening what is current before it: the median, since a few of them merge folders too."""
        return statistics.median(calls(self.change) for _ in range(MEASURED))


def grown(home: Path) -> tuple[float, float]:
    """The cost with few documents and versions, and with many of both."""
    few, many = Growing(home / "few", FEW), Growing(home / "many", MANY)
    for _ in range(8):
        few.change()
    before = few.cost()
    for _ in range(VERSIONS):
        many.change()
    return before, many.cost()


def test_a_publish_costs_the_same_after_many_versions_of_many_documents(tmp_path: Path) -> None:
    few, many = grown(tmp_path)
    print(f"{few:.0f} calls at first, {many:.0f} after {VERSIONS} versions of {MANY} documents")
    assert many <= 1.5 * few


def per_version(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = VersionCache.open_current

    def bug(opener: VersionCache, **options: Any) -> Any:
        for row in opener._versions.rows():
            opener._files.folder(row.number).exists()
        return sound(opener, **options)

    monkeypatch.setattr(VersionCache, "open_current", bug)


def per_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DocumentTable, "find", lambda table, place: {h.place: n for n, h in enumerate(
        table.headers)}.get(place))


@pytest.mark.parametrize("bug", [per_version, per_document])
def test_work_for_every_version_or_document_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bug: Callable[[pytest.MonkeyPatch], None]
) -> None:
    bug(monkeypatch)
    few, many = grown(tmp_path)
    assert many > 1.5 * few
