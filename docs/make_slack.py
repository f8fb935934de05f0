"""Prints docs/slack_drawing.txt, what people see of a channel: `make docs` writes it, a test compares.

It plays docs/slack_script.txt in `vouch slack simulate`. With a folder the company is kept there, and found again.
"""

import re
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).with_name("slack_script.txt")
_ID = re.compile(r"\bid\s+[0-9a-f]{12}\b")              # of an answer: another one in each run
_AGE = re.compile(r"\s+changed\s+20[0-9]{2}-[0-9]{2}-[0-9]{2}(?:,\s+(?:today|[0-9]+\s+[a-z]+\s+ago))?")
_DRAFT = re.compile(r"/[0-9a-f]{24}\.md")                # what was approved, by its id
_DAY = re.compile(r"\b20[0-9]{2}-[0-9]{2}-[0-9]{2}\b")     # the last one of a draft


def drawing(folder: str = "") -> str:
    words = [sys.executable, "-m", "cli.main", "slack", "simulate", "--no-stages"]      # stages differ in each run
    words += ["--folder", folder] if folder else []
    with SCRIPT.open(encoding="utf-8") as script:
        done = subprocess.run(words, stdin=script, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode:
        raise SystemExit(done.stderr)
    told = _DRAFT.sub("/….md", _AGE.sub(" changed …", done.stdout))
    return _DAY.sub("…", _ID.sub(lambda found: re.sub("[0-9a-f]{12}", "…", found[0]), told))


if __name__ == "__main__":
    sys.stdout.write(drawing(*sys.argv[1:2]))
