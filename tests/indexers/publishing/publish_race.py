"""Run by test_publish_race.py: real processes publish at once into one home, and every version is looked at afterwards.

    OMP_NUM_THREADS=1 PYTHONPATH=tests:. python …/publishing/publish_race.py FOLDER PROCESSES PUBLISHES [blind]
    VOUCH_LEDGER__URL names a ledger elsewhere than in FOLDER, VOUCH_LEXICAL__URL an Elasticsearch.

Each process has a source of its own, adds, edits, renames and removes its
documents, and writes down what each publish was to do. `blind` plants the
bug: the pointer moves without being compared. Prints JSON.
"""

import json
import os
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from running.forked import ended, fork
from two_world.elastic import engines_at
from two_world.every_row import every_row
from two_world.stand_ins import FixedPermissions, HashEncoder, MemoryVectors
from two_world.worlds import ANALYSER, DIRECTORY, make_record

from indexers.building.changes import model_inputs
from indexers.publishing.index_store import IndexStore, OpenVersion
from indexers.search.engines import EmbeddedEngine
from vouch.access import Permissions, Rule, RuleBook
from vouch.adapters.ledger import Ledger, open_ledger
from vouch.documents.document import DocumentRecord
from vouch.errors import Conflict
from vouch.ports.stores import VersionStore

Content = dict[str, str]                # "source:path" → hash
OPEN = RuleBook((Rule("**", frozenset({"public"})),))


class Blind:
    """The planted bug: the last one to write wins."""

    def __init__(self, versions: Any) -> None:
        self._versions = versions

    def swap(self, expected: int | None, new: int) -> None:
        self._versions.swap(self._versions.current(), new)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._versions, name)


class CountingAnalyser:
    fingerprint = ANALYSER.fingerprint

    def __init__(self) -> None:
        self.asked = 0

    def terms(self, text: str) -> list[str]:
        self.asked += 1
        return ANALYSER.terms(text)


def ledger_of(home: Path) -> Ledger:
    return open_ledger(os.environ.get("VOUCH_LEDGER__URL") or home / "ledger.sqlite")


def versions_of(home: Path, blind: bool) -> VersionStore:
    held = ledger_of(home).versions
    return Blind(held) if blind else held  # type: ignore[return-value]


def store_of(home: Path, versions: VersionStore, analyser: Any = ANALYSER) -> IndexStore:
    url = os.environ.get("VOUCH_LEXICAL__URL")
    readers = FixedPermissions(Permissions.settled(1, {f"s{number}": OPEN for number in range(64)}, DIRECTORY))
    lexical = engines_at(url, patience_seconds=60.0)(home, readers) if url else None
    return IndexStore(home, versions, analyser, 8.0, lexical=lexical)


def document(source: str, path: str, edition: int) -> DocumentRecord:
    return make_record(source, path, [("Rules", (f"{source} {path}", f"edition {edition}", "travel budget leave"))])


def steps(source: str, publishes: int) -> Iterator[tuple[list[DocumentRecord], dict[str, str], list[str]]]:
    """(changed, moved: new path → old path, removed paths) of each publish of one process."""
    for n in range(publishes):
        added = document(source, f"{n}.md", n)
        if n % 4 == 1:                  # edits what it added before
            yield [added, document(source, f"{n - 1}.md", n)], {}, []
        elif n % 4 == 2:                # renames it: "n-2.md" was edited in edition n-1
            yield [added, document(source, f"{n - 2}-moved.md", n - 1)], {f"{n - 2}-moved.md": f"{n - 2}.md"}, []
        elif n % 4 == 3:
            yield [added], {}, [f"{n - 2}.md"]
        else:
            yield [added], {}, []


def publisher(home: Path, source: str, publishes: int, blind: bool) -> list[dict[str, Any]]:
    encoder, analyser = HashEncoder(), CountingAnalyser()
    vectors = MemoryVectors(encoder)
    store = store_of(home, versions_of(home, blind), analyser)
    told = []
    for n, (changed, moved, removed) in enumerate(steps(source, publishes)):
        vectors.learn([text for record in changed for text in model_inputs(record)])
        base, before = store.open_current(), (encoder.encoded, analyser.asked)
        asked = 0

        def counted(keys: Any) -> Any:
            nonlocal asked
            asked += 1
            return vectors.get(keys)

        row: dict[str, Any] = {
            "source": source, "at": n, "version": None, "removed": [*removed, *moved.values()],
            "written": {record.path: record.hash for record in changed},
        }
        cursors = {**(dict(base.manifest.cursors) if base else {}), source: {"at": n}}
        try:
            done = store.publish(
                base, changed=changed, moved={(source, new): old for new, old in moved.items()},
                removed=[(source, path) for path in removed], cursors=cursors,
                fingerprints=store.fingerprints(encoder.fingerprint, "race"), vectors=counted,
            )
            row |= {"version": done.version, "new_rows": done.chunks_added, "asked": asked,
                    "analysed": analyser.asked - before[1], "encoded": encoder.encoded - before[0]}
        except Conflict as error:
            row["raised"] = str(error)
        told.append(row)
    return told


def race(home: Path, processes: int, publishes: int, blind: bool) -> list[dict[str, Any]]:
    """What every publish of every process was to do and came to."""
    start = time.time() + 0.5

    def job(number: int) -> None:
        time.sleep(max(0.0, start - time.time()))
        told = publisher(home, f"s{number}", publishes, blind)
        (home / f"told{number}.json").write_text(json.dumps(told))

    children = [fork(partial(job, number)) for number in range(processes)]
    failed = [number for number, child in enumerate(children) if ended(child)]
    if failed:
        raise SystemExit(f"processes {failed} failed")
    return [row for n in range(processes) for row in json.loads((home / f"told{n}.json").read_text())]


def wrong_with(home: Path, told: list[dict[str, Any]]) -> list[str]:
    """What the history of the home got wrong, against what the publishers say they did."""
    versions = versions_of(home, False)
    store = store_of(home, versions)
    won = {row["version"]: row for row in told if row["version"] is not None}
    problems = [] if len(won) == sum(row["version"] is not None for row in told) else ["two have one number"]
    published = [row.number for row in versions.rows() if row.state == "published"]
    if set(published) != set(won):
        problems.append(f"published {published}, won {sorted(won)}")
    if versions.current() != max(won):
        problems.append(f"{versions.current()} is current")
    content: Content = {}
    cursors: dict[str, Any] = {}
    before = None
    for number in sorted(won):
        row = won[number]
        version = store.open(number)
        if version.manifest.parent != before:
            problems.append(f"the parent of {number} is {version.manifest.parent} instead of {before}")
        content = after(content, row)
        cursors[row["source"]] = {"at": row["at"]}
        if shown(version) != content or version.manifest.cursors != cursors:
            problems.append(f"version {number} is not its parent and its change")
        problems += store.verify(number)
        if hits(store.lexical, version) != hits(EmbeddedEngine(), version):
            problems.append(f"version {number} is not searched as its segments are")
        before = number
    return problems


def hits(engine: Any, version: OpenVersion) -> set[str]:
    """Every chunk: each holds one of the words."""
    found = engine.open(version).search(ANALYSER.terms("travel budget leave"), every_row(version), 10_000)
    return {hit.chunk_id for hit in found}


def after(content: Content, row: dict[str, Any]) -> Content:
    left = {f"{row['source']}:{path}" for path in row["removed"]}
    written = {f"{row['source']}:{path}": digest for path, digest in row["written"].items()}
    return {**{place: digest for place, digest in content.items() if place not in left}, **written}


def shown(version: OpenVersion) -> Content:
    return {f"{h.source}:{h.path}": h.hash for h in version.documents()}


def main(home: Path, processes: int, publishes: int, blind: bool) -> None:
    ledger_of(home).close()             # its tables are made once, before the race
    started = time.perf_counter()
    told = race(home, processes, publishes, blind)
    seconds = time.perf_counter() - started
    rows = versions_of(home, False).rows()
    print(json.dumps({
        "told": told, "problems": wrong_with(home, told), "seconds": round(seconds, 1),
        "abandoned": sum(row.state == "abandoned" for row in rows),
    }))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:] == ["blind"])
