"""Pairs of worlds that differ only in documents an audience may not read.

`drawing.world_pairs` draws a `Pair`; `open_world` publishes one side of it,
batch by batch, into a home of its own; `observing.observe` writes down
everything that side lets the audience see, bit by bit. Whatever is built on
an index is tested by comparing what it makes of both sides.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from two_world.stand_ins import FixedPermissions, HashEncoder, MemoryVectors, MemoryVersions

from indexers.building.changes import model_inputs
from indexers.live_index import LiveIndex
from indexers.publishing.index_store import IndexStore, OpenVersion
from indexers.purging.purge import IndexPurge
from indexers.search.engines import LexicalEngine
from vouch.access import Audience, Directory, Permissions, Person, Rule, RuleBook
from vouch.adapters.analyser import SnowballAnalyser
from vouch.documents.chunk import Chunk, chunk_id
from vouch.documents.document import DocumentRecord
from vouch.documents.instructions import orders_a_model
from vouch.ports.stores import PermissionStore

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SOURCE = "hall"
_WORDS = """budget travel leave salary merger badge laptop policy approval deadline vendor invoice
retro launch secret grade lawyer 2026 getUserName comp7107a"""
WORDS = _WORDS.split()
FOLDERS = ("open", "team", "people", "board")
RULES = RuleBook((
    Rule("open/**", frozenset({"public"})),
    Rule("team/**", frozenset({"group:staff"})),
    Rule("people/**", frozenset({"group:people"})),
    Rule("board/**", frozenset({"user:cy@acme.test"})),
))
DIRECTORY = Directory(
    {"ana@acme.test": Person(("staff",)), "bo@acme.test": Person(("people",)), "cy@acme.test": Person(("staff",))},
    {"people": ("staff",)},
)
PERMISSIONS = Permissions.settled(1, {SOURCE: RULES}, DIRECTORY)
PUBLIC = DIRECTORY.audience(["public"], NOW)
AUDIENCES = (["public"], ["user:ana@acme.test"], ["user:bo@acme.test"], ["user:ana@acme.test", "user:cy@acme.test"],
             ["user:cy@acme.test"], ["group:staff", "user:bo@acme.test"])
NARROWINGS = (None, None, None, frozenset({"group:people"}), frozenset({"user:ana@acme.test"}))
ANALYSER = SnowballAnalyser()
REFERENCE_LENGTH = 8.0


@dataclass(frozen=True)
class Paper:
    """A document in a few words: sections of (heading, passages)."""

    path: str
    sections: tuple[tuple[str, tuple[str, ...]], ...]
    narrowed: frozenset[str] | None = None

    @property
    def record(self) -> DocumentRecord:
        return make_record(SOURCE, self.path, self.sections, self.narrowed)


@dataclass(frozen=True)
class Batch:
    """One publish: papers written, papers moved there from an old path, paths removed."""

    written: tuple[Paper, ...] = ()
    moved: Mapping[str, str] = field(default_factory=dict)
    removed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Detour:
    """A batch that is published and then rolled back."""

    batch: Batch


@dataclass(frozen=True)
class Compaction:
    """Everything is written anew, without what no version needs."""


@dataclass(frozen=True)
class Purge:
    """A paper is forgotten: taken out of every version."""

    path: str


Step = Batch | Detour | Compaction | Purge


@dataclass(frozen=True)
class Pair:
    """Two histories that end in the same visible documents; `tags` are the audience."""

    tags: tuple[str, ...]
    question: str
    first: tuple[Step, ...]
    second: tuple[Step, ...]

    @property
    def audience(self) -> Audience:
        return DIRECTORY.audience(self.tags, NOW)

    @property
    def rival(self) -> tuple[Step, ...] | None:
        """The side with a hidden paper that would come out on top, if there is one."""
        sides = (self.first, self.second)
        return next((side for side in sides if any(p.path.endswith("rival.md") for p in written(side))), None)


def written(steps: Sequence[Step]) -> list[Paper]:
    """Every paper that was published to stay."""
    purged = {step.path for step in steps if isinstance(step, Purge)}
    return [p for step in steps if isinstance(step, Batch) for p in step.written if p.path not in purged]


@dataclass
class World:
    store: IndexStore
    index: LiveIndex
    encoder: HashEncoder
    permissions: FixedPermissions


def make_record(
    source: str,
    path: str,
    sections: Sequence[tuple[str, Sequence[str]]],
    narrowed: frozenset[str] | None = None,
    **facts: Any,
) -> DocumentRecord:
    """A record of one chunk per passage, with true offsets, lines and ids."""
    text, chunks = "", []
    seen: dict[tuple[str, str], int] = {}
    for heading, passages in sections:
        text += f"# {heading}\n"
        for passage in passages:
            start, line = len(text), text.count("\n") + 1
            occurrence = seen.get((heading, passage), 0)
            seen[heading, passage] = occurrence + 1
            text += passage
            chunks.append(Chunk(chunk_id(source, path, (heading,), passage, occurrence), (heading,), start, len(text),
                                line, text.count("\n") + 1, len(chunks), has_table="|" in passage,
                                injection=orders_a_model(passage)))
            text += "\n"
    facts = {"hash": input_hash(text), "title": sections[0][0] if sections else "", **facts}
    return DocumentRecord(source, path, state="indexed", text=text, chunks=tuple(chunks), narrowed=narrowed, **facts)


def input_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


Engines = Callable[[Path, PermissionStore], LexicalEngine]


def open_world(
    home: Path, steps: Sequence[Step], permissions: Permissions = PERMISSIONS, encoder: Any = None,
    engines: Engines | None = None,
) -> World:
    """Carries out `steps` one after the other; without an `encoder`, with one made of hashes.

    `engines` makes the lexical engine of the home; without it, posting lists are searched in the segments.
    """
    held = FixedPermissions(permissions)
    engine = engines(home, held) if engines else None
    store = IndexStore(home, MemoryVersions(), ANALYSER, REFERENCE_LENGTH, lexical=engine)
    encoder = encoder or HashEncoder()
    vectors = MemoryVectors(encoder)
    for step in steps:
        carry_out(home, store, vectors, step)
    return World(store, LiveIndex(store, held, lambda: NOW), encoder, held)


def carry_out(home: Path, store: IndexStore, vectors: MemoryVectors, step: Step) -> None:
    match step:
        case Batch():
            publish(store, vectors, [p.record for p in step.written], step.moved, step.removed)
        case Detour():
            before = store.versions.current()
            carry_out(home, store, vectors, step.batch)
            if before is not None:
                store.rollback(before)
        case Compaction():
            store.compact()
        case Purge():
            purge = IndexPurge(home, store.versions, [(SOURCE, step.path)], lexical=store.lexical)
            if not purge.lineage.copies:                # a person would be asked about those first
                purge.run()


def publish(
    store: IndexStore,
    vectors: MemoryVectors,
    records: Sequence[DocumentRecord],
    moved: Mapping[str, str] | None = None,
    removed: Sequence[str] = (),
    cursor: int = 0,
    base: OpenVersion | None = None,
) -> Any:
    """One publish on top of `base` (default: the current version); paths are of one source."""
    vectors.learn([text for record in records for text in model_inputs(record)])
    return store.publish(
        base or store.open_current(),
        changed=records,
        moved={(SOURCE, new): old for new, old in (moved or {}).items()},
        removed=[(SOURCE, path) for path in removed],
        cursors={SOURCE: {"at": cursor}},
        fingerprints=store.fingerprints(HashEncoder.fingerprint, "by hand"),
        vectors=vectors.get,
    )


def hidden(paper: Paper, audience: Audience) -> bool:
    return not audience.may_read(PERMISSIONS.label(SOURCE, paper.path, paper.narrowed))
