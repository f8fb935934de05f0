"""What happens to a pair of homes: to both alike, or to one of them where no observer may see it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from random import Random

from homes.living_home import LivingHome, damaged
from two_world.folders import MEMBERS, SOURCES, VAULT, Folders
from two_world.hostile import FOLDERS
from two_world.pages import Page, all_of, drawn, edited

from vouch.access import PUBLIC
from vouch.errors import Guarded, VouchError

SHARED = (
    "change_rules", "change_rules", "break_rules", "change_people", "leave_group", "close_folder", "time_passes",
    "add", "edit", "edit", "narrow", "spoil", "copy", "move", "delete", "sink", "sink", "surface",
    "ingest", "ingest", "ingest", "ingest_guarded", "ingest_paths", "rollback", "rollback", "release", "sweep",
    "compact", "purge", "ask", "ask", "post",
)
OWN = (
    "own_add", "own_add", "own_copy", "own_edit", "own_edit", "own_move", "own_delete", "own_spoil", "own_purge",
    "own_ingest", "own_ingest", "own_compact",
)


class Moves(Folders):
    """Each public method below is one thing that happens; `rng` decides which of its kind."""

    # to both, by people

    def change_rules(self) -> None:
        opened = {"**": self.rng.choice(([PUBLIC], [PUBLIC], [PUBLIC], ["group:h|r"], []))}
        opened |= {folder: self.rng.sample((PUBLIC, *MEMBERS, "group:h|r"), self.rng.randint(1, 2))
                   for folder in self.rng.sample(FOLDERS, self.rng.randint(0, 2))}
        self.put_rules(self.rng.choice(SOURCES), opened)

    def break_rules(self) -> None:
        source, gone = self.rng.choice(SOURCES), self.rng.random() < 0.5
        self.both(lambda home: home.break_rules(source, gone=gone))
        self.pending = True

    def change_people(self) -> None:
        self.people()

    def leave_group(self) -> None:
        """For good."""
        tag = self.rng.choice(sorted(MEMBERS))
        self.holds[tag] -= {"group:h|r"}
        self.people()

    def close_folder(self) -> None:
        """For good; what lies there may differ from now on, if an ingest knows that it lies there."""
        used = sorted({(source, path.partition("/")[0]) for source, path, _ in all_of(self.common)} - self.closed)
        source, folder = self.rng.choice(used or [(SOURCES[0], FOLDERS[0])])
        was_pending = self.pending
        self.closed.add((source, folder))
        self.put_rules(source, self.rules[source])
        if not was_pending:
            self.become_secrets()

    def time_passes(self) -> None:
        by = self.rng.choice((timedelta(seconds=5), timedelta(seconds=40), timedelta(days=2)))
        self.both(lambda home: home.later(by))

    def add(self) -> None:
        self.put(self.rng.choice(SOURCES), self.new_path(self.rng), drawn(self.rng, self.new_mark()))

    def edit(self) -> None:
        for source, path, page in self.one(self.common):
            self.put(source, path, edited(self.rng, page))

    def narrow(self) -> None:
        for source, path, page in self.one(self.common, least=2):
            tags = self.rng.choice((None, self.hidden_tags(self.rng), frozenset({"group:h|r"}), frozenset({PUBLIC})))
            self.put(source, path, replace(page, narrowed=tags, broken=False))

    def spoil(self) -> None:
        for source, path, page in self.one(self.common, least=2):
            self.put(source, path, replace(page, broken=True))

    def copy(self) -> None:
        for source, _, page in self.one(self.common):
            self.copied.add(page.mark)
            self.put(source, self.new_path(self.rng), page)

    def move(self) -> None:
        for source, path, _ in self.one(self.common, least=2):
            self.put(source, self.new_path(self.rng), self.take(source, path))

    def delete(self) -> None:
        for source, path, _ in self.one(self.common, least=2):
            self.take(source, path)

    def sink(self) -> None:
        """A shared document moves to where no observer may read."""
        for source, path, _ in self.one(self.common, least=2):
            self.put(source, self.new_path(self.rng, VAULT), self.take(source, path))

    def surface(self) -> None:
        """A secret of one world appears where it may be read, in the other one as something new."""
        number = self.rng.randint(0, 1)
        for source, path, page in self.one(self.secrets[number]):
            self.copied.add(page.mark)
            if self.rng.random() < 0.5 and not page.rows:
                del self.secrets[number][source][path]
                self.homes[number].take(source, path)
            self.put(source, self.new_path(self.rng), replace(page.plain, rows=0))

    # to both, by vouch

    def ingest(self) -> None:
        self.ingest_both()

    def ingest_guarded(self) -> None:
        """How much of a source is lost counts hidden documents too: then an administrator has to allow it."""
        for home in self.homes:
            try:
                home.ingest(SOURCES, guarded=True)
            except Guarded:
                continue
        self.ingest_both()

    def ingest_paths(self) -> None:
        source = self.rng.choice(SOURCES)
        paths = sorted(self.common[source])
        chosen = self.rng.sample(paths, min(2, len(paths)))
        self.both(lambda home: home.ingest([source], chosen))

    def rollback(self) -> None:
        if states := self.eligible():
            state = self.rng.choice(states)
            way = self.rng.choice(({"hide": True}, {"hide": True}, {"allow_widening": True}))
            places = zip(self.homes, state, strict=True)
            if self.alike([partial(home.rollback, n, **way) for home, n in places]):
                self.aligned = (self.homes[0].current, self.homes[1].current)
                self.pending = True

    def release(self) -> None:
        self.both(LivingHome.release)

    def sweep(self) -> None:
        self.both(lambda home: home.store.sweep())

    def compact(self) -> None:
        self.alike([home.store.compact for home in self.homes])

    def purge(self) -> None:
        """Of a shared document, which no other place ever had a copy of."""
        for source, path, page in self.one(self.common, least=2):
            if page.mark not in self.copied and not self.pending:
                self.take(source, path)
                self.alike([partial(home.purge, source, path) for home in self.homes])

    def alike(self, acts: Sequence[Callable[[], object]]) -> bool:
        """Whether both went through; if only one did, what is shared is not what it should be."""
        first, second = map(went, acts)
        assert first == second
        return first

    # to one of them

    def own(self) -> tuple[int, Random]:
        return self.rng.randint(0, 1), self.rng

    def own_add(self) -> None:
        number, rng = self.own()
        self.put_secret(number, rng.choice(SOURCES), drawn(rng, self.new_mark()))

    def own_copy(self) -> None:
        """Of something shared, known to vouch before that moves: a move is told by its bytes."""
        number, _ = self.own()
        for source, _, page in self.one(self.common):
            self.copied.add(page.mark)
            path = self.put_secret(number, source, page)
            self.homes[number].ingest([source], [path])

    def own_edit(self) -> None:
        number, rng = self.own()
        for source, path, page in self.one(self.secrets[number]):
            self._rewrite(number, source, path, edited(rng, page))

    def own_spoil(self) -> None:
        number, _ = self.own()
        for source, path, page in self.one(self.secrets[number]):
            self._rewrite(number, source, path, replace(page, broken=True))

    def _rewrite(self, number: int, source: str, path: str, page: Page) -> None:
        self.secrets[number][source][path] = page
        self.homes[number].put(source, path, page)

    def own_move(self) -> None:
        number, _ = self.own()
        for source, path, _ in self.one(self.secrets[number]):
            self.homes[number].take(source, path)
            self.put_secret(number, source, self.secrets[number][source].pop(path))

    def own_delete(self) -> None:
        number, _ = self.own()
        for source, path, _ in self.one(self.secrets[number]):
            self.homes[number].take(source, path)
            del self.secrets[number][source][path]

    def own_purge(self) -> None:
        """Of what never was anybody else's; refused while vouch knows nothing of it."""
        number, _ = self.own()
        for source, path, page in self.one(self.secrets[number]):
            if page.mark not in self.copied | self.shared:
                self.homes[number].take(source, path)
                del self.secrets[number][source][path]
                self.purged.add(page.mark)
                went(partial(self.homes[number].purge, source, path, with_copies=False))

    def own_ingest(self) -> None:
        """Of its secrets alone; of everything where nothing shared waits to be found."""
        number, _ = self.own()
        if not self.pending:
            self.homes[number].ingest(SOURCES)
            return
        for source, pages in self.secrets[number].items():
            if pages:
                self.homes[number].ingest([source], sorted(pages))

    def own_compact(self) -> None:
        number, _ = self.own()
        went(self.homes[number].store.compact)

    def own_bulk(self) -> None:
        """More than a thousand rows that no observer may read."""
        number, rng = self.own()
        self.put_secret(number, rng.choice(SOURCES), drawn(rng, self.new_mark(), rows=1_100))

    def add_large(self) -> None:
        """As many rows as a block of bounds holds, and some more."""
        self.put(self.rng.choice(SOURCES), self.new_path(self.rng), drawn(self.rng, self.new_mark(), rows=90))

    # damage

    def purge_unseen(self) -> None:
        """A purge in one home rewrites the version that both serve; nobody looks before what came after is damaged."""
        number, _ = self.own()
        known = [one for one in all_of(self.secrets[number])
                 if one[2].mark not in self.copied | self.shared and not one[2].broken]
        files = self.damages() if known and not self.pending else None
        if not files:
            return
        source, path, _ = self.rng.choice(known)
        del self.secrets[number][source][path]
        self.homes[number].take(source, path)
        went(partial(self.homes[number].purge, source, path, with_copies=False))
        restores = [damaged(file_of(home, "segments")) for home in self.homes]
        self.both(lambda home: home.later(timedelta(seconds=31)))
        self.observe("after purge_unseen")
        for restore in restores:
            restore()
        self.both(lambda home: home.later(timedelta(seconds=31)))

    def observe(self, when: str) -> None:
        """What observers see."""
        raise NotImplementedError

    def damages(self) -> list[tuple[LivingHome, Path]] | None:
        """The same kind of file of both current versions, whose parents have the same shared documents."""
        if self.homes[0].bench.ledger.holds.current() is None:
            self.put(self.rng.choice(SOURCES), f"pub/{self.new_mark()}.md", drawn(self.rng, self.new_mark()))
            self.ingest_both()
        if self.aligned != (self.homes[0].current, self.homes[1].current):
            return None
        kind = self.rng.choice(("manifest", "segments", "parts", "texts"))
        return [(home, file_of(home, kind)) for home in self.homes]


def went(act: Callable[[], object]) -> bool:
    """An administrator may be refused; readers see nothing of that."""
    try:
        act()
    except VouchError:
        return False
    return True


def file_of(home: LivingHome, kind: str) -> Path:
    if kind == "manifest":
        return home.manifest
    files = home.files("segments" if kind == "segments" else "parts", 1)
    return next((file for file in files if kind == "texts" and file.name.startswith("texts")), files[0])
