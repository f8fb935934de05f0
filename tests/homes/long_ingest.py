"""A document that takes long to embed, for tests that disturb a run on its way."""

import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

from running import warm

ROOT = Path(__file__).resolve().parents[2]
SECTIONS = 700


def embedded(home: Path) -> int:
    try:
        with closing(sqlite3.connect(f"file:{home}/embeddings.sqlite?mode=ro", uri=True)) as db:
            return db.execute("SELECT count(*) FROM embeddings").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def many_sections(place: Path) -> tuple[Path, dict[str, str], list[str]]:
    """A home with one source of one long document: the home, an environment and the command `vouch`."""
    docs, home = place / "docs", place / "home"
    docs.mkdir()
    (docs / "a.md").write_text("".join(f"# Part {n}\n\nRule {n} is about matter {n * 7}.\n\n" for n in range(SECTIONS)))
    (docs / "access.yaml").write_text('rules: [{match: "**", allow: [public]}]\n')
    env = {k: v for k, v in os.environ.items() if not k.startswith(("VOUCH_", "PREFECT_"))} | {"VOUCH_HOME": str(home)}
    command = [sys.executable, "-m", "cli.main"]
    warm.run([*command, "source", "add", "docs", "--kind", "folder", "--path", str(docs)], cwd=ROOT, env=env,
             check=True, capture_output=True, timeout=60)
    return home, env, command
