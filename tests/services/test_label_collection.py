"""Labels of a whole ledger: the same however often they are made, whatever killed a run, and whatever came between."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import event

import flows.training.material
from flows.training.material import collect_labels
from vouch.adapters.ledger import Ledger, Vote
from vouch.adapters.ledger.removal.erasure import Target
from vouch.errors import Busy
from vouch.learning.labels.label import Label
from vouch.learning.labels.weak_labels import LabelRules
from vouch.messages import QuestionAsked, TagsAudience

NOW = datetime(2026, 11, 23, 10, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
ANA = "user:ana@acme.test"
AUDIENCE = TagsAudience(tags=("public",))


def quiet(stage: str, done: int, total: int) -> None:
    pass


def terms(text: str) -> list[str]:
    return text.split()


def collect(ledger: Ledger) -> dict[str, int]:
    return collect_labels(ledger, LabelRules(), terms, NOW + timedelta(days=9), quiet).labels


def record(ledger: Ledger, number: int, *, thread: str | None = None, sent: bool = True, asker: str = "public"
           ) -> None:
    at = NOW + number * MINUTE
    asked = QuestionAsked(id=f"q{number}", text="who rotates keys", surface="slack", asker=asker, audience=AUDIENCE,
                          thread=thread, asked_at=at)
    answer = {"id": f"a{number}", "action": "answered", "index_version": 3, "citations": [{"chunk_id": f"c{number}"}]}
    common: dict[str, Any] = {"evidence": {}, "schema": 2, "features": {}}
    rows = [
        {"chunk_id": f"c{number}", "text_hash": "ab", "cited": True, "shown": 1, **common},
        {"chunk_id": "other", "cited": False, "shown": 2, **common},
        {"chunk_id": "found only", "cited": False, **common},
    ]
    ledger.answers.record(asked, answer, rows, [f"c{number}", "other"], at)
    if sent:
        [row] = ledger.outbox.claim(["slack"], at, MINUTE)
        ledger.outbox.sent(row, at)


def planted(ledger: Ledger, many: int = 7) -> None:
    for number in range(many):
        record(ledger, number, thread="t" if number < 2 else None, asker=ANA if number < 2 else "public")
        ledger.feedback.record(Vote(f"a{number}", "user:bo@acme.test", "up", None, NOW + number * MINUTE))


def rows(ledger: Ledger) -> list[Label]:
    return ledger.labels.list()


def test_labels_are_made_from_the_ledger_and_the_same_each_time(ledger: Ledger) -> None:
    planted(ledger)
    # a0 is asked again, in a1: no end counts, and what a0 cites is not relevant for that
    assert collect(ledger) == {"behaviour": 2, "cited": 13, "vote": 7}
    made = rows(ledger)
    assert {label.chunk_id for label in made}.isdisjoint({"found only"})
    assert next(label for label in made if label.chunk_id == "c4").text_hash == "ab"
    assert collect(ledger) == {"behaviour": 2, "cited": 13, "vote": 7} and rows(ledger) == made


def test_strangers_who_go_on_from_one_answer_lower_no_label_of_it(ledger: Ledger) -> None:
    """Over HTTP whoever is not signed in may follow an answer for the public: they share a name and a thread."""
    for number in range(2):
        record(ledger, number, thread="q0")
    assert collect(ledger) == {"cited": 4}
    assert {(label.chunk_id, label.relevance) for label in rows(ledger)} == {("c0", 1), ("c1", 1), ("other", 0)}


def test_what_is_cited_is_taken_back_once_its_asker_asks_again(ledger: Ledger) -> None:
    def cited() -> dict[str, int]:
        return {label.chunk_id: label.relevance for label in rows(ledger)
                if label.source == "cited" and label.answer_id == "a0"}

    record(ledger, 0, thread="t", asker=ANA)
    collect(ledger)
    assert cited() == {"c0": 1, "other": 0}
    record(ledger, 1, thread="t", asker=ANA)
    collect(ledger)
    assert cited() == {"other": 0}


def test_only_what_changed_is_written(ledger: Ledger) -> None:
    planted(ledger)
    written: list[str] = []

    @event.listens_for(ledger.labels._database._engine, "before_cursor_execute")
    def note(connection: object, cursor: object, statement: str, given: Any, context: object, many: bool) -> None:
        if re.match("(INSERT INTO|DELETE FROM) labels", statement):
            written.extend([statement[:6]] * (len(given) if many else 1))

    first = collect(ledger)
    assert written == ["INSERT"] * sum(first.values())
    written.clear()
    assert collect(ledger) == first and not written, "nothing is new"
    ledger.feedback.record(Vote("a5", "user:bo@acme.test", "down", "wrong", NOW + 30 * MINUTE))
    made = rows(ledger)
    collect(ledger)
    assert sorted(written) == ["DELETE", "INSERT"] and len(rows(ledger)) == len(made)
    assert [one.relevance for one in rows(ledger) if one.answer_id == "a5" and one.source == "vote"] == [0]


@pytest.mark.parametrize("after", range(5))
def test_a_killed_run_is_run_again(ledger: Ledger, monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    monkeypatch.setattr(flows.training.material, "_BATCH", 2)
    planted(ledger)
    collect(ledger)
    whole = rows(ledger)
    ledger.labels.delete([label.key for label in whole])

    def killed(stage: str, done: int, total: int) -> None:
        if done > 2 * after:
            raise KeyboardInterrupt

    if after < 4:
        with pytest.raises(KeyboardInterrupt):
            collect_labels(ledger, LabelRules(), terms, NOW + timedelta(days=9), killed)
        assert 0 < len(rows(ledger)) < len(whole) or after == 3
    collect(ledger)
    assert rows(ledger) == whole


def test_a_later_vote_takes_the_place_of_the_former_and_what_is_not_sent_waits(ledger: Ledger) -> None:
    record(ledger, 1)
    record(ledger, 2, sent=False)
    ledger.feedback.record(Vote("a1", "public", "up", None, NOW))
    collect(ledger)
    ledger.feedback.record(Vote("a1", "public", "down", None, NOW + MINUTE, "outdated"))
    collect(ledger)
    [label] = ledger.labels.list(["vote"])
    assert (label.relevance, label.weight, label.at) == (0, 0.2, NOW + MINUTE)
    assert {label.answer_id for label in rows(ledger)} == {"a1"}


def test_a_judgment_stays(ledger: Ledger) -> None:
    planted(ledger)
    judged = Label("who", ("public",), "c1", None, 3, 3, "judged", 1.0, NOW)
    ledger.labels.put([judged])
    collect(ledger)
    assert ledger.labels.list(["judged"]) == [judged]


def test_an_answer_that_a_purge_reduced_loses_its_labels(ledger: Ledger) -> None:
    planted(ledger)
    collect(ledger)
    target = Target([], ["c4"], lambda data: False)
    ledger.erasure.erase(target, ledger.erasure.made_from(target), [])
    collect(ledger)
    assert "a4" not in {label.answer_id for label in rows(ledger)} and "a5" in {one.answer_id for one in rows(ledger)}


def test_a_purge_that_begins_meanwhile_has_it_begun_anew(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read before the purge is not written after it."""
    monkeypatch.setattr(flows.training.material, "_BATCH", 2)
    planted(ledger)
    target = Target([], ["c4"], lambda data: False)
    purged = list[str]()

    def purge(stage: str, done: int, total: int) -> None:
        if not purged:
            purged.append("c4")
            ledger.erasure.erase(target, ledger.erasure.made_from(target), [])

    done = collect_labels(ledger, LabelRules(), terms, NOW, purge)
    assert done.answers == 7 and "c4" not in {label.chunk_id for label in rows(ledger)}

    def always(stage: str, done: int, total: int) -> None:
        ledger.erasure.made_from(target)

    with pytest.raises(Busy):
        collect_labels(ledger, LabelRules(), terms, NOW, always)
