"""A planner of steps goes the whole way: trained over what is served, gated, promoted, answering, and rolled back.

The one that serves first opens passages before it follows names, and so comes to no end: one without that finds more.
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
WASTEFUL = Actor((Template("open", most=3), Template("bridge", names=3)), steps=3, follows=True)
PLACES = ("canteen", "library", "workshop", "archive", "gym", "garage", "studio", "greenhouse", "laundry", "foundry",
          "mailroom", "kitchen", "lobby", "bakery", "chapel", "stable", "cinema", "harbour", "nursery", "smithy")
PEOPLE = ("Mara", "Lind", "Osei", "Kalnins", "Duarte", "Novak", "Ito", "Banda", "Moreau", "Haddad",
          "Silva", "Petrov", "Okafor", "Larsen", "Demir", "Weiss", "Tanaka", "Quispe", "Rossi", "Yilmaz")
ASKED = "Which desk does whoever cleans the canteen have?"
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
    """A page for each place, and one for who cleans it, which does not name the place."""
    (folder / "docs").mkdir()
    for number, (place, person) in enumerate(zip(PLACES, PEOPLE, strict=True)):
        (folder / "docs" / f"{place}.md").write_text(f"# {place.title()}\n\n{_cleans(number)}\n")
        (folder / "docs" / f"{person.lower()}.md").write_text(f"# {person}\n\n{_desk(number)}\n\n{_parks(number)}\n")
    (folder / "access.yaml").write_text("rules:\n  - match: '**'\n    allow: [public]\n")


def _cleans(number: int) -> str:
    return f"{PEOPLE[number]} cleans the {PLACES[number]} every evening."


def _desk(number: int) -> str:
    return f"{PEOPLE[number]} has desk {number + 11} on the second floor."


def _parks(number: int) -> str:
    return f"{PEOPLE[number]} parks on row {number + 41} behind the house."


def questions(file: Path, ask: str, says: Callable[[int], str]) -> Path:
    """Of each place one that two pages answer together."""
    rows = [
        {"id": str(n), "question": ask.format(place), "answerable": True, "all_quotes_needed": True,
         "quotes": [_cleans(n), says(n)], "quote_paths": [f"{place}.md", f"{PEOPLE[n].lower()}.md"]}
        for n, place in enumerate(PLACES)
    ]  # fmt: skip
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
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

    training = questions(tmp_path / "training.jsonl", "Which desk does whoever cleans the {} have?", _desk)
    validation = questions(tmp_path / "validation.jsonl", "On which row does whoever cleans the {} park?", _parks)
    [found] = vouch("train", "agent", training, "--validation", validation, "--steps", 3, "--rounds", 1)
    assert found["state"] == "candidate", found["reason"]
    assert {gate["name"] for gate in found["gates"] if gate["passed"]} == {
        "questions", "validation", "worth", "metric", "two worlds"}
    before, after = (found["figures"]["validation"][when] for when in ("before", "after"))
    assert after["metric"] > before["metric"] > 0

    vouch("models", "promote", found["name"], "--by", "ana")
    assert planned_by(vouch) == {(found["name"], "rag")}
    vouch("models", "rollback", "agent", "--by", "ana")
    assert (added["name"], "open") in planned_by(vouch)
    vouch("models", "rollback", "agent", "--by", "ana")
    assert planned_by(vouch) == {("rules", "rag")}
