"""How long the command takes from a fresh process, beside what Python itself takes.

    .venv/bin/python benchmarks/serving/commands.py

Each command runs several times in turn with the others, its files in the page
cache. Python's start and the import of numpy show how fast the machine is.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.ingesting.ingest import write_documents
from benchmarks.report import Report

VOUCH = Path(sys.executable).with_name("vouch")
PUBLIC = Path(__file__).parents[2] / "examples" / "public.yaml"
BOUNDS = {"vouch --help": 0.3, "vouch ingest, nothing changed": 2.0, "vouch search --mode lexical": 2.0}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--home", type=Path, help="where the index is made, and found again by the next run")
    options = parser.parse_args()
    report = Report(f"Commands from a fresh process, {options.documents} documents")
    with tempfile.TemporaryDirectory() as scratch:
        place = options.home or Path(scratch)
        if not (place / "documents").exists():
            prepare(place, options.documents)
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "python -c 'import numpy'": [sys.executable, "-c", "import numpy"],
            "vouch --help": [VOUCH, "--help"],
            "vouch ingest, nothing changed": [VOUCH, "ingest", "--json"],
            "vouch search --mode lexical": [VOUCH, "search", "leave policy", "--mode", "lexical", "--json"],
        }
        run(place, commands["vouch ingest, nothing changed"])           # settles what the first look remembers
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
        for _ in range(options.times):
            for name, command in commands.items():
                taken[name].append(run(place, command))
    report.table(["command", "median s", "slowest s", "processor s", "in starts of Python", "bound s", ""])
    start = statistics.median(wall for wall, _ in taken["python -c pass"])
    for name, times in taken.items():
        median = statistics.median(wall for wall, _ in times)
        bound = BOUNDS.get(name)
        report.line(name, f"{median:.2f}", f"{max(times)[0]:.2f}", f"{statistics.median(cpu for _, cpu in times):.2f}",
                    f"{median / start:.0f}", *([f"≤ {bound}"] if bound else ["", ""]),
                    checks=[median <= bound] if bound else [])
    report.end()


def prepare(place: Path, documents: int) -> None:
    """A home with one ingested source that everybody may read."""
    write_documents(place / "documents", documents, 2000)
    run(place, [VOUCH, "source", "add", "papers", "--kind", "folder", "--path", place / "documents",
                "--access", PUBLIC])
    run(place, [VOUCH, "ingest"])


def run(place: Path, command: list) -> tuple[float, float]:
    """Seconds of the wall and of the processor that a command took."""
    variables = {**os.environ, "VOUCH_HOME": str(place / "home")}
    start, before = time.perf_counter(), os.times()
    done = subprocess.run(list(map(str, command)), env=variables, capture_output=True, text=True)
    wall, after = time.perf_counter() - start, os.times()
    if done.returncode:
        sys.exit(f"{command} failed:\n{done.stderr}")
    return wall, after.children_user + after.children_system - before.children_user - before.children_system


if __name__ == "__main__":
    main()
