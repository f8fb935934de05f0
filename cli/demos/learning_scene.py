"""The demo's scene of learning: people ask and vote, a model is fitted, its gates decide, and what changed is told."""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cli.terminal.activity import progress
from cli.terminal.output import say, table
from vouch.plurals import count

FIRST = 5                               # passages of a question that are compared
FEW = {                                 # what a training asks for at least, made to fit a demo
    "VOUCH_TRAINING__QUESTIONS": "8", "VOUCH_TRAINING__HELD_OUT": "5", "VOUCH_TRAINING__ASKERS": "2",
    "VOUCH_TRAINING__LABELS": "40", "VOUCH_TRAINING__LOSS": "0.2",
}


def learn(questions: Path, run: Callable[..., None], reader: str) -> None:
    """`run` prints a command and runs it. Afterwards the model that it promoted is not in use any more."""
    rows = [json.loads(line) for line in questions.read_text(encoding="utf-8").splitlines()]
    ups, downs = _asked_and_voted(rows)
    summary = f"{count(ups, 'vote')} up, where the answer cites what it should; {downs} down"
    say(f"{count(ups + downs, 'question')} asked. {summary}")
    run("train", "fusion")
    say(f"\nThat was refused: so few votes prove nothing. With lower demands, for the demo's sake: {_shown(FEW)}")
    with _environment(FEW):
        run("train", "fusion")
        name = _candidate()
        if name is None:
            say("It is refused again, and nothing changes.")
            return
        before = _orders(rows)
        run("models", "promote", name, "--early")
        _tell_changed(rows, before, _orders(rows))
        run("ask", "How much does on-call pay as secondary?", "--as", reader, "--verbose")
        run("models", "rollback", "fusion")


def _asked_and_voted(rows: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
    """How many votes were up, how many down."""
    from cli.wiring.asking import open_ask_client

    ups = 0
    with progress("asking and voting") as tell, open_ask_client() as client:
        for done, row in enumerate(rows):
            tell("asking and voting", done, len(rows))
            answer = client.ask(row["question"], [row["reader"]])
            right = any(one["path"] == row["path"] and row["section"] in one["section"] for one in answer["citations"])
            client.feedback(answer["id"], row["reader"], "up" if right else "down", None)
            ups += right
    return ups, len(rows) - ups


def _orders(rows: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """The first passages for each question, as what serves now fuses both engines' lists."""
    from cli.wiring.asking import open_search

    finder = open_search()
    with progress("searching") as tell:
        orders = []
        for done, row in enumerate(rows):
            tell("searching", done, len(rows))
            results = finder.search(row["question"], [row["reader"]], FIRST, "fused")["results"]
            orders.append([f"{result['source']}:{result['path']}, {result['place']}" for result in results])
    return orders


def _tell_changed(
    rows: Sequence[Mapping[str, Any]], before: Sequence[Sequence[str]], after: Sequence[Sequence[str]]
) -> None:
    """What a promotion changed: for how many questions, and for one of them passage by passage."""
    others = [n for n, order in enumerate(after) if order != before[n]]
    say(f"\nWhat changed: the first {FIRST} passages, before the reranker, are others or in another order for "
        f"{len(others)} of {count(len(rows), 'question')}.")
    if others:
        first = next((n for n in others if after[n][:1] != before[n][:1]), others[0])
        say(f"For example: {rows[first]['question']}")
        table(["now", "before", "passage"], moved(before[first], after[first]))


def moved(before: Sequence[str], after: Sequence[str]) -> list[tuple[str, str, str]]:
    """Each passage of both orders with its place now and before; "-" if it is or was not among the first."""
    def place(order: Sequence[str], one: str) -> str:
        return str(order.index(one) + 1) if one in order else "-"

    return [(place(after, one), place(before, one), one) for one in dict.fromkeys([*after, *before])]


def _candidate() -> str | None:
    """The newest model that may be promoted."""
    from cli.wiring.training.models import open_models

    rows = [row for row in open_models().rows() if row["state"] == "candidate"]
    return rows[-1]["name"] if rows else None


def _shown(values: Mapping[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in values.items())


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    os.environ.update(values)
    try:
        yield
    finally:
        for name in values:
            del os.environ[name]
