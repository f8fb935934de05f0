"""A planner of steps goes the whole way: trained over what is served, gated, promoted, answering, and rolled back.

The one that serves first opens passages, which brings nothing here: a planner without that is worth more.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from running import warm

from vouch.correction.planning.planners import Actor, Template
from vouch.learning.models.agent_model import model_of
from vouch.learning.models.model_file import write_model

pytestmark = [pytest.mark.model, pytest.mark.slow, pytest.mark.integration]
ROOT = Path(__file__).resolve().parents[2]
WASTEFUL = Actor((Template("open", most=2), Template("part")), steps=3, follows=True)
PLACES = ("canteen", "library", "workshop", "archive", "gym", "garage", "studio", "greenhouse", "laundry", "foundry")
PEOPLE = ("Mara", "Lind", "Osei", "Kalnins", "Duarte", "Novak", "Ito", "Banda", "Moreau", "Haddad")
ASKED = "When does the canteen open and who cleans the library?"
Vouch = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def vouch(tmp_path: Path) -> Vouch:
    """Runs the command in a process of its own; its JSON lines."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("VOUCH_")}

    def call(*words: object) -> list[dict[str, Any]]:
        done = warm.run(
            [sys.executable, "-m", "cli.main", *map(str, words), "--json"], cwd=ROOT, capture_output=True, text=True,
            env={**own, "VOUCH_HOME": str(tmp_path / "home")}, timeout=600,
        )
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    return call


def company(folder: Path) -> None:
    (folder / "docs").mkdir()
    for number, (place, person) in enumerate(zip(PLACES, PEOPLE, strict=True)):
        (folder / "docs" / f"{place}.md").write_text(f"# {place.title()}\n\n{_opens(number)}\n\n{_cleans(number)}\n")
        assert person in _cleans(number)
    (folder / "access.yaml").write_text("rules:\n  - match: '**'\n    allow: [public]\n")


def _opens(number: int) -> str:
    return f"The {PLACES[number]} opens at {number + 6}:15 on weekdays."


def _cleans(number: int) -> str:
    return f"{PEOPLE[number]} cleans the {PLACES[number]} every evening."


def questions(file: Path, ask: str, says: Callable[[int], str]) -> Path:
    """Of each place one that its page answers, and one on what it costs, which stands nowhere."""
    rows = []
    for number, place in enumerate(PLACES):
        rows.append((ask.format(place), says(number), f"{place}.md"))
        rows.append((f"What does the {place} cost?", f"The {place} costs {number} crowns a month.", "prices.md"))
    file.write_text("".join(
        json.dumps({"id": str(n), "question": text, "answerable": True, "quotes": [quote], "quote_paths": [path]})
        + "\n" for n, (text, quote, path) in enumerate(rows)))
    return file


def planned_by(vouch: Vouch) -> set[tuple[str, str]]:
    """Who ordered the steps of an answer, and with which tools."""
    [answer] = vouch("ask", ASKED, "--steps", 3)
    assert answer["action"] != "declined"
    return {(step["by"], step["tool"]) for step in answer["steps"]}


def test_from_a_wasteful_planner_to_a_better_one_and_back(vouch: Vouch, tmp_path: Path) -> None:
    company(tmp_path)
    vouch("source", "add", "house", "--kind", "folder", "--path", tmp_path / "docs", "--access",
          tmp_path / "access.yaml")
    vouch("ingest")
    write_model(model_of(WASTEFUL), tmp_path / "wasteful.json")
    [added] = vouch("models", "add", tmp_path / "wasteful.json")
    vouch("models", "promote", added["name"], "--by", "ana")
    assert (added["name"], "open") in planned_by(vouch)

    training = questions(tmp_path / "training.jsonl", "When does the {} open?", _opens)
    validation = questions(tmp_path / "validation.jsonl", "Who cleans the {}?", _cleans)
    [found] = vouch("train", "agent", training, "--validation", validation, "--steps", 3, "--rounds", 1)
    assert found["state"] == "candidate", found["reason"]
    assert {gate["name"] for gate in found["gates"] if gate["passed"]} == {
        "questions", "validation", "worth", "metric", "two worlds"}
    before, after = (found["figures"]["validation"][when] for when in ("before", "after"))
    assert after["steps"] < before["steps"] and after["metric"] >= before["metric"] > 0

    vouch("models", "promote", found["name"], "--by", "ana")
    assert planned_by(vouch) == {(found["name"], "rag")}
    vouch("models", "rollback", "agent", "--by", "ana")
    assert (added["name"], "open") in planned_by(vouch)
    vouch("models", "rollback", "agent", "--by", "ana")
    assert planned_by(vouch) == {("rules", "rag")}
