"""Poison goes to the dead topic, all of it and nothing else, and healthy questions beside it are answered as soon."""

import random
import time
from datetime import UTC, datetime
from typing import Any

import pytest
from faults.delivery.poison import KINDS, Company, judge
from faults.delivery.poison_places import SAID, Opener
from running.soak_table import Figures

from consumers.questions.handler import QuestionHandler
from consumers.worker import message_processor

SEED = 20261121
HEALTHY, EACH, RATE = 270, 5, 8.0       # of the long form


def poisoned(found: Company, healthy: int, each: int, **changes: Any) -> set[str]:
    """Runs a worker over healthy questions with poison strewn among them; the names of the poison."""
    names = [("", n) for n in range(healthy)] + [(kind, n) for kind in KINDS for n in range(each)]
    random.Random(SEED).shuffle(names)
    for kind, number in names:
        if kind:
            found.send_poison(kind, number)
        else:
            found.send_healthy(f"q{number}")
    poison = {f"{kind}-{number}" for kind, number in names if kind}
    with found.at_work(found.worker(**changes), found.sender()):
        found.wait(lambda: found.settled() and len(found.dead()) == len(poison), 30 if not changes else 5)
    return poison


@pytest.mark.slow
def test_one_message_in_ten_is_poison_and_the_dead_set_is_exactly_that(opener: Opener) -> None:
    with opener() as found:
        assert judge(found, poisoned(found, 110, 2)) == []


class Swallows(QuestionHandler):
    """Takes a crash for an answer."""

    def handle(self, question: Any) -> None:
        if not question.id.startswith("crash"):
            super().handle(question)


@pytest.mark.slow
@pytest.mark.parametrize("opener", ["files"], indirect=True)
@pytest.mark.parametrize("planted", ["swallows", "gives up early", "knows every version"])
def test_the_harness_sees_poison_that_is_swallowed_given_up_early_or_taken(
    opener: Opener, planted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opener() as found:
        changes: dict[str, Any] = {"max_attempts": 2} if planted == "gives up early" else {"max_attempts": 5}
        if planted == "swallows":
            changes["handler"] = Swallows(
                found.answering.answer, found.answering.decline, found.ledger, lambda: datetime.now(UTC),
                served=["there"],
            )
        elif planted == "knows every version":
            known = message_processor.decode
            monkeypatch.setattr(
                message_processor, "decode", lambda topic, data: known(topic, data.replace(b": 99", b": 1")))
        wrong = judge(found, poisoned(found, 10, 1, **changes))
        name = "version" if planted.startswith("knows") else "crash"
        assert any(name in line for line in wrong), wrong


@pytest.mark.soak
def test_healthy_questions_beside_poison_wait_no_twice_as_long(
    opener: Opener, request: pytest.FixtureRequest, figures: Figures
) -> None:
    """Each way twice, in turns, and the quicker one counts: what else the machine does comes in bursts."""
    without, beside = [], []
    for _ in range(2):
        without.append(p95(opener, 0))
        beside.append(p95(opener, EACH))
    place = SAID[request.node.callspec.params["opener"]]
    size = f"twice {HEALTHY} healthy, {EACH * len(KINDS)} poison, {RATE:g} a second"
    figures(f"one message in ten is poison; {place}", size,
            f"dead set exact; p95 of healthy ones {min(beside):.3f} s, without poison {min(without):.3f} s")
    assert min(beside) < 2 * min(without)


def p95(opener: Opener, each: int) -> float:
    """Sent at a fixed rate, timed from when they were to be sent until the receiver has the answer."""
    arrived: dict[str, float] = {}
    names = [("", n) for n in range(HEALTHY)] + [(kind, n) for kind in KINDS for n in range(each)]
    random.Random(SEED).shuffle(names)
    poison = {f"{kind}-{number}" for kind, number in names if kind}
    with opener() as found:
        keep = found.receiver.keep

        def timed(sent: dict[str, Any]) -> None:
            arrived[sent["question_id"]] = time.monotonic()
            keep(sent)

        found.receiver.keep = timed     # type: ignore[method-assign]
        with found.at_work(found.worker(hold=64, patience_s=10.0), found.sender()):
            began = time.monotonic()
            for position, (kind, number) in enumerate(names):
                due = began + position / RATE
                time.sleep(max(0.0, due - time.monotonic()))
                if kind:
                    found.send_poison(kind, number)
                else:
                    found.send_healthy(f"q{number}")
                    found.sent[f"q{number}"] = due
            found.wait(lambda: found.settled() and len(found.dead()) == len(poison), 60)
        assert judge(found, poison) == []
        took = sorted(arrived[name] - due for name, due in found.sent.items())
    return took[int(len(took) * 0.95)]
