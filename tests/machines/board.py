"""The loop and the surface in a process that is killed: what was begun and posted stays in files, to be counted."""

import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from consumers.worker.worker import Worker
from vouch.messages import QuestionAsked


@dataclass
class Result:
    answer: dict[str, Any]
    given: list[str] = field(default_factory=list)
    candidates: list[dict[str, Any]] = field(default_factory=list)
    steps: list[dict[str, Any]] = field(default_factory=list)


def answer(question: QuestionAsked) -> Result:
    return Result({"id": os.urandom(8).hex(), "question_id": question.id})


def decline(question: QuestionAsked, reason: str) -> dict[str, Any]:
    return {"id": os.urandom(8).hex(), "reason": reason}


def append(file: Path, line: str) -> None:
    """Whole lines, whoever else appends."""
    place = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(place, (line + "\n").encode())
    os.close(place)


class Board:
    """A surface in a file, where every post that ever arrived stays. A forgetful one, a planted bug, denies them."""

    after_doubt = "ask"

    def __init__(self, file: Path, *, forgetful: bool = False, lingers_s: float = 0.0) -> None:
        self._file, self._forgetful, self._lingers_s = file, forgetful, lingers_s

    def has(self, delivery: Any) -> bool:
        return not self._forgetful and self._file.exists() and delivery.question_id in self._file.read_text()

    def post(self, delivery: Any) -> None:
        append(self._file, f"{delivery.question_id} {delivery.answer['id']}")
        time.sleep(self._lingers_s)


class Early(Worker):
    """The planted bug: commits what was read before it is answered."""

    def _read(self, timeout_s: float) -> bool:
        self._consumer = self._consumer or self._log.consumer(self._group, self._topics)
        record = self._consumer.poll(timeout_s)
        return record is not None and self._hand.take(record) and self._consumer.commit(record)
