"""What the table of labels promises, whichever database lies under it."""

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from machines.ledger_place import LedgerPlace

from vouch.adapters.ledger import Ledger
from vouch.errors import Overtaken, Usage
from vouch.learning.labels.label import Label
from vouch.messages import QuestionAsked, TagsAudience

NOW = datetime(2026, 11, 23, 10, 0, 0, 123456, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def ledger(ledger_place: LedgerPlace) -> Ledger:
    return ledger_place.open()


def label(chunk: str = "c1", **more: Any) -> Label:
    values: dict[str, Any] = {
        "question": "Who? 你好 \U0001f600", "audience": ("group:staff", "public"), "text_hash": "ab" * 32,
        "version": 7, "relevance": 2, "source": "vote", "weight": 0.1 + 0.2, "at": NOW,
        "person": "user:ana@acme.test", "answer_id": "a1", "position": 1,
    }  # fmt: skip
    return Label(chunk_id=chunk, **values | more)


def judged(chunk: str = "c1", **more: Any) -> Label:
    return label(chunk, source="judged", answer_id=None, position=None, **more)


def answered(ledger: Ledger, name: str, asker: str = "public") -> None:
    question = QuestionAsked(
        id=f"q-{name}", text="Who?", surface="terminal", asker=asker, audience=TagsAudience(tags=("public",)),
        asked_at=NOW,
    )  # fmt: skip
    ledger.answers.record(question, {"id": name}, [], [], NOW)


def test_labels_come_back_as_they_were_by_time(ledger: Ledger) -> None:
    late, early = label("c2", at=NOW + MINUTE), judged(text_hash=None, relevance=0, person=None)
    ledger.labels.put([late, early])
    assert ledger.labels.list() == [early, late]
    assert ledger.labels.list(sources=["judged"]) == [early] and ledger.labels.list(sources=[]) == []
    assert ledger.labels.list(since=NOW + MINUTE) == [late]


def test_a_later_judgment_takes_the_place_of_the_former(ledger: Ledger) -> None:
    ledger.labels.put([judged(), judged("c2")])
    changed = judged(relevance=0, at=NOW + MINUTE)
    ledger.labels.put([judged(relevance=1), changed])
    assert ledger.labels.list() == [judged("c2"), changed]
    assert ledger.labels.delete([changed.key, "unknown"]) == 1
    assert ledger.labels.list() == [judged("c2")]


def test_labels_of_an_answer_are_made_anew_at_once_and_others_stay(ledger: Ledger) -> None:
    for name in ("a1", "a2"):
        answered(ledger, name)
    other = label("c9", answer_id="a2")
    assert ledger.labels.replace_derived(["a1", "a2"], [label(), label("c2"), other]) == 3
    ledger.labels.put([judged(), replace(judged("c3"), answer_id="a1")])
    assert ledger.labels.replace_derived(["a1"], [label("c2", weight=0.5)]) == 1
    assert {(one.chunk_id, one.source) for one in ledger.labels.list()} == {
        ("c1", "judged"), ("c3", "judged"), ("c2", "vote"), ("c9", "vote"),
    }  # fmt: skip
    ledger.labels.replace_derived(["a1", "a2"], [])
    assert {one.source for one in ledger.labels.list()} == {"judged"}


def test_no_label_is_made_from_an_answer_that_is_gone(ledger: Ledger) -> None:
    answered(ledger, "a1")
    assert ledger.labels.replace_derived(["a1", "gone"], [label(), label("c2", answer_id="gone")]) == 1
    assert [one.answer_id for one in ledger.labels.list()] == ["a1"]


@pytest.mark.parametrize("wrong", [label(answer_id="a2"), label(answer_id=None), label(source="judged")])
def test_only_what_was_made_from_the_answers_can_be_theirs(ledger: Ledger, wrong: Label) -> None:
    answered(ledger, "a1")
    ledger.labels.replace_derived(["a1"], [label()])
    with pytest.raises(Usage):
        ledger.labels.replace_derived(["a1"], [wrong])
    assert ledger.labels.list() == [label()]


def test_a_purge_that_began_since_leaves_nothing_of_what_was_made_before(ledger: Ledger) -> None:
    from vouch.adapters.ledger.removal.erasure import Target

    answered(ledger, "a1")
    began = ledger.answers.erasures()
    ledger.labels.replace_derived(["a1"], [label()], began)
    ledger.erasure.made_from(Target([], ["c1"], lambda data: False))
    with pytest.raises(Overtaken):
        ledger.labels.replace_derived(["a1"], [label("c2")], began)
    with pytest.raises(Overtaken):
        ledger.labels.put([judged()], began)
    assert ledger.labels.list() == [label()]


def test_more_labels_than_a_statement_takes(ledger: Ledger) -> None:
    answered(ledger, "a1")
    many = [label(f"c{n}") for n in range(2_300)]
    assert ledger.labels.replace_derived(["a1"], many) == 2_300
    ledger.labels.put(many)
    assert len(ledger.labels.list()) == 2_300
    assert ledger.labels.delete([one.key for one in many]) == 2_300


def test_those_who_judge_the_same_at_once_never_meet(ledger: Ledger) -> None:
    failures: list[Exception] = []
    meeting = threading.Barrier(4)

    def act(number: int) -> None:
        try:
            for n in range(8):
                meeting.wait(20)
                ledger.labels.put([judged(f"c{n}", at=NOW + number * MINUTE), judged(f"c{n + 1}")])
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=act, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert {one.chunk_id for one in ledger.labels.list()} == {f"c{n}" for n in range(9)}


def test_labels_of_the_newest_answers_and_of_none(ledger: Ledger) -> None:
    def of(answer: str | None, day: int, **more: Any) -> Label:
        return label(f"c{day}", answer_id=answer, at=NOW + timedelta(days=day), **more)

    given = [of(None, 0, source="judged"), of("a", 1), of("c", 2), of("b", 3), of("a", 4)]
    ledger.labels.put(given)
    assert ledger.labels.of_newest(3) == given
    assert ledger.labels.of_newest(2) == [given[0], given[1], given[3], given[4]]
    assert ledger.labels.of_newest(1) == [given[0], given[1], given[4]]
    old = of("old", -9, source="judged")
    ledger.labels.put([old, of("old", -8), of("d", 4)])
    assert ledger.labels.of_newest(1) == [old, of("old", -8), given[0]], "what was judged goes before what is newer"
    assert ledger.labels.of_newest(2) == [old, of("old", -8), given[0], of("d", 4)], "of the same moment the last id"


def test_whoever_asks_a_lot_drives_out_nobody(ledger: Ledger) -> None:
    """Ana asked five times, later than the two others; of one the question is gone, and who is cited for is unknown."""
    for n in range(5):
        answered(ledger, f"ana{n}", "user:ana@acme.test")
    answered(ledger, "bo", "user:bo@acme.test")
    mine = [label(answer_id=f"ana{n}", at=NOW + (9 + n) * MINUTE, person=None) for n in range(5)]
    others = [label(answer_id="bo", at=NOW), label(answer_id="gone", at=NOW + MINUTE, person="user:cy@acme.test")]
    ledger.labels.put([*mine, *others])
    assert ledger.labels.of_newest(3) == [*others, mine[4]]
    assert ledger.labels.of_newest(5) == [*others, *mine[2:]]


def test_what_is_of_other_readers_or_sources_is_no_part_of_the_newest(ledger: Ledger) -> None:
    mine = label(audience=("public",), answer_id="old")
    newer = label(answer_id="new", at=NOW + MINUTE)
    hint = label("c2", audience=("public",), answer_id="hint", source="behaviour", at=NOW + 2 * MINUTE)
    named = label("c3", audience=('a"b',), answer_id="odd", at=NOW + 3 * MINUTE)
    ledger.labels.put([mine, newer, hint, named])
    assert ledger.labels.of_newest(1, sources=["vote"], audience=("public",)) == [mine]
    assert ledger.labels.of_newest(9, audience=("public",)) == [mine, hint]
    assert ledger.labels.of_newest(9, audience=("group:staff", "public")) == [newer]
    assert ledger.labels.of_newest(9, audience=('a"b',)) == [named] and ledger.labels.of_newest(9, sources=[]) == []
