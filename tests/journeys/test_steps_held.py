"""Sixteen questions held together with the models that come with vouch: long ones do not hold up short ones."""

import json
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import quantiles
from typing import Any

import pytest

from composition.models import load_models
from services.wiring.answering import open_ask_client
from vouch.messages import QuestionAsked, encode, key_of, topic_of
from vouch.settings import read_settings

QUESTIONS = Path(__file__).parent / "questions.jsonl"
QUEUE, EACH, STEPS = 16, 4, 4           # of four questions the first is a long one
TRIES, MOST = 3, 1.5

pytestmark = [pytest.mark.model, pytest.mark.soak]      # times: what they say on a busy machine is chance


def queue(*, long: bool, each: int = EACH) -> list[tuple[dict[str, Any], int]]:
    """Questions with the steps that they may take. A long one is four questions in one."""
    rows = [json.loads(line) for line in QUESTIONS.read_text().splitlines()]
    asked, others = [(row, 0) for row in rows[:QUEUE]], rows[QUEUE:]
    for n in range(0, QUEUE, each) if long else ():
        parts = [others[(n + part) % len(others)] for part in range(STEPS)]
        asked[n] = ({**parts[0], "text": " ".join(one["text"] for one in parts)}, STEPS)
    return asked


def p95_of_short(asked: Sequence[tuple[dict[str, Any], int]], hold: int) -> float:
    """Seconds from the moment that the worker begins until a short one is answered; nothing is remembered."""
    settings = read_settings()
    desk = open_ask_client(settings.model_copy(update={"worker": settings.worker.model_copy(update={"hold": hold})}))
    encoder, _, closeness, *_ = load_models(settings)
    encoder.questions(["warm"])
    encoder.forget()
    closeness.forget()
    ids = {}
    for row, steps in asked:
        message = QuestionAsked.model_validate({
            "id": uuid.uuid4().hex, "text": row["text"], "surface": "nobody", "asker": row["as"][0],
            "audience": {"tags": row["as"]}, "asked_at": datetime.now(UTC), "steps": steps,
        })
        ids[message.id] = steps
        desk.producer.send(topic_of(message), key_of(message), encode(message))
    began = datetime.now(UTC)
    desk.worker.run(drain=True)
    found = {name: desk.ledger.answers.by_question(name) for name in ids}
    desk.close()
    assert all(len(found[name]["steps"]) >= 2 for name, steps in ids.items() if steps), "long ones take steps"
    return quantiles([(datetime.fromisoformat(found[name]["answered_at"]) - began).total_seconds()
                      for name, steps in ids.items() if not steps], n=20)[-1]


def shares(hold: int, tries: int, each: int = EACH) -> list[float]:
    """How much longer short ones take among long ones than alone, time and again until it is within bounds."""
    found: list[float] = []
    while len(found) < tries and not (found and found[-1] <= MOST):
        alone, among = (p95_of_short(queue(long=long, each=each), hold) for long in (False, True))
        found.append(among / alone)
        print(f"\nheld {hold}: short ones alone {alone:.2f} s, among long ones {among:.2f} s, {found[-1]:.2f} times")
    return found


def test_long_ones_do_not_hold_up_short_ones(demo_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The best of a few, as a machine with other work may hold up either."""
    monkeypatch.setenv("VOUCH_HOME", str(demo_home))
    p95_of_short(queue(long=False), QUEUE)      # what is loaded at the first question is no part of it
    assert min(found := shares(QUEUE, TRIES)) <= MOST, found


def test_the_measure_sees_it_where_they_do(demo_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: a worker that takes one question at a time, every second one a long one."""
    monkeypatch.setenv("VOUCH_HOME", str(demo_home))
    p95_of_short(queue(long=False), 1)
    assert min(found := shares(1, 1, each=2)) > MOST, found
