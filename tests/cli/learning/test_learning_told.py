"""What commands about learning tell whole, in line, and with the hint that belongs to it."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cli.learning.model_lines import _say_figures, say_difference
from services.answering.asking import _message
from vouch.access import Directory, Permissions, Person
from vouch.errors import BadInput
from vouch.messages import FeedbackGiven

Vouch = Callable[..., tuple[int, str, str]]
LONG = "a figure whose name is longer than forty-four characters and still told whole"


def test_show_cuts_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    _say_figures([{"name": LONG, "value": "w" * 80}])
    out = capsys.readouterr().out
    assert LONG in out and "w" * 80 in out


def test_columns_of_two_models_stand_in_line(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"name": name, "first": 0.5, "second": 0.25} for name in ("short", "sem_gap*question_identifiers*of_more")]
    say_difference({"first": "a", "second": "b", "weights": rows, "figures": []}, everything=False)
    lines = capsys.readouterr().out.splitlines()[1:3]
    assert len({line.index("0.5") for line in lines}) == 1


def test_a_long_reason_is_told_what_a_reason_may_be() -> None:
    with pytest.raises(BadInput, match="reason is longer than 2,000") as told:
        _message(FeedbackGiven, answer_id="a" * 32, person="user:ana@acme.test", vote="up", reason="w" * 2001,
                 at="2026-11-26T10:00:00Z")
    assert told.value.cure == "a reason has up to 2,000 characters"


@pytest.mark.parametrize(("owner", "code"), [("user:anna@acme.test", 3), ("user:ana@acme.test", 0)])
def test_gaps_of_an_owner_nobody_knows_are_refused(
    vouch: Vouch, monkeypatch: pytest.MonkeyPatch, owner: str, code: int
) -> None:
    known = Permissions.settled(1, {}, Directory(people={"ana@acme.test": Person(())}))
    report = {"gaps": [], "owner": owner, "fewest_askers": 3}
    service = SimpleNamespace(permissions=lambda: known, report=lambda *given, **how: report)
    monkeypatch.setattr("cli.wiring.training.labels.open_gaps", lambda: service)
    found, _, err = vouch("gaps", "--owner", owner)
    assert found == code and ("did you mean user:ana@acme.test" in err) is bool(code)


def test_questions_of_a_file_tell_how_far_they_are_in_a_pipe(
    vouch: Vouch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Client:
        def permissions(self) -> Permissions:
            return Permissions.settled(1, {}, Directory())

        def ask(self, *given: object, **how: object) -> dict[str, Any]:
            return {"id": "a1", "action": "answered"}

        def __enter__(self) -> "Client":
            return self

        def __exit__(self, *gone: object) -> None:
            pass

    monkeypatch.setattr("cli.wiring.asking.open_ask_client", Client)
    monkeypatch.setattr("cli.terminal.progress_lines.NEXT_S", 0.0)
    file = tmp_path / "asked.jsonl"
    file.write_text("".join(json.dumps({"id": str(n), "text": "How?"}) + "\n" for n in range(3)))
    assert "looking for an answer (" in vouch("ask", "--questions", file)[2]
    assert "looking for an answer" not in vouch("ask", "How?", "--json")[2]
