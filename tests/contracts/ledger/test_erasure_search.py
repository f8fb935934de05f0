"""What is searched for words of a purged document is searched while others write, and what they write is not missed."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from learning_scene.past_answers import put
from machines.ledger_place import LedgerPlace
from sqlalchemy import Connection

from vouch.adapters.ledger import Ledger, Vote
from vouch.adapters.ledger.engine.database import Database
from vouch.adapters.ledger.removal.erasure import Target
from vouch.adapters.ledger.removal.word_search import WordSearch
from vouch.learning.labels.label import Label

AT = datetime(2026, 11, 1, 9, tzinfo=UTC)
WORD = b"qzxsalary"
LABEL = Label("When does it open?", ("public",), "c1", None, 4, 2, "judged", 1.0, AT)


@pytest.fixture
def ledger(ledger_place: LedgerPlace) -> Ledger:
    return ledger_place.open()


@contextmanager
def watched(monkeypatch: pytest.MonkeyPatch, before: Callable[[str], None] = lambda turn: None) -> Iterator[list[bool]]:
    """Whose one item says whether a write transaction is open; `before` is called before one begins."""
    real, writing = Database.write, [False]

    @contextmanager
    def write(self: Database, turn: str = "") -> Iterator[Connection]:
        before(turn)
        with real(self, turn) as connection:
            writing[0] = True
            try:
                yield connection
            finally:
                writing[0] = False

    with monkeypatch.context() as patched:
        patched.setattr(Database, "write", write)
        yield writing


def planted(ledger: Ledger) -> None:
    for n in range(3):
        put(ledger, f"q{n}", "When?", "user:ana", AT)
        reason = f"it is {'the qzxsalary' if n == 1 else 'odd'}, {n}"
        ledger.feedback.record(Vote(f"a-q{n}", "user:ana", "down", reason, AT))
    ledger.labels.put([replace(LABEL, question=f"Question {n}?") for n in range(1_100)])
    ledger.labels.put([replace(LABEL, question="What is the qzxsalary?")])


def test_no_writer_waits_for_the_search(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    planted(ledger)
    calls: list[bool] = []
    with watched(monkeypatch) as writing:
        def holds(data: bytes) -> bool:
            calls.append(writing[0])
            return WORD in data

        done = ledger.erasure.erase(Target([], [], holds), [], [])
    assert (done.votes, done.labels) == (1, 1)
    assert not any(calls) and 0 < len(calls) < 600      # of three batches one is looked into
    assert len(ledger.labels.list()) == 1_100
    assert [vote.reason for vote in ledger.feedback.list()] == ["it is odd, 0", None, "it is odd, 2"]


def test_what_is_written_between_search_and_deletion_is_searched_too(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same question in other capitals, under a key that was looked at; a vote that was changed."""
    planted(ledger)
    late = [replace(LABEL, question="QUESTION 7?", chunk_id="c2"), replace(LABEL, question="question  7? qzxsalary")]
    begun: list[str] = []

    def before(turn: str) -> None:
        if turn == "labels" and not begun:
            begun.append(turn)
            ledger.labels.put(late)
            ledger.feedback.record(Vote("a-q0", "user:ana", "down", "the qzxsalary", AT))

    with watched(monkeypatch, before):
        done = ledger.erasure.erase(Target([], [], lambda data: WORD in data), [], [])
    assert (done.votes, done.labels) == (2, 2) and late[0] in ledger.labels.list()
    assert not any(WORD in value for value in ledger.erasure.values())


def test_texts_searched_together_are_found_as_one_by_one() -> None:
    seed = time.time_ns()
    print("seed", seed)
    draw = random.Random(seed)
    for _ in range(20):
        texts = ["".join(draw.choices("ab\0é", k=draw.randrange(12))) for _ in range(draw.randrange(1_300))]
        words = [one.encode() for one in ("abab", "b\0a", "éa", "aaaaaaa")][: draw.randrange(5)]

        def holds(data: bytes, words: list[bytes] = words) -> bool:
            return any(word in data for word in words)

        search, half = WordSearch(holds), texts[: len(texts) // 2]
        for asked in (half, texts, half):
            assert search.quoting(asked) == {text for text in asked if holds(text.encode())}
