"""The history of a public handbook, a version per commit: exact, cheap, and the same after any number of kills."""

import gzip
import hashlib
import json
import os
import random
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from homes.ingest_bench import Bench
from homes.replayed import events, replayed
from running import warm
from running.paces import paces
from running.script_run import command, environment
from running.soak_table import Figures
from two_world.stand_ins import FixedPermissions

from indexers.live_index import LiveIndex
from vouch.access import Directory, Permissions, Rule, RuleBook
from vouch.adapters.analyser import SnowballAnalyser

DATA = os.environ.get("VOUCH_DATA")
FILE = Path(DATA or "absent") / "handbooks" / "18f_handbook.events.jsonl.gz"
QUESTIONS = ("travel budget", "how do I request leave", "security incident", "github", "working remotely",
             "hiring interview", "performance review", "slack channel", "expense report", "onboarding buddy")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
needs_data = pytest.mark.skipif(not DATA, reason="VOUCH_DATA does not name the folder with the handbooks")
COMMITS = 60                            # of the history made here


def small_history(file: Path, dice: random.Random) -> Path:
    """A file of events: some documents, then one of them edited, renamed or removed, or a new one, per commit."""
    words = ["travel", "leave", "budget", "security", "github", "hiring", "slack", "expense", "onboarding", "review"]
    paths = [f"d{n}.md" for n in range(8)]
    rows: list[dict[str, Any]] = [{"op": "snapshot", "path": path, "commit": "0"} for path in paths]
    for number in range(1, COMMITS):
        op = dice.choice(("modify", "modify", "modify", "add", "delete", "rename") if len(paths) > 4 else ("add",))
        path = f"d{100 + number}.md" if op in ("add", "rename") else dice.choice(paths)
        row = {"op": op, "path": path, "commit": str(number)}
        if op in ("delete", "rename"):
            gone = path if op == "delete" else dice.choice(paths)
            paths.remove(gone)
            row |= {"old_path": gone} if op == "rename" else {}
        paths += [path] if op in ("add", "rename") else []
        rows.append(row)
    texts = {row["path"]: "" for row in rows}
    for seq, row in enumerate(rows):
        row["seq"] = seq
        if row["op"] == "rename":
            row["text"] = texts[row["path"]] = texts[row["old_path"]]
        elif row["op"] != "delete":
            parts = (f"# Part {n}\n\n{' '.join(dice.choices(words, k=12))}.\n" for n in range(6))
            row["text"] = texts[row["path"]] = "\n".join(parts)
        row["blob"] = hashlib.sha1(texts[row["path"]].encode()).hexdigest()
    with gzip.open(file, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)
    return file


def start(home: Path, until: int, file: Path) -> "subprocess.Popen[str]":
    script = Path(__file__).with_name("replay.py")
    return warm.Popen(command(script, home, file, until), env=environment(), stdout=subprocess.PIPE, text=True)


def straight(home: Path, until: int = 10**6, file: Path = FILE) -> list[dict[str, Any]]:
    process = start(home, until, file)
    rows = [json.loads(line) for line in process.stdout or ()]
    assert process.wait() == 0
    return rows


def kill(home: Path, file: Path, kills: int, versions: int, dice: random.Random) -> None:
    """Replays with `kills` kills, each at a random moment after some versions and before the last."""
    done = 0
    for number in range(kills):
        process = start(home, 10**6, file)
        stay = dice.randint(1, max(1, (versions - done) // (kills - number + 1)))
        for _, _line in zip(range(stay), process.stdout or (), strict=False):
            done += 1
        time.sleep(dice.uniform(0, 0.05))
        assert process.poll() is None, "it had finished before the kill"
        process.kill()
        process.wait()
    straight(home, file=file)


def found(home: Path) -> dict[str, Any]:
    """Every score of every question, bit by bit, and every document's hash."""
    bench = Bench(home)
    everybody = Permissions.settled(1, {"handbook": RuleBook((Rule("**", frozenset({"public"})),))}, Directory({}, {}))
    index = LiveIndex(bench.components.store, FixedPermissions(everybody), lambda: NOW)
    view = index.view(everybody.directory.audience(["public"], NOW))
    analyser = SnowballAnalyser()
    seen: dict[str, Any] = {"documents": bench.known("handbook")}
    for question in QUESTIONS:
        hits = [*view.lexical(analyser.terms(question), 50),
                *view.dense(bench.encoder.questions([question])[0], 50)]
        seen[question] = [(hit.chunk_id, hit.score.hex()) for hit in hits]
    bench.ledger.close()
    return seen


def compare(folder: Path, file: Path, kills: int, seed: int) -> None:
    """A replay with kills ends in the documents and scores of one without."""
    rows = straight(folder / "straight", file=file)
    print(f"\nseed {seed}; {len(rows)} versions, {kills} kills")
    kill(folder / "killed", file, kills, len(rows), random.Random(seed))
    expected = found(folder / "straight")
    assert expected["documents"] == replayed(file) and all(expected[question] for question in QUESTIONS)
    assert found(folder / "killed") == expected


@pytest.mark.slow
def test_a_small_history_interrupted_by_kills_ends_the_same(memory_folder: Path) -> None:
    seed = random.SystemRandom().randrange(10**6)
    compare(memory_folder, small_history(memory_folder / "events.jsonl.gz", random.Random(seed)), 3, seed)


@needs_data
@pytest.mark.data
@pytest.mark.soak
def test_the_whole_history_interrupted_by_kills_ends_the_same(memory_folder: Path, figures: Figures) -> None:
    seed = random.SystemRandom().randrange(10**6)
    compare(memory_folder, FILE, 20, seed)
    figures("a history ingested step by step, killed on the way", f"{len(events(FILE))} events, 20 kills, seed {seed}",
            "the end is equal to a run that nobody killed, bit for bit")


@needs_data
@pytest.mark.data
@pytest.mark.soak
def test_the_whole_history_embeds_little_and_publishes_at_an_even_pace(memory_folder: Path, figures: Figures) -> None:
    straight(memory_folder / "early", 220)
    rows = straight(memory_folder / "late")
    later = rows[1:]
    share = sum(row["embedded"] for row in later) / sum(row["touched"] for row in later)
    renames = [row for row in later if row["renamed"] and not row["changed"] and not row["added"]]
    early, late = paces([memory_folder / "early", memory_folder / "late"], 200)
    figures("a history ingested step by step", f"{len(events(FILE))} events, {len(rows)} versions",
            f"embedded {share:.3f} of what changed documents hold; {sum(r['renamed'] for r in later)} exact renames;"
            f" publishing one new chunk {early * 1e3:.0f} ms at first, {late * 1e3:.0f} ms at the end")
    assert share <= 0.15
    assert sum(row["renamed"] for row in later) == 392 and sum(row["embedded"] for row in renames) == 0
    assert late <= 1.5 * early
