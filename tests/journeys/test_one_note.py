"""One short note is all there is: its answers are certain, near ones come with caution, and others are declined."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from running import warm

ROOT = Path(__file__).resolve().parents[2]
NOTE = "# Travel\n\nHotels are paid up to 140 euro a night. Book trains in second class.\n"
ASKED = {
    "How much is paid for a hotel?": "answered",
    "Which class do I book on trains?": "answered_with_caution",
    "How much is paid for a taxi?": "answered_with_caution",
    "Who is the chief executive?": "declined",
}


@pytest.mark.model
def test_a_note_that_is_all_there_is_answers_what_it_says(memory_folder: Path) -> None:
    (memory_folder / "notes").mkdir()
    (memory_folder / "notes" / "travel.md").write_text(NOTE)
    asked = [{"id": str(number), "text": text, "as": ["public"]} for number, text in enumerate(ASKED)]
    (memory_folder / "asked.jsonl").write_text("\n".join(map(json.dumps, asked)))

    def vouch(*words: object) -> str:
        done = warm.run(
            [sys.executable, "-m", "cli.main", *map(str, words)], cwd=ROOT, text=True, stdout=subprocess.PIPE,
            env={**os.environ, "VOUCH_HOME": str(memory_folder / "home")}, check=True, timeout=300)
        return done.stdout

    vouch("source", "add", "notes", "--kind", "folder", "--path", memory_folder / "notes",
          "--access", ROOT / "examples" / "public.yaml")
    vouch("ingest")
    lines = vouch("ask", "--questions", memory_folder / "asked.jsonl", "--json").splitlines()
    answers = {answer["question"]: answer for answer in map(json.loads, lines)}
    assert {question: answers[question]["action"] for question in ASKED} == ASKED
    assert "140 euro" in answers["How much is paid for a hotel?"]["answer"]
