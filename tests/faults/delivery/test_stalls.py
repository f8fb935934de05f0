"""A question that stops the interpreter of its worker ends that process; its neighbors are answered all the same."""

import os
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import pytest
from running import warm
from running.script_run import command, environment

from composition.log import open_log
from vouch.adapters.ledger import open_ledger
from vouch.messages import QuestionAsked, TagsAudience, encode, key_of, topic_of
from vouch.settings import Settings

pytestmark = pytest.mark.slow
SCRIPT = Path(__file__).with_name("stalls.py")
STALL_S, PATIENCE_S = 2, 240.0
T = TypeVar("T")
POISON = "can you please " * 40 + "help?"


class Scene:
    """A home, and a worker of it that is started anew whenever it ends, as Docker would."""

    def __init__(self, folder: Path, stall_s: float) -> None:
        self.home = folder / "home"
        self._settings = {"VOUCH_HOME": str(self.home), "VOUCH_WORKER__STALL_SECONDS": str(stall_s),
                          "VOUCH_LOG__KIND": "embedded", "VOUCH_LOG__LEASE_SECONDS": "0.5"}
        self.codes: list[int] = []
        self.said = folder / "said"
        warm.run(command(SCRIPT, "prepare"), env=environment(**self._settings), check=True, timeout=120)
        self._worker = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        with self.said.open("ab") as said:
            return warm.Popen(command(SCRIPT, "work"), env=environment(**self._settings), stderr=said)

    def ask(self, text: str) -> str:
        question = QuestionAsked(
            id=uuid.uuid4().hex, text=text, surface="log", asker="public", audience=TagsAudience(tags=("public",)),
            asked_at=datetime.now(UTC),
        )
        with closing(open_log(Settings(), self.home).producer()) as producer:
            producer.send(topic_of(question), key_of(question), encode(question))
        return question.id

    def answer(self, question: str, most_s: float = PATIENCE_S, *, restarts: bool = True) -> str | None:
        """The answer's text when there is one; meanwhile the worker is started anew if it ended."""
        with closing(open_ledger(self.home / "ledger.sqlite")) as ledger:
            return self._until(lambda: (found := ledger.surface.read(question)) and found["answer"], most_s, restarts)

    def ended(self, most_s: float) -> bool:
        return self._until(lambda: self._worker.poll() is not None, most_s, False) is not None

    def _until(self, look: Callable[[], T], most_s: float, restarts: bool) -> T | None:
        until = time.monotonic() + most_s
        while time.monotonic() < until:
            if found := look():
                return found
            if restarts and (code := self._worker.poll()) is not None:
                self.codes.append(code)
                self._worker = self._start()
            time.sleep(0.05)
        return None

    def close(self) -> None:
        self._worker.kill()
        self._worker.wait()


@pytest.fixture
def scene(memory_folder: Path, request: pytest.FixtureRequest) -> Iterator[Scene]:
    for name in [name for name in os.environ if name.startswith("VOUCH_") and name != "VOUCH_DATA"]:
        request.getfixturevalue("monkeypatch").delenv(name)
    made = Scene(memory_folder, getattr(request, "param", STALL_S))
    try:
        yield made
    finally:
        made.close()


def test_the_process_ends_and_neighbors_are_answered_and_the_asker_is_told(scene: Scene) -> None:
    assert scene.answer(scene.ask("How many days does rule number 3 allow?")) and not scene.codes
    poison = scene.ask(POISON)
    neighbors = [scene.ask(f"How many days does rule number {number} allow?") for number in range(4)]
    assert [text for text in map(scene.answer, neighbors) if text is None or "failed" in text] == []
    told = scene.answer(poison)
    assert told is not None and "something failed inside vouch" in told
    assert set(scene.codes) == {1} and len(scene.codes) <= 7
    assert "Timeout" in scene.said.read_text() and POISON[:20] not in scene.said.read_text()
    after = scene.ask("How many days does rule number 1 allow?")
    ended = len(scene.codes)
    assert scene.answer(after) and len(scene.codes) == ended
    dead = [record.key.decode() for record in open_log(Settings(), scene.home).read("questions.dead")]
    assert len(dead) == 1


@pytest.mark.parametrize("scene", [3600], indirect=True)
def test_without_the_guard_the_process_stands_still_for_good(scene: Scene) -> None:
    assert scene.answer(scene.ask("How many days does rule number 3 allow?"))
    poison = scene.ask(POISON)
    assert scene.answer(poison, 6 * STALL_S, restarts=False) is None
    assert not scene.ended(STALL_S)
