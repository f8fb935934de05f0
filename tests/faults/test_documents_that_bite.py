"""Whatever stands in a folder, the run ends well, in bounds, with a reason for each file and all the others indexed."""

import re
import time
from pathlib import Path

import pytest
from homes.ingest_bench import Bench
from hostile_files.bite import Bite
from hostile_files.bite_runs import (
    HEAD,
    NEIGHBOURS,
    BiteRun,
    Cost,
    complaints,
    ingest,
    line,
    sparse,
    table,
    write_bites,
)
from hostile_files.bites import all_bites
from hostile_files.bites_on_disk import NAMES, SOUND, moving, without_permission, write_names, write_things
from running.soak_table import Figures

from vouch.adapters.sandbox import process
from vouch.adapters.sandbox.isolated import IsolatedParser
from vouch.adapters.sandbox.limits import Ended, ParsingLimits, Watch
from vouch.adapters.sources.folder.source import FolderSource
from vouch.errors import Unavailable

SHORT_SHARE = 0.001
# Those that need their size to bite have one of their own here; the soak form gives it to all.
SHORT = {"letters.txt": 0.3, "dots.md": 0.04, "openings.html": 0.04, }
_LOOP_S = 0.09                          # of processor time, where these bounds were found


def slowness() -> float:
    """How many times as long as there a loop takes here and now, at least 1: what is bounded by seconds goes by it."""
    began = time.process_time()
    sum(n * n for n in range(2_000_000))
    return max(1.0, (time.process_time() - began) / _LOOP_S)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = Bench(tmp_path / "home")
    made.parsing = ParsingLimits(seconds=round(4 * slowness()) / 2, memory_mb=400)
    return made


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    return folder


def wrong(run: BiteRun, bites: list[Bite], limits: ParsingLimits, **more: int) -> list[str]:
    return complaints(run, bites, seconds=limits.seconds + 1, child_mb=limits.memory_mb, matches=re.search, **more)


def test_every_bite_is_bounded_and_its_neighbors_are_indexed(bench: Bench, root: Path) -> None:
    bites = all_bites()
    for bite in bites:
        write_bites(root, [bite], SHORT.get(bite.name, SHORT_SHARE))
    run = ingest(bench, root)
    print(table(run.costs.values()))
    assert wrong(run, bites, bench.parsing) == []
    assert not Path("/tmp/bitten").exists()
    assert f"took longer than {bench.parsing.seconds:g} s" in run.costs["letters.txt"].outcome
    assert "needed more than 400 MB" in run.costs["dots.md"].outcome


@pytest.mark.soak
def test_every_bite_in_full_size(tmp_path: Path, figures: Figures) -> None:
    limits, costs, found = ParsingLimits(), list[Cost](), list[str]()
    print(f"\n{HEAD}")
    for n, bite in enumerate(all_bites()):
        root = tmp_path / f"docs{n}"
        root.mkdir()
        bench = Bench(tmp_path / f"home{n}")
        write_bites(root, [bite], 1)
        run = ingest(bench, root, fresh=True)
        found += wrong(run, [bite], limits)
        costs.append(run.costs[bite.name])
        print(line(costs[-1]), flush=True)
        (root / bite.name).unlink()
    slow, large = max(costs, key=lambda c: c.worked_s), max(costs, key=lambda c: c.child_mb)
    here = max(costs, key=lambda c: c.parent_mb)
    figures("files made to hurt, each beside sound ones", f"{len(costs)} files",
            f"{sum(bool(c.outcome) for c in costs)} quarantined; longest {slow.worked_s:.1f} s ({slow.name}), child at "
            f"most {large.child_mb} MB ({large.name}), here {here.parent_mb} MB ({here.name}); {len(found)} complaints")
    assert found == []


def test_names_are_documents_or_are_refused_by_name(bench: Bench, root: Path) -> None:
    write_names(root)
    run = ingest(bench, root)
    assert run.crash == ""
    shown = {name.decode(errors="surrogateescape"): reason for name, reason in NAMES.items()}
    for name, reason in shown.items():
        assert (name in run.indexed) == (not reason), name
    reasons = sorted(r for r in run.skipped.values())
    assert reasons == sorted(r for r in (_full(NAMES[n]) for n in NAMES) if r)
    assert all(path.isprintable() for path in run.skipped)
    assert run.indexed >= NEIGHBOURS.keys()


def _full(reason: str) -> str:
    return {
        "line breaks or control": "name holds line breaks or control characters",
        "direction of writing": "name reverses the direction of writing",
        "not UTF-8": "name is not UTF-8",
        "known suffix": "files without a known suffix are not read",
        "docm": ".docm files are not read (save it as .docx)",
    }.get(reason, "")


def test_links_pipes_and_devices_are_told_and_never_opened(bench: Bench, root: Path) -> None:
    expected = write_things(root)
    run = ingest(bench, root)
    assert run.crash == "" and run.indexed == {*NEIGHBOURS, "real/inside.md", "folder.md/below.md"}
    for name, reason in expected.items():
        assert reason in run.skipped[name]
    assert "is in too many nested folders" in run.skipped.values()


def test_what_may_not_be_read_is_quarantined_and_the_rest_is_indexed(bench: Bench, root: Path) -> None:
    (root / "locked.md").write_text(SOUND)
    (root / "closed").mkdir()
    (root / "closed" / "a.md").write_text(SOUND)
    with without_permission("locked.md", "closed"):
        run = ingest(bench, root)
    assert run.crash == "" and run.indexed == NEIGHBOURS.keys()
    assert "Permission denied" in run.costs["locked.md"].outcome and "Permission denied" in run.skipped["closed"]
    assert ingest(bench, root).indexed == {*NEIGHBOURS, "locked.md", "closed/a.md"}


def test_files_that_move_while_they_are_read(bench: Bench, root: Path) -> None:
    for name in ("grows.md", "changes.md", "vanishes.md"):
        (root / name).write_text(SOUND)
    with moving(root):
        run = ingest(bench, root, most_bytes=3_000_000)
    assert run.crash == "" and run.indexed == {*NEIGHBOURS, "changes.md"}
    assert "larger than 3,000,000 bytes" in run.costs["grows.md"].outcome
    assert run.costs["vanishes.md"].outcome.startswith("is not there any more: cannot be read: No such file")
    (root / "grows.md").write_text(SOUND)
    again = ingest(bench, root, most_bytes=3_000_000)
    assert again.indexed == {*NEIGHBOURS, "changes.md", "grows.md"} and bench.known("docs").keys() == again.indexed


BIG = Bite("big.md", lambda share: b"", "larger than 20,000,000 bytes")


def big(root: Path) -> list[Bite]:
    """A file that says it holds 2 GB."""
    sparse(root / BIG.name, 2_000_000_000)
    return [BIG]


def test_of_what_is_too_large_nothing_is_read(bench: Bench, root: Path) -> None:
    bites = big(root)
    run = ingest(bench, root)
    assert wrong(run, bites, bench.parsing, read_bytes=1_000_000) == [] and run.read_bytes < 60_000_000


def test_planted_a_file_read_whole_before_its_size_is_looked_at(
    bench: Bench, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = FolderSource.load

    def load(self: FolderSource, change):  # type: ignore[no-untyped-def]
        assert len((root / change.path).read_bytes()) >= 0
        return real(self, change)

    monkeypatch.setattr(FolderSource, "load", load)
    sparse(root / BIG.name, 600_000_000)
    run = ingest(bench, root)
    assert any("bytes read" in said for said in wrong(run, [BIG], bench.parsing, read_bytes=1_000_000))
    assert any("MB here" in said for said in wrong(run, [BIG], bench.parsing))


SLOW = Bite("slow.txt", lambda share: b"a b c.\n\n" * 400_000, "took longer")


def test_planted_a_parser_without_a_limit_of_time(
    bench: Bench, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.parsing = ParsingLimits(seconds=1)
    write_bites(root, [SLOW], 1)
    assert wrong(ingest(bench, root), [SLOW], bench.parsing) == []
    monkeypatch.setattr(Watch, "check", lambda self: None)
    bench.parsing = ParsingLimits(seconds=3600)     # for the child, which has a limit of its own
    (root / SLOW.name).write_bytes(SLOW.make(1) + b"changed")
    assert any("was indexed" in said for said in wrong(ingest(bench, root), [SLOW], ParsingLimits(seconds=1)))


def test_planted_a_child_whose_death_ends_the_run(bench: Bench, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_MODULE", "hostile_files.odd_child")
    deadly = Bite("deadly.html", lambda share: b"die", "crash")
    for name in NEIGHBOURS:
        monkeypatch.setitem(NEIGHBOURS, name, b"sound")
    write_bites(root, [deadly], 1)
    assert wrong(ingest(bench, root), [deadly], bench.parsing) == []
    real = IsolatedParser._ask

    def ask(*given):  # type: ignore[no-untyped-def]
        try:
            return real(*given)
        except Ended as error:
            raise Unavailable("the child died") from error

    monkeypatch.setattr(IsolatedParser, "_ask", ask)
    (root / deadly.name).write_bytes(b"die again")
    assert any("the run ended" in said for said in wrong(ingest(bench, root), [deadly], bench.parsing))
