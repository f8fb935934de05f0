"""Sources that change, people who lose and get rights, and what vouch does meanwhile, held against an oracle."""

import itertools
import os
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import yaml
from faults.revoked_oracle import SOURCES, Disk, Doc, Oracle, Tags, met
from ingest_bench import Bench

from cli.history import History
from flows.purge import purge
from indexers.publish import IndexStore, Keep
from indexers.reader import LiveIndex
from vouch.access import PUBLIC, Directory, Person
from vouch.adapters.access_files import read_rules
from vouch.adapters.access_watch import WatchedPermissions
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.ledger import SourceRow
from vouch.errors import Damaged, Held, VouchError

FOLDERS = ("pub", "h,r", "o'x,public", "büro 2")
TAGS = (PUBLIC, "group:h|r", "user:x|public", "user:ana")
READERS = ((PUBLIC,), ("user:ana",), ("user:x|public",), ("user:ana", "user:x|public"), ("user:x", PUBLIC))
NOW = datetime(2026, 11, 22, tzinfo=UTC)
ANALYSER = SnowballAnalyser()


class RevokedWorld:
    """Each public method is one thing that happens. `wrong` says what is seen that must not be."""

    def __init__(self, place: Path, rng: random.Random) -> None:
        self.rng, self.place = rng, place
        self.bench = Bench(place / "home")
        self.disk: Disk = {source: {} for source in SOURCES}
        self.oracle = Oracle()
        self.names, self.clock = itertools.count(1), itertools.count(1_700_000_000, 10)
        self.contents: dict[int, Disk] = {}
        self.settled = False                    # an ingest of everything was the last thing that happened
        for source in SOURCES:
            (place / source).mkdir()
            self.bench.folder(source, place / source)
            row = SourceRow(source, "folder", str(place / source), str(place / f"{source}.yaml"))
            self.bench.ledger.sources.add(row)
        self.watched = WatchedPermissions(self.bench.ledger.sources, self.bench.ledger.access)
        self.minutes = 0                        # since the first moment; an ingest takes one
        self.index = self._opened()
        for source in SOURCES:
            self._put_rules(source, [("**", [PUBLIC])])
            for _ in range(3):
                self._put(source, self._new_path(), Doc((self._new_word(),)))
        self.people()
        self.ingest_all()

    @property
    def store(self) -> IndexStore:
        return IndexStore(self.bench.home, self.bench.ledger.versions, ANALYSER, 120.0, Keep(2, 0.0))

    @property
    def history(self) -> History:
        return History(self.bench.home, self.bench.ledger, self.store)

    # what people do to the sources

    def rules(self) -> None:
        rules = [(f"{folder}/**", self._tags()) for folder in self.rng.sample(FOLDERS, self.rng.randint(0, 3))]
        self._put_rules(self._source(), [("**", self.rng.choice(([PUBLIC], [PUBLIC], ["group:h|r"], []))), *rules])

    def broken_rules(self) -> None:
        path = self.place / f"{self._source()}.yaml"
        path.unlink(missing_ok=True) if self.rng.random() < 0.5 else path.write_text("rules: [oops")

    def people(self) -> None:
        until = self.rng.choice((None, None, NOW - timedelta(1), NOW + timedelta(1)))
        person = {name: Person(tuple(self.rng.choice(([], ["h|r"]))), until) for name in ("ana", "x|public")}
        self.bench.ledger.access.set_directory(Directory(person, {"h|r": ()}))

    def add(self) -> None:
        self._put(self._source(), self._new_path(), Doc((self._new_word(),), self._narrowing()))

    def edit(self) -> None:
        for source, path, doc in self._one():
            self._put(source, path, replace(doc, words=(*doc.words, self._new_word()), broken=False))

    def narrow(self) -> None:
        for source, path, doc in self._one():
            self._put(source, path, replace(doc, narrowed=self._narrowing(), broken=False))

    def spoil(self) -> None:
        for source, path, doc in self._one():
            self._put(source, path, replace(doc, broken=True))

    def copy(self) -> None:
        for source, _, doc in self._one():
            self._put(source, self._new_path(), doc)

    def move(self) -> None:
        for source, path, doc in self._one():
            self._take(source, path)
            self._put(source, self._new_path(), doc)

    def delete(self) -> None:
        for source, path, _ in self._one():
            self._take(source, path)

    def rename_folder_with_its_rule(self) -> None:
        source, old, new = self._source(), *self.rng.sample(FOLDERS, 2)
        for path, doc in list(self.disk[source].items()):
            if path.startswith(f"{old}/"):
                self._take(source, path)
                self._put(source, path.replace(old, new, 1), doc)
        book = read_rules(self.place / f"{source}.yaml")
        self._put_rules(source, [(r.match.replace(old, new, 1), sorted(r.allow)) for r in book.rules])

    # what vouch does

    def ingest_all(self) -> None:
        if self._ingested(list(SOURCES)):
            self.settled = True

    def ingest_one(self) -> None:
        self._ingested([self._source()])

    def ingest_paths(self) -> None:
        source = self._source()
        changed = [path for path in self.disk[source].keys() | self.oracle.known[source].keys()
                   if self.disk[source].get(path) != self.oracle.known[source].get(path)]
        if changed:
            self._ingested([source], paths=sorted(self.rng.sample(sorted(changed), self.rng.randint(1, len(changed)))))

    def rollback(self) -> None:
        rows = self.bench.ledger.versions.rows()
        number = self.rng.choice([row.number for row in rows if row.state == "published"])
        way = self.rng.choice(({}, {"hide": True}, {"hide": True}, {"allow_widening": True}))
        try:
            new, _ = self.history.rollback(number, self.watched.permissions(), **way)
        except VouchError:
            return
        self.contents[new] = self.contents[number]
        if "allow_widening" in way:
            shown = self.contents[new]
            self.oracle.forgiven = {(s, word) for s in SOURCES for doc in shown[s].values() for word in doc.words}

    def release(self) -> None:
        if self.bench.ledger.holds.current() is not None:
            self.bench.ledger.holds.release()

    def sweep(self) -> None:
        self.store.sweep()

    def compact(self) -> None:
        self._published(self.store.compact)

    def purge(self) -> None:
        for source, path, doc in self._one():
            for other in [other for other, its in self.disk[source].items() if its.words[-1] == doc.words[-1]]:
                self._take(source, other)
            if self._published(partial(purge, self.bench.machines, (source, path), with_copies=True)):
                self.oracle.gone.add(doc.words[-1])

    def damage(self) -> None:
        """A file of the current version changes, people look, and mostly it is restored after that."""
        number = self.bench.ledger.versions.current()
        try:
            manifest = self.store.manifest(number)
        except VouchError:
            return
        files = [self.bench.home / "versions" / str(number) / "manifest.json"]
        files += [self.bench.home / kind / entry.id / file.name
                  for kind, entries in (("parts", manifest.parts), ("segments", manifest.segments))
                  for entry in entries[-2:] for file in entry.files if file.size]
        file = self.rng.choice([path for path in files if path.exists()])
        data = file.read_bytes()
        file.write_bytes(bytes([data[0] ^ 1]) + data[1:])
        self.settled = False
        self.index = self._opened()
        assert list(self.wrong()) == [], f"after damage of {file.name}"
        if self.rng.random() < 0.5:
            self.ingest_paths() if self.rng.random() < 0.5 else self.ingest_one()
            assert list(self.wrong()) == [], f"after an ingest over damage of {file.name}"
        if file.exists():
            file.write_bytes(data)
        self.settled = False

    # what is seen

    def wrong(self) -> Iterator[str]:
        """What some readers see that they must not, and, right after an ingest of everything, miss."""
        permissions = self.watched.permissions()
        self.oracle.look(permissions.rulebooks)
        for tags in READERS:
            audience = permissions.directory.audience(tags, NOW)
            principals = [reader.principals for reader in audience.readers]
            try:
                view = self.index.view(audience)
            except VouchError:
                continue
            seen = set()
            for passage in view.passages([hit.chunk_id for hit in view.lexical(["travel"], 999)]):
                word = re.search(r"word is (\w+) today", passage.text)[1]
                seen.add((passage.source, passage.path, word))
                if not all(self.oracle.allows(passage.source, word, held) for held in principals):
                    yield f"{tags} read {word} at {passage.source}:{passage.path} in version {view.version}"
            if self.settled and seen != (wanted := self._wanted(permissions.rulebooks, principals)):
                yield f"{tags} see {sorted(seen)} instead of {sorted(wanted)}"

    def _wanted(self, books, principals) -> set[tuple[str, str, str]]:
        return {
            (source, path, doc.words[-1]) for source in SOURCES for path, doc in self.disk[source].items()
            if not doc.broken and doc.words[-1] not in self.oracle.gone
            and all(met(((books[source].allowed(path), doc.narrowed),), held) for held in principals)
        }

    # helpers

    def _opened(self) -> LiveIndex:
        """As a process that has just begun; a version in place of a damaged one is looked at again each half minute."""
        return LiveIndex(self.store, self.watched, lambda: NOW + timedelta(minutes=self.minutes))

    def _ingested(self, names: list[str], paths: list[str] | None = None) -> bool:
        self.watched.refresh()                  # as an ingest does before it begins
        books = self.watched.permissions().rulebooks
        self.minutes += 1
        try:
            self.bench.ingest(names, paths=paths, allow_removals=True)
        except VouchError as error:
            assert isinstance(error, Held | Damaged), error
            return False
        for source in names:
            self.oracle.scanned(source, self.disk[source], books, None if paths is None else set(paths))
        self._remember()
        return True

    def _published(self, act) -> bool:
        before = self.bench.ledger.versions.current()
        try:
            act()
        except VouchError:
            return False
        self.contents[self.bench.ledger.versions.current()] = self.contents[before]
        return True

    def _remember(self) -> None:
        self.contents[self.bench.ledger.versions.current()] = {s: dict(d) for s, d in self.oracle.known.items()}

    def _source(self) -> str:
        return self.rng.choice(SOURCES)

    def _one(self) -> Iterator[tuple[str, str, Doc]]:
        """A document, if there is one to spare: an empty folder looks like one that is not mounted."""
        source = self._source()
        if len(self.disk[source]) > 2:
            path = self.rng.choice(sorted(self.disk[source]))
            yield source, path, self.disk[source][path]

    def _tags(self) -> list[str]:
        return self.rng.sample(TAGS, self.rng.choice((0, 1, 1, 1, 2)))

    def _narrowing(self) -> Tags | None:
        return frozenset(self.rng.sample(TAGS, self.rng.randint(1, 2))) if self.rng.random() < 0.6 else None

    def _new_word(self) -> str:
        return f"w{next(self.names)}q"

    def _new_path(self) -> str:
        return f"{self.rng.choice(FOLDERS)}/it's {next(self.names)}, é|.md"

    def _put(self, source: str, path: str, doc: Doc) -> None:
        file = self.place / source / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(doc.text(), "utf-8")
        at = next(self.clock)
        os.utime(file, (at, at))
        self.disk[source][path] = doc

    def _take(self, source: str, path: str) -> None:
        (self.place / source / path).unlink()
        del self.disk[source][path]

    def _put_rules(self, source: str, rules: list[tuple[str, list[str]]]) -> None:
        body = {"rules": [{"match": match, "allow": list(allow)} for match, allow in rules]}
        (self.place / f"{source}.yaml").write_text(yaml.safe_dump(body, allow_unicode=True), "utf-8")
