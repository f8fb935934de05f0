"""Compaction: nothing a reader sees changes by a bit, what is dead is gone, and the work follows the changes."""

import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from homes.memory import folder_in_memory
from hypothesis import given, settings
from two_world.drawing import ANEW, world_pairs
from two_world.observing import observe
from two_world.stand_ins import HashEncoder, MemoryVectors, MemoryVersions
from two_world.worlds import (
    ANALYSER,
    AUDIENCES,
    SOURCE,
    Batch,
    Pair,
    Paper,
    Step,
    World,
    make_record,
    open_world,
    publish,
    written,
)

from indexers.building.build import Build
from indexers.building.merge_policy import DEAD_SHARE
from indexers.parts import document_parts
from indexers.publishing.index_store import IndexStore, OpenVersion
from vouch.errors import Damaged, NotFound

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("quick_disk")]
_SETTINGS = settings(ANEW, max_examples=40)
History = tuple[Step, ...]


def current(store: IndexStore) -> OpenVersion:
    """The version the pointer names. Raises Damaged, and serves no other in its place."""
    number = store.versions.current()
    assert number is not None
    return store.open(number)


def shown(world: World, question: str) -> dict[str, Any]:
    """Everything every audience sees, scores bit by bit, and every document."""
    seen = {f"{tags} {name}": value for tags in AUDIENCES
            for name, value in observe(world, Pair(tuple(tags), question, (), ())).items()}
    version = current(world.store)
    return {**seen, "documents": [version.record(*header.place) for header in version.documents()]}


def compacted(home: Path, world: World, history: History, question: str) -> list[str]:
    """Compacts a world; says what is not as it must be."""
    before, old = shown(world, question), current(world.store)
    done = world.store.compact()
    try:
        new, after = current(world.store), shown(world, question)
    except Damaged as error:
        return [str(error)]
    wrong = [name for name in before if before[name] != after[name]]
    wrong += [] if new.compact else ["not compact"]
    wrong += [] if (done is None) == old.compact else ["made for nothing"]
    wrong += world.store.verify(new.number)
    for name in ("counts", "cursors", "fingerprints", "reference_length", "dimensions"):
        wrong += [name] if getattr(new.manifest, name) != getattr(old.manifest, name) else []
    dead = dead_texts(history, new)
    wrong += [f"dead word {word}" for word in words(dead) - words(alive_texts(new)) if word.encode() in terms(new)]
    return wrong + [f"dead text {text!r}" for text in dead if text in stored(home, new)]


def dead_texts(history: History, version: OpenVersion) -> set[bytes]:
    """Whole texts that once were published and stand in no document now."""
    alive = b"\0".join(alive_texts(version))
    once = {paper.record.text.encode() for paper in written(history)}
    return {text for text in once if text not in alive}


def alive_texts(version: OpenVersion) -> set[bytes]:
    records = [version.record(*header.place) for header in version.documents()]
    return {record.text.encode() for record in records if record}


def words(texts: set[bytes]) -> set[str]:
    return {term for text in texts for term in ANALYSER.terms(text.decode())}


def terms(version: OpenVersion) -> set[bytes]:
    return {term for segment in version.segments for term in segment.postings.terms()}


def stored(home: Path, version: OpenVersion) -> bytes:
    folders = [home / "parts" / entry.id for entry in version.manifest.parts]
    folders += [home / "segments" / entry.id for entry in version.manifest.segments]
    return b"\0".join(file.read_bytes() for folder in folders for file in folder.iterdir())


def with_deaths(history: History) -> History:
    """The history, then a document written anew and one removed."""
    papers = written(history)
    anew = Paper(papers[0].path, (("Rules", ("laptop laptop", "grade 2026")),), papers[0].narrowed)
    return (*history, Batch((anew,), {}, () if papers[-1].path == anew.path else (papers[-1].path,)))


@_SETTINGS
@given(world_pairs())
def test_readers_see_no_bit_of_a_compaction_and_dead_text_is_gone(pair: Pair) -> None:
    history = with_deaths(pair.first)
    with folder_in_memory() as home:
        assert compacted(home, open_world(home, history), history, pair.question) == []


STOCK = tuple(Paper(f"open/{n}.md", (("Rules", (f"travel {n}{n}", "leave", "budget badge")),)) for n in range(9))
DEATHS: History = (Batch(STOCK), Batch((), {}, ("open/3.md",)),
                   Batch((Paper("open/4.md", (("Rules", ("secret merger",)),)),)))


def lost_row(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = Build._used_rows

    def bug(build: Build) -> list[np.ndarray]:
        masks = sound(build)
        masks[0][np.flatnonzero(masks[0])[:1]] = False
        return masks

    monkeypatch.setattr(Build, "_used_rows", bug)


def kept_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Build, "_used_rows", lambda build: [np.ones(s.rows, np.bool_) for s in build.base.segments])


def kept_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = document_parts._write_runs

    def bug(folder: Path, data: str, ends: str, runs: list[bytes]) -> None:
        old = [file.read_bytes() for file in sorted(folder.parent.glob(f"*/{data}"))]
        sound(folder, data, ends, runs)
        with (folder / data).open("ab") as file:
            file.write(b"".join(old))

    monkeypatch.setattr(document_parts, "_write_runs", bug)


@pytest.mark.parametrize(("bug", "found"), [
    (None, ""), (lost_row, "do not fit together"), (kept_rows, "dead word"), (kept_texts, "dead text"),
])
def test_a_compaction_that_loses_rows_or_keeps_dead_ones_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bug: Callable[[pytest.MonkeyPatch], None] | None, found: str
) -> None:
    world = open_world(tmp_path, DEATHS)
    assert not current(world.store).compact
    if bug:
        bug(monkeypatch)
    wrong = compacted(tmp_path, world, DEATHS, "travel merger")
    assert any(found in one for one in wrong) if bug else wrong == []


def test_compaction_is_made_once_and_needs_an_index(tmp_path: Path) -> None:
    world = open_world(tmp_path, ())
    with pytest.raises(NotFound, match="no index yet"):
        world.store.compact()
    world = open_world(tmp_path, DEATHS)
    done = world.store.compact()
    assert done is not None and (done.chunks_added, done.chunks_removed) == (0, 0)
    assert world.store.compact() is None and current(world.store).number == done.version
    assert publish(world.store, MemoryVectors(world.encoder), [STOCK[3].record]).chunks_added == 3


def test_little_stays_dead_and_the_work_follows_the_changes(tmp_path: Path) -> None:
    """Over random histories with growth and decay, checked after every publish against a plain dictionary."""
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    draw = random.Random(seed)
    store = IndexStore(tmp_path, MemoryVersions(), ANALYSER, 8.0)
    vectors = MemoryVectors(HashEncoder())
    holds: dict[str, Any] = {}
    added = died = copied = 0
    most = 2
    for n in range(120):
        growing = n % 40 < 25
        gone = draw.sample(sorted(holds), min(len(holds), draw.randrange(3 if growing else 12)))
        paths = [f"{draw.randrange(60)}.md" for _ in range(draw.randrange(8 if growing else 2))]
        records = {path: make_record(SOURCE, path, [("Rules", [f"travel {draw.randrange(9)}" for _ in range(
            draw.randrange(6))])]) for path in paths}
        gone = [path for path in gone if path not in records]
        done = publish(store, vectors, list(records.values()), removed=gone, cursor=n)
        holds = {path: held for path, held in holds.items() if path not in gone} | records
        version = current(store)
        assert {h.path: version.record(*h.place) for h in version.documents()} == holds
        added, died = added + done.chunks_added, died + done.chunks_removed
        copied += done.rows_written - done.chunks_added
        most = max([most, *(segment.rows for segment in version.segments)])
        for alive in np.split(version.rows.live, version.rows.offsets[1:-1]) if version.segments else []:
            assert np.count_nonzero(~alive) <= DEAD_SHARE * len(alive)
        for part, held in zip(version.parts, version.table.held, strict=True):
            assert part.weights[~held].sum() <= DEAD_SHARE * (part.weights.sum() + 100 * len(part.removed))
        assert len(version.segments) <= 1 + math.log2(most) and len(version.parts) <= 14
        assert copied <= 2.2 * added * math.log2(most) + 10 * died
    assert died > added / 3 and copied
