"""Ingests of different sources run side by side and both win; one source is ingested by one run at a time."""

import hashlib
import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
from running import warm
from running.script_run import command, environment

from flows.runs.run import sole_run
from vouch.adapters.ledger.documents.sources import SourceRow
from vouch.errors import Busy

SCRIPT = Path(__file__).with_name("ingest_beside.py")
ROUNDS = 6


def test_two_processes_that_ingest_two_sources_both_win(bench, tmp_path):
    running = {}
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        bench.ledger.sources.add(SourceRow(name, "folder", str(tmp_path / name)))
    for name in ("one", "two"):
        words = command(SCRIPT, bench.home, tmp_path / name, name, ROUNDS)
        running[name] = warm.Popen(
            words, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
    for run in running.values():
        assert run.stdout.readline() == "ready\n"
    for run in running.values():
        run.stdin.write("go\n")
        run.stdin.flush()
    told = {name: [json.loads(line) for line in run.communicate(timeout=120)[0].splitlines()]
            for name, run in running.items()}
    assert {name: run.returncode for name, run in running.items()} == {"one": 0, "two": 0}
    for name in told:
        files = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in (tmp_path / name).iterdir()}
        assert bench.known(name) == files and len(files) == ROUNDS + 1
        assert [row["embedded"] for row in told[name]] == [2] * ROUNDS     # never again because somebody was faster
    published = [row.number for row in bench.ledger.versions.rows() if row.state == "published"]
    assert published == sorted(row["version"] for rows in told.values() for row in rows)
    manifests = [bench.components.store.manifest(number) for number in published]
    assert [m.parent for m in manifests] == [None, *published[:-1]]
    turns = ["one" if m.version in {row["version"] for row in told["one"]} else "two" for m in manifests]
    assert turns not in (sorted(turns), sorted(turns, reverse=True)), "they never ran side by side"


def test_a_source_is_ingested_by_one_run_at_a_time(bench, write, tmp_path):
    write("a.md", "# A\n\nText.")
    bench.folder("docs", tmp_path / "docs")
    with sole_run(bench.home, ["docs"]), pytest.raises(Busy, match="another ingest of source docs is running"):
        bench.ingest(["docs"])
    with sole_run(bench.home, ["other"]):
        assert bench.ingest(["docs"])[0].version == 1


def test_what_concerns_the_home_runs_alone(bench, write, tmp_path):
    write("a.md", "# A\n\nText.")
    bench.folder("docs", tmp_path / "docs")
    with sole_run(bench.home, ["docs"]), pytest.raises(Busy, match="on this home"), sole_run(bench.home):
        pass
    with sole_run(bench.home), pytest.raises(Busy, match="on this home"):
        bench.ingest(["docs"])
    bench.ingest()
    with sole_run(bench.home, ["other"]):
        bench.chunker = "another"                           # everything is built anew, of all sources
        with pytest.raises(Busy, match="on this home"):
            bench.ingest(["docs"])


def test_an_unfinished_purge_is_gone_on_with_by_a_run_that_is_alone(bench, write, tmp_path):
    write("a.md", "# A\n\nText.")
    bench.folder("docs", tmp_path / "docs")
    bench.ingest()
    bench.ledger.purges.begin([("docs", "a.md")], bench.known("docs").values(), datetime.now(UTC))
    with sole_run(bench.home, ["other"]), pytest.raises(Busy, match="on this home"):
        bench.ingest()


def test_a_source_added_and_ingested_meanwhile_is_not_taken_for_a_removed_one(bench, write, tmp_path):
    write("a.md", "# A\n\nText.")
    bench.folder("docs", tmp_path / "docs")
    bench.ingest()
    before = bench.components
    bench.ledger.sources.add(SourceRow("late", "folder", str(tmp_path / "docs")))
    bench.folder("late", tmp_path / "docs")
    bench.ingest(["late"])
    cursor = bench.components.store.open_current().manifest.cursors["late"]
    write("b.md", "# B\n\nMore.")
    from flows.runs.run import ingest_direct

    ingest_direct(before, ["docs"], done=lambda report: None)
    assert set(bench.known("late")) == {"a.md"} and set(bench.known("docs")) == {"a.md", "b.md"}
    assert bench.components.store.open_current().manifest.cursors["late"] == cursor
