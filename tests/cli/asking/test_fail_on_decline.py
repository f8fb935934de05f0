"""`vouch ask --fail-on-decline` ends with a code of its own once a question was declined, and only then."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from vouch.access import Directory, Permissions

Vouch = Callable[..., tuple[int, str, str]]


class TwoMinds:
    """A desk that declines what it is asked about secrets."""

    def permissions(self) -> Permissions:
        return Permissions.settled(1, {}, Directory())

    def ask(self, text: str, tags: object, thread: str | None = None, *told: object, **how: object) -> dict[str, Any]:
        return {"id": "a1", "action": "declined" if "secret" in text else "answered", "sentences": []}


@pytest.fixture
def asked(vouch: Vouch, monkeypatch: pytest.MonkeyPatch) -> Vouch:
    @contextmanager
    def desk() -> Iterator[TwoMinds]:
        yield TwoMinds()

    monkeypatch.setattr("cli.wiring.asking.open_ask_client", desk)
    return vouch


@pytest.mark.parametrize(("text", "words", "expected"), [
    ("a secret", ["--fail-on-decline"], 3),
    ("a secret", [], 0),
    ("the canteen", ["--fail-on-decline"], 0),
    ("the canteen", [], 0),
])
def test_only_a_declined_question_fails_and_only_with_the_option(
    asked: Vouch, text: str, words: list[str], expected: int
) -> None:
    code, out, err = asked("ask", text, *words, "--json")
    assert code == expected
    assert json.loads(out)["action"] == ("declined" if "secret" in text else "answered"), "the answer is printed anyway"
    assert ("1 of 1 question declined" in err) is (expected == 3)


def test_of_many_one_that_is_declined_is_enough_and_all_are_asked(asked: Vouch, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(json.dumps({"id": text, "text": text}) + "\n" for text in ("secret", "canteen", "garden")))
    code, out, err = asked("ask", "--questions", file, "--fail-on-decline")
    assert code == 3 and "1 of 3 questions declined" in err
    assert [json.loads(line)["question_ref"] for line in out.splitlines()] == ["secret", "canteen", "garden"]
    assert asked("ask", "--questions", file)[0] == 0


@pytest.mark.model
@pytest.mark.slow
def test_with_the_models_themselves(vouch: Vouch, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "leave.md").write_text("# Leave\n\nEverybody has thirty days of paid leave a year.\n")
    (tmp_path / "docs" / "access.yaml").write_text('rules: [{match: "**", allow: public}]\n')
    assert vouch("source", "add", "docs", "--kind", "folder", "--path", tmp_path / "docs")[0] == 0
    assert vouch("ingest")[0] == 0
    code, out, _ = vouch("ask", "How many days of paid leave does everybody have?", "--fail-on-decline")
    assert code == 0 and "thirty days" in out
    code, _, err = vouch("ask", "Who won the chess championship of 1972?", "--fail-on-decline")
    assert code == 3 and "1 of 1 question declined" in err
    assert vouch("ask", "Who won the chess championship of 1972?")[0] == 0
