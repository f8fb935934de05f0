"""A home whose sources are folders, with rules and people, and an index that stays open while all of that changes."""

import os
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol
from zlib import crc32

import yaml

from flows.runs.purge import purge
from homes.ingest_bench import Bench
from indexers.live_index import LiveIndex
from indexers.publishing.index_store import IndexStore, Keep
from services.documents.versions import VersionService
from vouch.access import Directory
from vouch.adapters.access.watched import WatchedPermissions
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.ledger import SourceRow
from vouch.errors import Damaged, Held

NOW = datetime(2100, 1, 1, tzinfo=UTC)      # ahead of the machine's clock, as some look at that one
ANALYSER = SnowballAnalyser()
Rules = Sequence[tuple[str, Iterable[str]]]


FIRST_MOMENT = 1_700_000_000


class Written(Protocol):
    def text(self) -> str: ...


class LivingHome:
    """`disk` is what lies in the folders. What publishes opens the index anew, as another process would."""

    def __init__(self, place: Path, sources: Sequence[str]) -> None:
        self.place, self.now = place, NOW
        self.bench = Bench(place / "home")
        self.disk: dict[str, dict[str, Written]] = {source: {} for source in sources}
        for source in sources:
            (place / source).mkdir()
            self.bench.folder(source, place / source)
            row = SourceRow(source, "folder", str(place / source), str(self.rules_file(source)))
            self.bench.ledger.sources.add(row)
        self.watched = WatchedPermissions(self.bench.ledger.sources, self.bench.ledger.access)
        self.index = self.opened()

    @property
    def store(self) -> IndexStore:
        return IndexStore(self.bench.home, self.bench.ledger.versions, ANALYSER, 120.0, Keep(2, 0.0))

    def opened(self) -> LiveIndex:
        """The index as a process that starts now opens it."""
        return LiveIndex(self.store, self.watched, lambda: self.now)

    @property
    def current(self) -> int:
        number = self.bench.ledger.versions.current()
        assert number is not None
        return number

    def close(self) -> None:
        self.bench.ledger.close()

    # what people do

    def put(self, source: str, path: str, doc: Written) -> None:
        """When a file was changed goes by what it says, so that other files have no part in it."""
        file = self.place / source / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(doc.text(), "utf-8")
        moment = FIRST_MOMENT + crc32(doc.text().encode()) % 10_000_000
        os.utime(file, (moment, moment))
        self.disk[source][path] = doc

    def take(self, source: str, path: str) -> None:
        (self.place / source / path).unlink()
        del self.disk[source][path]

    def rules_file(self, source: str) -> Path:
        return self.place / f"{source}.yaml"

    def put_rules(self, source: str, rules: Rules) -> None:
        body = {"rules": [{"match": match, "allow": list(allow)} for match, allow in rules]}
        self.rules_file(source).write_text(yaml.safe_dump(body, allow_unicode=True), "utf-8")

    def break_rules(self, source: str, *, gone: bool) -> None:
        path = self.rules_file(source)
        path.unlink(missing_ok=True) if gone else path.write_text("rules: [oops")

    def people(self, directory: Directory) -> None:
        self.bench.ledger.access.set_directory(directory)

    def later(self, by: timedelta) -> None:
        self.now += by

    # what vouch does

    def ingest(self, names: Sequence[str], paths: Sequence[str] | None = None, *, guarded: bool = False) -> bool:
        """Whether it was done: a rollback may hold it, and there may be no sound version."""
        self.watched.refresh()                  # as an ingest does before it begins
        try:
            self.bench.ingest(list(names), paths=paths, allow_removals=not guarded)
        except (Held, Damaged):
            return False
        return True

    def rollback(self, number: int, **way: bool) -> int:
        """The new version."""
        history = VersionService(self.bench.home, self.bench.ledger, self.store)
        return history.rollback(number, self.watched.permissions(), **way)[0]

    def release(self) -> None:
        if self.bench.ledger.holds.current() is not None:
            self.bench.ledger.holds.release()

    def purge(self, source: str, path: str, *, with_copies: bool = True) -> None:
        purge(self.bench.components, (source, path), with_copies=with_copies)

    def files(self, kind: str, last: int) -> list[Path]:
        """What the manifest of the current version names of its `last` parts or segments, and is not empty."""
        manifest = self.store.manifest(self.current)
        entries = {"parts": manifest.parts, "segments": manifest.segments}[kind][-last:]
        return [self.bench.home / kind / entry.id / file.name for entry in entries for file in entry.files if file.size]

    @property
    def manifest(self) -> Path:
        return self.bench.home / "versions" / str(self.current) / "manifest.json"


def damaged(file: Path) -> Callable[[], None]:
    """One bit of the file is another from now on, until what is returned is called."""
    data = file.read_bytes()
    file.write_bytes(bytes([data[0] ^ 1]) + data[1:])

    def restore() -> None:
        if file.exists():
            file.write_bytes(data)

    return restore
