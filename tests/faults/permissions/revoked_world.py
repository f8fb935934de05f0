"""Sources that change, people who lose and get rights, and what readers see that the oracle does not allow."""

import itertools
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

from faults.permissions.revocation_oracle import SOURCES, Disk, Doc, Oracle, Tags, met
from homes.living_home import NOW, LivingHome, damaged

from vouch.access import PUBLIC, Directory, Person
from vouch.adapters.access.files import read_rules
from vouch.errors import VouchError

FOLDERS = ("pub", "h,r", "o'x,public", "büro 2")
TAGS = (PUBLIC, "group:h|r", "user:x|public", "user:ana")
READERS = ((PUBLIC,), ("user:ana",), ("user:x|public",), ("user:ana", "user:x|public"), ("user:x", PUBLIC))


class RevokedWorld:
    """Each public method is one thing that happens. `wrong` says what is seen that must not be."""

    def __init__(self, place: Path, rng: random.Random) -> None:
        self.rng, self.home = rng, LivingHome(place, SOURCES)
        self.disk: Disk = self.home.disk        # type: ignore[assignment]
        self.oracle = Oracle()
        self.names = itertools.count(1)
        self.contents: dict[int, Disk] = {}
        self.settled = False                    # an ingest of everything was the last thing that happened
        for source in SOURCES:
            self.home.put_rules(source, [("**", [PUBLIC])])
            for _ in range(3):
                self.home.put(source, self._new_path(), self._new_doc())
        self.people()
        self.ingest_all()

    # what people do to the sources

    def rules(self) -> None:
        rules = [(f"{folder}/**", self._tags()) for folder in self.rng.sample(FOLDERS, self.rng.randint(0, 3))]
        self.home.put_rules(self._source(), [("**", self.rng.choice(([PUBLIC], [PUBLIC], ["group:h|r"], []))), *rules])

    def broken_rules(self) -> None:
        self.home.break_rules(self._source(), gone=self.rng.random() < 0.5)

    def people(self) -> None:
        until = self.rng.choice((None, None, NOW - timedelta(1), NOW + timedelta(1)))
        person = {name: Person(tuple(self.rng.choice(([], ["h|r"]))), until) for name in ("ana", "x|public")}
        self.home.people(Directory(person, {"h|r": ()}))

    def add(self) -> None:
        self.home.put(self._source(), self._new_path(), replace(self._new_doc(), narrowed=self._narrowing()))

    def edit(self) -> None:
        for source, path, doc in self._one():
            self.home.put(source, path, replace(doc, words=(*doc.words, self._new_word()), broken=False))

    def insert(self) -> None:
        for source, path, doc in self._one():
            self.home.put(source, path, replace(doc, more=(*doc.more, self._new_word()), broken=False))

    def clear(self) -> None:
        """Some passages go, and the rest stays as it is."""
        for source, path, doc in self._one():
            gone = tuple(self.rng.sample(doc.more, self.rng.randint(0, len(doc.more))))
            more = tuple(word for word in doc.more if word not in gone)
            self.home.put(source, path, replace(doc, more=more, cleared=(*doc.cleared, *gone), broken=False))

    def narrow(self) -> None:
        for source, path, doc in self._one():
            self.home.put(source, path, replace(doc, narrowed=self._narrowing(), broken=False))

    def spoil(self) -> None:
        for source, path, doc in self._one():
            self.home.put(source, path, replace(doc, broken=True))

    def copy(self) -> None:
        for source, _, doc in self._one():
            self.home.put(source, self._new_path(), replace(doc, name=self._new_name(), origin=doc.name))

    def keep_a_copy_and_clear(self) -> None:
        """Often all in one ingest with an edit of the rules, which opens or closes the page."""
        for source, path, doc in self._one():
            self.home.put(source, self._new_path(), replace(doc, name=self._new_name(), origin=doc.name))
            self.home.put(source, path, replace(doc, more=(), cleared=(*doc.cleared, *doc.more), broken=False))
            if self.rng.random() < 0.5:
                self.home.put_rules(source, [("**", self.rng.choice(([PUBLIC], []))), (path, [PUBLIC])])

    def move(self) -> None:
        for source, path, doc in self._one():
            self.home.take(source, path)
            self.home.put(source, self._new_path(), doc)

    def delete(self) -> None:
        for source, path, _ in self._one():
            self.home.take(source, path)

    def rename_folder_with_its_rule(self) -> None:
        source, old, new = self._source(), *self.rng.sample(FOLDERS, 2)
        for path, doc in list(self.disk[source].items()):
            if path.startswith(f"{old}/"):
                self.home.take(source, path)
                self.home.put(source, path.replace(old, new, 1), doc)
        book = read_rules(self.home.rules_file(source))
        self.home.put_rules(source, [(r.match.replace(old, new, 1), sorted(r.allow)) for r in book.rules])

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
        rows = self.home.bench.ledger.versions.rows()
        number = self.rng.choice([row.number for row in rows if row.state == "published"])
        way = self.rng.choice(({}, {"hide": True}, {"hide": True}, {"allow_widening": True}))
        try:
            new = self.home.rollback(number, **way)
        except VouchError:
            return
        self.contents[new] = self.contents[number]
        if "allow_widening" in way:
            shown = self.contents[new]
            self.oracle.forgiven = {(s, word) for s in SOURCES for doc in shown[s].values() for word in doc.ever}

    def release(self) -> None:
        self.home.release()

    def sweep(self) -> None:
        self.home.store.sweep()

    def compact(self) -> None:
        self._published(self.home.store.compact)

    def purge(self) -> None:
        for source, path, doc in self._one():
            others = [its for its in self.disk[source].values() if set(its.standing) & set(doc.standing)]
            known = [its for its in self.oracle.known[source].values() if set(its.standing) & set(doc.standing)]
            for other in [other for other, its in self.disk[source].items() if its in others]:
                self.home.take(source, other)
            copies = all(its.standing == doc.standing for its in (*others, *known))
            if self._published(partial(self.home.purge, source, path)) and copies:
                self.oracle.gone.update(doc.standing)

    def damage(self) -> None:
        """A file of the current version changes, people look, and mostly it is restored after that."""
        try:
            files = [self.home.manifest, *self.home.files("parts", 2), *self.home.files("segments", 2)]
        except VouchError:
            return
        file = self.rng.choice([path for path in files if path.exists()])
        restore = damaged(file)
        self.settled = False
        self.home.index = self.home.opened()
        assert list(self.wrong()) == [], f"after damage of {file.name}"
        if self.rng.random() < 0.5:
            self.ingest_paths() if self.rng.random() < 0.5 else self.ingest_one()
            assert list(self.wrong()) == [], f"after an ingest over damage of {file.name}"
        restore()
        self.settled = False

    # what is seen

    def wrong(self) -> Iterator[str]:
        """What some readers see that they must not, and, right after an ingest of everything, miss."""
        permissions = self.home.watched.permissions()
        self.oracle.look(permissions.rulebooks)
        for tags in READERS:
            audience = permissions.directory.audience(tags, NOW)
            principals = [reader.principals for reader in audience.readers]
            try:
                view = self.home.index.view(audience)
            except VouchError:
                continue
            seen = set()
            for passage in view.passages([hit.chunk_id for hit in view.lexical(["travel"], 999)]):
                for word in re.findall(r"word is (\w+) today", passage.text):
                    seen.add((passage.source, passage.path, word))
                    if not all(self.oracle.allows(passage.source, word, held) for held in principals):
                        yield f"{tags} read {word} at {passage.source}:{passage.path} in version {view.version}"
            if self.settled and seen != (wanted := self._wanted(permissions.rulebooks, principals)):
                yield f"{tags} see {sorted(seen)} instead of {sorted(wanted)}"

    def _wanted(self, books, principals) -> set[tuple[str, str, str]]:
        return {
            (source, path, word) for source in SOURCES for path, doc in self.disk[source].items()
            for word in doc.standing if not doc.broken and not self.oracle.gone & set(doc.standing)
            and all(met((((books[source].allowed(path), doc.narrowed),),), held) for held in principals)
        }

    # helpers

    def _ingested(self, names: list[str], paths: list[str] | None = None) -> bool:
        books = self.home.watched.permissions().rulebooks
        contents = dict(self.contents.get(self._served(), {source: {} for source in SOURCES}))
        self.home.later(timedelta(minutes=1))   # a version in place of a damaged one is looked at again by then
        if not self.home.ingest(names, paths):
            return False
        for source in names:
            disk, had = self.disk[source], contents[source]
            # A path that neither disk nor version has tells nothing: after a rollback its page may stand elsewhere.
            looked = had.keys() | disk.keys() if paths is None else {p for p in paths if p in disk or p in had}
            self.oracle.scanned(source, disk, books, None if paths is None else looked)
            found = {path: disk[path] for path in looked if path in disk}
            contents[source] = {path: doc for path, doc in had.items() if path not in looked} | found
        self.contents[self.home.current] = contents
        return True

    def _served(self) -> int | None:
        """What an ingest goes on from: the current version, or what stands in for it while it is damaged.

        Asked of the index itself: it decides only what an administrator has shown again, never what was granted.
        """
        try:
            opened = self.home.store.open_current()
        except VouchError:
            return None
        return opened.number if opened else None

    def _published(self, act) -> bool:
        before = self.home.current
        try:
            act()
        except VouchError:
            return False
        self.contents[self.home.current] = self.contents[before]
        return True

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

    def _new_doc(self) -> Doc:
        more = tuple(self._new_word() for _ in range(self.rng.choice((0, 1, 1, 2))))
        return Doc((self._new_word(),), more=more, name=self._new_name())

    def _new_name(self) -> str:
        return f"page {next(self.names)}"

    def _new_word(self) -> str:
        return f"w{next(self.names)}q"

    def _new_path(self) -> str:
        return f"{self.rng.choice(FOLDERS)}/it's {next(self.names)}, é|.md"
