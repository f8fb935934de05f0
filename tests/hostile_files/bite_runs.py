"""Ingests folders with files that bite, beside sound ones, and measures what each of them cost."""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from homes.ingest_bench import Bench

from flows.ingesting import step
from hostile_files.bite import Bite
from hostile_files.pdf_by_hand import sound
from vouch.adapters.sandbox import isolated, process
from vouch.adapters.sandbox.limits import SMALL_TEXT, memory_mb
from vouch.adapters.sources.folder.source import FolderSource

NEIGHBOURS = {
    "00_sound.md": b"# Sound\n\nMarkdown words are found.\n",
    "00_sound.html": b"<html><body><p>HTML words are found on this page, too.</p></body></html>",
    "zz_sound.pdf": sound("PDF words are found"),
    "zz_sound.txt": b"Plain words are found.\n" * (SMALL_TEXT // 20),    # long enough to be read by a child
    "zz_sound.html": b"<html><body><p>Later words are found on this page, too.</p></body></html>",
}


@dataclass(frozen=True)
class Cost:
    """What became of one file. Seconds are processor time of both processes, MB the growth here, the most there."""

    name: str
    outcome: str                        # "" if indexed, else the reason
    wall_s: float
    worked_s: float
    parent_mb: int
    child_mb: int
    read_bytes: int


class _Children:
    """Notes what every parsing child used."""

    def __init__(self) -> None:
        self.worked_s = 0.0
        self.most_mb = 0

    def kind(self) -> type[process.Child]:
        notes = self

        class Noted(process.Child):
            def end(self) -> None:
                if self._process.returncode is None:
                    self.watch._look()
                notes.worked_s += self.watch.worked_s
                notes.most_mb = max(notes.most_mb, self.watch.most_mb)
                super().end()

        return Noted


@contextmanager
def _measured(costs: dict[str, Cost], *, fresh: bool) -> Iterator[None]:
    """Costs by path as documents are prepared; with `fresh`, each has a child of its own, whose share is then known."""
    children, real = _Children(), step.prepare

    def prepare(components: Any, base: Any, source: str, change: Any) -> Any:
        if fresh:
            children.worked_s = children.most_mb = 0
        Path("/proc/self/clear_refs").write_text("5")
        held, read, worked, began = memory_mb()[0], _read_bytes(), time.process_time(), time.monotonic()
        prepared = real(components, base, source, change)
        wall = time.monotonic() - began
        if fresh:
            components.parser.close()
        record = prepared.record
        costs[record.path] = Cost(
            record.path, record.reason if record.state == "quarantined" else "", wall,
            time.process_time() - worked + (children.worked_s if fresh else 0), memory_mb()[1] - held,
            children.most_mb, _read_bytes() - read,
        )  # fmt: skip
        return prepared

    with patch.object(isolated, "Child", children.kind()), patch.object(step, "prepare", prepare):
        yield


def _read_bytes() -> int:
    return int(Path("/proc/self/io").read_text().split("rchar:")[1].split()[0])


@dataclass
class BiteRun:
    """One ingest of a folder; `crash` is what ended it early, if anything did."""

    costs: dict[str, Cost]
    skipped: dict[str, str]
    indexed: set[str]
    read_bytes: int
    crash: str


def ingest(bench: Bench, root: Path, *, most_bytes: int = 20_000_000, fresh: bool = False) -> BiteRun:
    for name, data in NEIGHBOURS.items():
        (root / name).write_bytes(data)
    bench.sources["docs"] = FolderSource("docs", root, bench.ledger.stat_cache, most_bytes)
    costs, crash, skipped, read = dict[str, Cost](), "", dict[str, str](), _read_bytes()
    with _measured(costs, fresh=fresh):
        try:
            for report in bench.ingest(allow_removals=True):
                skipped |= {s.path: s.reason for s in report.skipped}
        except Exception as error:
            crash = f"{type(error).__name__}: {error}"
    version = bench.components.store.open_current()
    indexed = {d.path for d in version.documents() if d.state == "indexed"} if version else set()
    return BiteRun(costs, skipped, indexed, _read_bytes() - read, crash)


def write_bites(root: Path, bites: Iterable[Bite], share: float) -> None:
    for bite in bites:
        (root / bite.name).write_bytes(bite.make(share))


def complaints(
    run: BiteRun, bites: Iterable[Bite], *, seconds: float, child_mb: int, parent_mb: int = 512,
    read_bytes: int = 60_000_000, matches: Callable[[str, str], object]
) -> list[str]:
    """Everything about a run that must not be."""
    found = [f"the run ended: {run.crash}"] if run.crash else []
    found += [f"{name} was not indexed" for name in NEIGHBOURS if name not in run.indexed]
    tiny = run.costs.get("zz_sound.txt")
    of_start = tiny.read_bytes if tiny else 0           # the modules of a child of its own; a child's bytes count here
    for bite in bites:
        cost = run.costs.get(bite.name)
        if cost is None:
            found.append(f"{bite.name} was never looked at")
            continue
        if bite.outcome is not None and (not bite.outcome) != (not cost.outcome):
            found.append(f"{bite.name}: {cost.outcome or 'was indexed'}, not {bite.outcome or 'indexed'}")
        elif bite.outcome and not matches(bite.outcome, cost.outcome):
            found.append(f"{bite.name}: {cost.outcome}, not {bite.outcome}")
        found += [
            f"{bite.name}: {value:.1f} {what}, more than {most}"
            for value, what, most in (
                (cost.worked_s, "s of processor time", seconds), (cost.wall_s, "s", 3 * seconds),
                (cost.child_mb, "MB in the child", child_mb), (cost.parent_mb, "MB here", parent_mb),
                (cost.read_bytes - of_start, "bytes read", read_bytes),
            ) if value > most
        ]  # fmt: skip
    return found


HEAD = f"{'file':36} {'s':>6} {'by clock':>8} {'child MB':>8} {'here MB':>8}  outcome"


def line(cost: Cost) -> str:
    return (f"{cost.name:36} {cost.worked_s:6.2f} {cost.wall_s:8.2f} {cost.child_mb:8} {cost.parent_mb:8}  "
            f"{(cost.outcome or 'indexed')[:90]}")


def table(costs: Iterable[Cost]) -> str:
    return "\n".join([HEAD, *map(line, costs)])


def sparse(path: Path, size: int) -> None:
    """A file that says it is so large and takes no room."""
    with path.open("wb") as file:
        os.ftruncate(file.fileno(), size)
