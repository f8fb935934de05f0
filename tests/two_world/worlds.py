"""Pairs of worlds that differ only in documents an audience may not read.

`world_pairs` draws a `Pair`; `open_world` publishes one side of it, batch by
batch, into a home of its own; `observe` writes down everything that side lets
the audience see, bit by bit. Whatever is built on an index is tested by
comparing what it makes of both sides.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from two_world.machines import FixedPermissions, HashEncoder, MemoryVectors, MemoryVersions

from indexers.assign import model_inputs
from indexers.lexical import LexicalEngine
from indexers.publish import IndexStore, OpenVersion
from indexers.purge import IndexPurge
from indexers.reader import LiveIndex
from indexers.view import LiveView
from vouch.access import Audience, Directory, Permissions, Person, Rule, RuleBook
from vouch.adapters.analyser import SnowballAnalyser
from vouch.documents.chunk import Chunk, chunk_id
from vouch.documents.document import DocumentRecord
from vouch.ports.permission_store import PermissionStore

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
PERMISSIONS = Permissions(1, {SOURCE: RULES}, DIRECTORY)
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
                                line, text.count("\n") + 1, len(chunks), has_table="|" in passage))
            text += "\n"
    facts = {"hash": input_hash(text), "title": sections[0][0] if sections else "", **facts}
    return DocumentRecord(source, path, state="indexed", text=text, chunks=tuple(chunks), narrowed=narrowed, **facts)


def input_hash(text: str) -> str:
    import hashlib

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


def observe(world: World, pair: Pair, make: Callable[..., LiveView] = LiveView) -> dict[str, Any]:
    """All that the audience can see of a world through its view, scores as exact hexadecimal."""
    view = world.index.view(pair.audience)
    view = make(view._version, view.epoch, view._rows, lexical=view._engine)
    terms = ANALYSER.terms(pair.question)
    vector = world.encoder.questions([pair.question])[0]
    seen: dict[str, Any] = {}
    for top in (1, 3, 100):
        seen[f"lexical {top}"] = [(h.chunk_id, h.score.hex()) for h in view.lexical(terms, top)]
        seen[f"dense {top}"] = [(h.chunk_id, h.score.hex()) for h in view.dense(vector, top)]
    everything = [term for word in WORDS for term in ANALYSER.terms(word)]
    seen["statistics"] = view.statistics([*terms, *everything])
    ids = list(dict.fromkeys(chunk_id for chunk_id, _ in seen["lexical 100"] + seen["dense 100"]))
    seen["passages"] = view.passages(ids)
    seen["around"] = [view.around(chunk_id, 1, 2) for chunk_id in ids]
    seen["section"] = [view.same_section(chunk_id) for chunk_id in ids]
    return seen


def observe_among_others(world: World, pair: Pair, make: Callable[..., LiveView] = LiveView) -> dict[str, Any]:
    """The same, while other audiences ask the same question of the same index."""
    others = [replace(pair, tags=tuple(tags)) for tags in AUDIENCES if tuple(tags) != pair.tags]
    with ThreadPoolExecutor(len(others) + 1) as pool:
        asked = [pool.submit(observe, world, other, make) for other in others]
        seen = pool.submit(observe, world, pair, make).result()
        for other in asked:
            other.result()
    return seen


def hidden(paper: Paper, audience: Audience) -> bool:
    return not audience.may_read(PERMISSIONS.label(SOURCE, paper.path, paper.narrowed))


_PASSAGES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)
_SECTIONS = st.lists(
    st.tuples(st.sampled_from(("Rules", "Travel", "People")), st.lists(_PASSAGES, min_size=1, max_size=3).map(tuple)),
    min_size=1,
    max_size=2,
).map(tuple)


@st.composite
def papers(draw: st.DrawFn) -> tuple[Paper, ...]:
    """Papers at different places; some share sections or are copies of each other, so that scores tie."""
    count = draw(st.integers(2, 8))
    stock = draw(st.lists(_SECTIONS, min_size=1, max_size=count))
    return tuple(
        Paper(f"{draw(st.sampled_from(FOLDERS))}/{n}.md", draw(st.sampled_from(stock)),
              draw(st.sampled_from(NARROWINGS)))
        for n in range(count)
    )


@st.composite
def world_pairs(draw: st.DrawFn) -> Pair:
    tags = tuple(draw(st.sampled_from(AUDIENCES)))
    audience = DIRECTORY.audience(tags, NOW)
    question = draw(_PASSAGES)
    drawn = draw(papers())
    seen = [paper for paper in drawn if not hidden(paper, audience)]
    unseen = [paper for paper in drawn if hidden(paper, audience)]
    others = draw(_other_hidden(unseen, seen, audience))
    if draw(st.sampled_from((True, True, True, False))):    # a hidden paper that would come out on top
        others = [*others, *_rivals(question, audience)]
    first = draw(_histories(seen, unseen, audience))
    second = draw(_histories(seen, others, audience))
    return Pair(tags, question, first, second) if draw(st.booleans()) else Pair(tags, question, second, first)


def _rivals(question: str, audience: Audience) -> list[Paper]:
    sections = (("Rules", (question, question)), ("Travel", (f"{question} {question}", question)))
    rivals = [Paper(f"{folder}/rival.md", sections) for folder in FOLDERS]
    return [rival for rival in rivals if hidden(rival, audience)][:1]


@st.composite
def _other_hidden(draw: st.DrawFn, unseen: list[Paper], seen: list[Paper], audience: Audience) -> list[Paper]:
    """The hidden papers of the other world: kept, changed, renamed, dropped and new ones."""
    kept: list[Paper] = []
    for n, paper in enumerate(unseen):
        fate = draw(st.sampled_from(("keep", "change", "rename", "drop")))
        moved = replace(paper, path=f"{paper.path[:-3]}-moved{n}.md")
        changed = replace(paper, sections=draw(_SECTIONS))
        kept += {"keep": [paper], "change": [changed], "rename": [moved], "drop": []}[fate]
    stock = [paper.sections for paper in seen] or [(("Rules", ("budget",)),)]
    for n in range(draw(st.integers(0, 3))):                # copies of what is visible, in hidden places
        paper = Paper(f"{draw(st.sampled_from(FOLDERS))}/new{n}.md", draw(st.sampled_from(stock) | _SECTIONS),
                      draw(st.sampled_from(NARROWINGS)))
        if hidden(paper, audience):
            kept.append(paper)
    return kept


@st.composite
def _histories(draw: st.DrawFn, seen: list[Paper], unseen: list[Paper], audience: Audience) -> tuple[Step, ...]:
    """Some publishes that end in `seen` and `unseen`, with compactions and detours between them.

    Papers may be edited on the way or come from hidden places.
    """
    batches = draw(_publishes(seen, unseen))
    steps: list[Step] = []
    for batch in batches:
        steps.append(batch)
        kind = draw(st.sampled_from(("", "", "", "compaction", "detour", "purge")))
        if kind == "compaction":
            steps.append(Compaction())
        elif kind == "detour":
            steps.append(Detour(draw(_astray(written(steps)))))
        elif kind == "purge":
            secret = Paper(f"board/purged{len(steps)}.md", draw(_SECTIONS), frozenset({"group:nobody"}))
            steps += [Batch((secret,)), Purge(secret.path)]
    return tuple(steps)


@st.composite
def _astray(draw: st.DrawFn, there: list[Paper]) -> Batch:
    """A batch to be regretted: edits, removals and new papers, hidden and visible alike."""
    edited = tuple(replace(paper, sections=draw(_SECTIONS)) for paper in there if draw(st.booleans()))
    new = Paper(f"{draw(st.sampled_from(FOLDERS))}/astray.md", draw(_SECTIONS))
    places = {paper.path for paper in edited}
    gone = tuple({paper.path for paper in there if paper.path not in places and draw(st.booleans())})
    return Batch((*{paper.path: paper for paper in edited}.values(), new), {}, gone)


@st.composite
def _publishes(draw: st.DrawFn, seen: list[Paper], unseen: list[Paper]) -> tuple[Batch, ...]:
    count = draw(st.integers(1, 4))
    put: list[list[Paper]] = [[] for _ in range(count)]
    moved: list[dict[str, str]] = [{} for _ in range(count)]
    removed: list[list[str]] = [[] for _ in range(count)]
    for n, paper in enumerate([*seen, *unseen]):
        last = draw(st.integers(0, count - 1))
        put[last].append(paper)
        if last and draw(st.booleans()):
            before = replace(paper, path=f"board/before{n}.md", narrowed=frozenset({"group:nobody"}))
            edited = replace(paper, sections=draw(_SECTIONS))
            old = draw(st.sampled_from((before, edited)))
            put[draw(st.integers(0, last - 1))].append(old)
            if old.path != paper.path:
                moved[last][paper.path] = old.path
    if count > 1 and draw(st.booleans()):                   # a hidden paper that comes and goes
        passing = Paper("board/passing.md", draw(_SECTIONS), frozenset({"group:nobody"}))
        put[0].append(passing)
        removed[-1].append(passing.path)
    return tuple(Batch(tuple(w), m, tuple(r)) for w, m, r in zip(put, moved, removed, strict=True))
