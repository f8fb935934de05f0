"""What must hold of a home after sweeps.

Knows nothing of locks: it remembers what was published, and looks at the disk.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from two_world.worlds import ANALYSER

from indexers.publishing.index_store import IndexStore, Keep, OpenVersion
from vouch.adapters.ledger import Ledger, open_ledger
from vouch.documents.manifest import Manifest


@dataclass
class Oracle:
    """`content` and `manifests` are what each version was when it was published."""

    home: Path
    ledger: Ledger
    content: dict[int, dict[str, str]] = field(default_factory=dict)
    manifests: dict[int, Manifest] = field(default_factory=dict)

    def learn(self, version: OpenVersion) -> None:
        self.content[version.number] = texts_of(version)
        self.manifests[version.number] = version.manifest

    def at(self, home: Path) -> "Oracle":
        """The same for a copy of the home."""
        return replace(self, home=home, ledger=open_ledger(home / "ledger.sqlite"))

    def store(self, keep: int) -> IndexStore:
        """As another process finds it; it keeps the newest `keep` versions."""
        return IndexStore(self.home, self.ledger.versions, ANALYSER, 8.0, Keep(keep, 0))

    def published(self) -> list[int]:
        return [row.number for row in self.ledger.versions.rows() if row.state == "published"]

    def due(self, keep: int) -> list[int]:
        """Versions that a sweep may retire, unless somebody has them open."""
        return [number for number in self.published()[:-keep] if number != self.ledger.versions.current()]

    def not_whole(self, held: set[int]) -> Iterator[str]:
        """What is wrong with versions that are published, or `held` open by somebody."""
        for number in sorted(held):
            for place, entry in self._folders(number):
                gone = [f.name for f in entry.files if not (self.home / place / entry.id / f.name).is_file()]
                yield from (f"version {number} is open and lacks {place}/{entry.id}/{name}" for name in gone)
        for number in self.published():
            found = self.store(1).verify(number)
            yield from (f"version {number}: {told}" for told in found)
            if not found and texts_of(self.store(1).open(number)) != self.content[number]:
                yield f"version {number} has other documents than were published"

    def not_swept(self, held: set[int]) -> Iterator[str]:
        """Folders that no version needs which is published or `held`, and needed ones that are not there."""
        needed = set()
        for number in {*self.published(), *held}:
            needed |= {f"{place}/{entry.id}" for place, entry in self._folders(number)} | {f"versions/{number}"}
        there = {f"{kind}/{p.name}" for kind in ("segments", "parts", "versions") for p in (self.home / kind).iterdir()}
        yield from (f"orphan: {name}" for name in sorted(there - needed))
        yield from (f"missing: {name}" for name in sorted(needed - there))

    def _folders(self, number: int) -> Iterator[tuple[str, object]]:
        manifest = self.manifests[number]
        yield from (("segments", entry) for entry in manifest.segments)
        yield from (("parts", entry) for entry in manifest.parts)


def texts_of(version: OpenVersion) -> dict[str, str]:
    return {h.path: version.record(*h.place).text for h in version.documents()}     # type: ignore[union-attr]
