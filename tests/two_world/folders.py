"""Two homes with one history of rules, people and documents, and besides documents that the observers never may read.

What both share happens to both at the same moments. The secrets of each lie in
a folder that no rule ever opens for an observer, or narrow themselves. Shared
documents become secrets, and may then differ, when a folder is closed for
good, a group is left for good, or they move away or are narrowed for good.
"""

from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

from homes.living_home import NOW, LivingHome
from two_world.hostile import FOLDERS, LEFT_OUT, STEMS
from two_world.pages import Page, Tags, all_of, drawn

from vouch.access import PUBLIC, Directory, Person

SOURCES = ("hall", "desk")
VAULT = "vault"
TAGS = (PUBLIC, "group:h|r", "user:x|public", "user:ana")
NEVER = ("group:vault", "user:zed")                 # held by no observer, whatever happens
MEMBERS = {"user:ana": "ana", "user:x|public": "x|public"}
OBSERVERS = (((PUBLIC,),), (("user:ana",),), (("user:ana", "user:x|public"),), ((PUBLIC,), ("user:x|public",)))


class Folders:
    def __init__(self, place: Path, rng: Random, observers: tuple[tuple[str, ...], ...] | None = None) -> None:
        self.rng = rng
        self.observers = observers or rng.choice(OBSERVERS)
        self.holds = {tag: frozenset({PUBLIC, tag, "group:h|r"}) for tag in MEMBERS} | {PUBLIC: frozenset({PUBLIC})}
        self.common: dict[str, dict[str, Page]] = {source: {} for source in SOURCES}
        self.secrets: tuple[dict[str, dict[str, Page]], ...] = tuple({source: {} for source in SOURCES} for _ in "12")
        self.rules: dict[str, dict[str, list[str]]] = {source: {} for source in SOURCES}
        self.closed: set[tuple[str, str]] = {(source, VAULT) for source in SOURCES}
        self.copied: set[str] = set()               # marks of texts that stand, or stood, at several places
        self.shared: set[str] = set()               # marks of what observers could read at some time
        self.purged: set[str] = set()               # marks of secrets that one world was purged of
        self.states: list[tuple[int, int]] = []     # versions with the same shared documents
        self.pending, self.aligned = False, (0, 0)
        self.numbers = count(1)
        self.homes = tuple(LivingHome(made(place / name), SOURCES) for name in ("first", "second"))
        for source in SOURCES:
            self.put_rules(source, {"**": [PUBLIC]})
            for _ in range(3):
                self.put(source, self.new_path(rng), drawn(rng, self.new_mark()))
        for number in (0, 1):
            for _ in range(rng.randint(1, 2)):
                self.put_secret(number, rng.choice(SOURCES), drawn(rng, self.new_mark()))
        self.people()
        assert self.ingest_both()

    def close(self) -> None:
        for home in self.homes:
            home.close()

    # who may read

    def hidden(self, tags: Tags) -> bool:
        """Whether no observer may read what these tags allow, now and for ever."""
        return all(any(tags.isdisjoint(self.holds[tag]) for tag in audience) for audience in self.observers)

    def hidden_tags(self, rng: Random) -> Tags:
        drawn_tags = frozenset(rng.sample((*TAGS, *NEVER), rng.randint(0, 2)))
        return drawn_tags if self.hidden(drawn_tags) else frozenset({rng.choice(NEVER)})

    def put_rules(self, source: str, opened: dict[str, list[str]]) -> None:
        """Closed folders stay closed, for tags that are drawn anew."""
        self.rules[source] = opened
        rules = [(match if match == "**" else f"{match}/**", tags) for match, tags in opened.items()]
        rules += [(f"{folder}/**", sorted(self.hidden_tags(self.rng)))
                  for there, folder in sorted(self.closed) if there == source]
        self.both(lambda home: home.put_rules(source, rules))
        self.pending = True

    def people(self) -> None:
        """Of now; nobody comes back into a group that was left for good."""
        persons = {"zed": Person(("vault",))}
        for tag, name in MEMBERS.items():
            groups = tuple(self.rng.choice(([], ["h|r"], ["h|r"]))) if "group:h|r" in self.holds[tag] else ()
            until = self.rng.choice((None, None, NOW - timedelta(1), self.homes[0].now + timedelta(1)))
            persons[name] = Person(groups, until)
        self.both(lambda home: home.people(Directory(persons, {"h|r": (), "vault": ()})))

    # documents

    def put(self, source: str, path: str, page: Page) -> None:
        self.common[source][path] = page
        self.shared.add(page.mark)
        self.both(lambda home: home.put(source, path, page))
        self.pending = True

    def take(self, source: str, path: str) -> Page:
        self.both(lambda home: home.take(source, path))
        self.pending = True
        return self.common[source].pop(path)

    def put_secret(self, number: int, source: str, page: Page, *, narrows: bool | None = None) -> str:
        """At a new place of that world, in the closed folder or narrowed by itself, as drawn."""
        narrows = self.rng.random() < 0.5 if narrows is None else narrows
        if narrows:
            page = Page(page.mark, page.first, page.others, self.hidden_tags(self.rng), page.broken, page.rows)
        path = self.new_path(self.rng, self.rng.choice(FOLDERS) if narrows else VAULT)
        self.secrets[number][source][path] = page
        self.homes[number].put(source, path, page)
        return path

    def become_secrets(self) -> None:
        """What is hidden from all observers for good need not be shared any longer."""
        for source, path, page in list(all_of(self.common)):
            narrowed = page.narrowed is not None and not page.broken and self.hidden(page.narrowed)
            if narrowed or (source, path.partition("/")[0]) in self.closed:
                del self.common[source][path]
                for secrets in self.secrets:
                    secrets[source][path] = page

    def one(self, shelf: Any, source: str | None = None, least: int = 0) -> Iterator[tuple[str, str, Page]]:
        """A document of the shelf, if there is one to spare."""
        source = source or self.rng.choice(SOURCES)
        if len(shelf[source]) > least:
            path = self.rng.choice(sorted(shelf[source]))
            yield source, path, shelf[source][path]

    def new_mark(self) -> str:
        return f"w{next(self.numbers)}q"

    def new_path(self, rng: Random, folder: str | None = None) -> str:
        """Most are names that vouch takes."""
        stems = STEMS if rng.random() < 0.9 else LEFT_OUT
        return f"{folder or rng.choice(FOLDERS)}/{rng.choice(stems)} {next(self.numbers)}.md"

    # what vouch does

    def ingest_both(self, *, guarded: bool = False) -> bool:
        """Whether both worlds have now what is shared."""
        done = {home.ingest(SOURCES, guarded=guarded) for home in self.homes}
        if done == {True}:
            self.pending = False
            self.become_secrets()
            self.note()
        return done == {True}

    def note(self) -> None:
        """The current versions have the same shared documents, and so had those before them."""
        self.aligned = (self.homes[0].current, self.homes[1].current)
        self.states.append(self.aligned)

    def eligible(self) -> list[tuple[int, int]]:
        """States that both homes still have whole, and all that came after them."""
        return [state for state in self.states
                if all(kept(home, n) for home, n in zip(self.homes, state, strict=True))]

    def both(self, act: Callable[[LivingHome], Any]) -> list[Any]:
        return [act(home) for home in self.homes]


def kept(home: LivingHome, number: int) -> bool:
    rows = home.bench.ledger.versions.rows()
    return all(row.state != "retired" for row in rows if row.number >= number)


def made(folder: Path) -> Path:
    folder.mkdir()
    return folder
