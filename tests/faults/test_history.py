"""The history of a public handbook, a version per commit: exact, cheap, and the same after any number of kills."""

import json
import os
import random
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from ingest_bench import Bench
from paces import paces
from replayed import events, replayed
from two_world.machines import FixedPermissions

from indexers.reader import LiveIndex
from vouch.access import Directory, Permissions, Rule, RuleBook
from vouch.adapters.analyser import SnowballAnalyser

DATA = os.environ.get("VOUCH_DATA")
ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": f"{ROOT / 'tests'}:{ROOT}"}
FILE = Path(DATA or "absent") / "handbooks" / "18f_handbook.events.jsonl.gz"
QUESTIONS = ("travel budget", "how do I request leave", "security incident", "github", "working remotely",
             "hiring interview", "performance review", "slack channel", "expense report", "onboarding buddy")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not DATA, reason="VOUCH_DATA does not name the folder with the handbooks"),
]


def start(home: Path, until: int) -> "subprocess.Popen[str]":
    script = ROOT / "tests" / "faults" / "replay.py"
    return subprocess.Popen([sys.executable, str(script), str(home), str(FILE), str(until)], env=ENVIRONMENT,
                            stdout=subprocess.PIPE, text=True)


def straight(home: Path, until: int) -> list[dict[str, Any]]:
    process = start(home, until)
    rows = [json.loads(line) for line in process.stdout or ()]
    assert process.wait() == 0
    return rows


def killed(home: Path, until: int, kills: int, versions: int, dice: random.Random) -> int:
    """Replays with `kills` kills, each at a random moment after some versions; the number of processes it took."""
    done = 0
    for number in range(kills):
        process = start(home, until)
        stay = dice.randint(1, max(1, 2 * (versions - done) // (kills - number + 1) - 1))
        for _, _line in zip(range(stay), process.stdout or (), strict=False):
            done += 1
        time.sleep(dice.uniform(0, 0.3))
        assert process.poll() is None, "it had finished before the kill"
        process.kill()
        process.wait()
    straight(home, until)
    return kills + 1


def found(home: Path) -> dict[str, Any]:
    """Every score of every question, bit by bit, and every document's hash."""
    bench = Bench(home)
    everybody = Permissions(1, {"handbook": RuleBook((Rule("**", frozenset({"public"})),))}, Directory({}, {}))
    index = LiveIndex(bench.machines.store, FixedPermissions(everybody), lambda: NOW)
    view = index.view(everybody.directory.audience(["public"], NOW))
    analyser = SnowballAnalyser()
    seen: dict[str, Any] = {"documents": bench.known("handbook")}
    for question in QUESTIONS:
        hits = [*view.lexical(analyser.terms(question), 50),
                *view.dense(bench.encoder.questions([question])[0], 50)]
        seen[question] = [(hit.chunk_id, hit.score.hex()) for hit in hits]
    bench.ledger.close()
    return seen


@pytest.mark.slow
@pytest.mark.parametrize(("until", "kills"), [(185, 2), pytest.param(10**6, 20, marks=pytest.mark.soak)])
def test_a_history_interrupted_by_kills_ends_the_same(memory_folder: Path, until: int, kills: int) -> None:
    seed = random.SystemRandom().randrange(10**6)
    rows = straight(memory_folder / "straight", until)
    print(f"\nseed {seed}; {len(rows)} versions, {kills} kills")
    killed(memory_folder / "killed", until, kills, len(rows), random.Random(seed))
    expected = found(memory_folder / "straight")
    assert expected["documents"] == replayed(FILE, until) and all(expected[question] for question in QUESTIONS)
    assert found(memory_folder / "killed") == expected


@pytest.mark.soak
def test_the_whole_history_embeds_little_and_publishes_at_an_even_pace(memory_folder: Path) -> None:
    straight(memory_folder / "early", 220)
    rows = straight(memory_folder / "late", 10**6)
    later = rows[1:]
    share = sum(row["embedded"] for row in later) / sum(row["touched"] for row in later)
    renames = [row for row in later if row["renamed"] and not row["changed"] and not row["added"]]
    early, late = paces([memory_folder / "early", memory_folder / "late"], 200)
    print(f"\n{len(events(FILE))} events, {len(rows)} versions; embedded {share:.3f} of what changed documents hold;"
          f" {sum(row['renamed'] for row in later)} exact renames;"
          f" publishing one new chunk {early * 1e3:.0f} ms at first, {late * 1e3:.0f} ms at the end")
    assert share <= 0.15
    assert sum(row["renamed"] for row in later) == 392 and sum(row["embedded"] for row in renames) == 0
    assert late <= 1.5 * early
