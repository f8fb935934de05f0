"""What a run does once, not once per step, per source or per document."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from homes.ingest_bench import Bench
from homes.purge_scene import PLACE
from sqlalchemy import event

from flows.ingesting import report
from flows.ingesting.guards import excessive
from flows.ingesting.plan import Plan, plan_step
from flows.purging import forgetting
from flows.runs.purge import purge
from vouch.adapters.ledger.removal.erasure import Target
from vouch.adapters.sources.folder.source import NO_HASH, FolderSource
from vouch.adapters.sources.folder.walk import Listing
from vouch.errors import NotFound

TEXT = "# Plan\n\nThe plan is {}.\n"
MANY = 60


def calls(act: Callable[[], object]) -> int:
    """How many functions, of Python or C, `act` calls."""
    count = 0

    def step(frame, what, word):
        nonlocal count
        count += what in ("call", "c_call")

    sys.setprofile(step)
    try:
        act()
    finally:
        sys.setprofile(None)
    return count


def edit(root: Path, name: str, text: str) -> None:
    (root / name).write_text(text)


@pytest.fixture
def told(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sources whose rules were looked at."""
    names: list[str] = []
    real = report.source_warnings

    def source_warnings(permissions, name, documents, strays):
        names.append(name)
        return real(permissions, name, documents, strays)

    monkeypatch.setattr(report, "source_warnings", source_warnings)
    root = tmp_path / "docs"
    root.mkdir()
    bench.folder("docs", root)
    for number in range(6):
        edit(root, f"{number}.md", TEXT.format(number))
    return names


def test_the_last_step_looks_at_the_rules_for_all(bench: Bench, told: list[str]) -> None:
    reports = bench.ingest(step=2)
    assert len(reports) == 3 and told == ["docs"]
    assert [any("nobody" in note or "no access rules" in note for note in one.notes) for one in reports] == [
        False, False, True,
    ]  # fmt: skip


def test_named_paths_do_only_if_documents_came_went_or_narrow_themselves_otherwise(
    bench: Bench, told: list[str], tmp_path: Path
) -> None:
    root = tmp_path / "docs"
    bench.ingest()
    del told[:]
    for looked, name, text in (
        (0, "0.md", TEXT.format("new")),
        (1, "0.md", "---\naccess: [group:hr]\n---\n" + TEXT.format("new")),
        (1, "new.md", TEXT.format("newer")),
        (0, "new.md", TEXT.format("newest")),
    ):
        edit(root, name, text)
        bench.ingest(["docs"], paths=[name])
        assert len(told) == looked, (name, text)
        del told[:]
    (root / "new.md").unlink()
    bench.ingest(["docs"], paths=["new.md"])
    assert len(told) == 1


def test_closed_folders_are_looked_up_not_tried_one_by_one(bench: Bench, tmp_path: Path) -> None:
    docs = FolderSource("docs", tmp_path, bench.ledger.stat_cache, 1000)
    known = {f"d{number}/a/{number}.md": "hash" for number in range(MANY)} | {"d0": "was a file", "e/d0/a.md": "open"}

    def states(closed: int) -> dict[str, str]:
        listing = Listing(closed={f"d{number}": "closed" for number in range(closed)})
        return docs._states(0, {}, listing, known, whole=False)

    assert states(2) == {"d0/a/0.md": NO_HASH, "d1/a/1.md": NO_HASH}
    assert calls(lambda: states(MANY)) < 12 * MANY


def test_many_sources_are_guarded_in_one_pass(bench: Bench, tmp_path: Path) -> None:
    root = tmp_path / "docs"
    root.mkdir()
    for number in range(MANY):
        edit(root, f"{number}.md", TEXT.format(number))
    bench.folder("docs", root)
    bench.ingest()
    plan = plan_step(bench.components, ["docs"])
    many = Plan(plan.base, plan.parent, {f"s{n}": plan.scans["docs"] for n in range(MANY)}, plan.sources, ())
    one = calls(lambda: excessive(plan, 0.2))
    assert calls(lambda: excessive(many, 0.2)) < one + 40 * MANY


def test_a_plan_keeps_its_failures_to_itself(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    edit(tmp_path / "docs", "a.md", TEXT)
    bench.folder("docs", tmp_path / "docs")
    plan = plan_step(bench.components, ["docs"])
    without = plan.without({"docs": NotFound("gone")})
    assert (dict(plan.failures), list(without.failures), list(without.scans)) == ({}, ["docs"], [])


def test_a_purge_makes_its_tables_once(kept: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    real = forgetting.matcher_of

    def matcher_of(traces):
        made.append(len(traces.pieces))
        return real(traces)

    monkeypatch.setattr(forgetting, "matcher_of", matcher_of)
    purge(kept.components, PLACE, with_copies=False)
    assert len(made) == 1 and made[0] > 0


def test_a_look_for_answers_reads_some_rows_at_a_time(bench: Bench) -> None:
    options: list[object] = []

    def statement(connection, cursor, words, parameters, context, executemany):
        if "FROM answers" in words:
            options.append(context.execution_options.get("yield_per"))

    event.listen(bench.ledger.access._database._engine, "before_cursor_execute", statement)
    assert bench.ledger.erasure.made_from(Target([("docs", "a.md")], (), lambda data: False)) == {}
    assert options and all(options)
