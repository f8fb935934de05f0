"""What the registry of models promises, whichever database lies under it."""

import multiprocessing
import random
import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy
from machines.ledger_place import LedgerPlace

from vouch.adapters.ledger import Ledger, Vote, open_ledger
from vouch.adapters.ledger.registry import models as models_module
from vouch.adapters.ledger.registry.model_rows import LONG_AGO, Pointer, RegisteredModel, served_before
from vouch.errors import Conflict, Damaged, NotFound, Usage
from vouch.messages import QuestionAsked, TagsAudience

NOW = datetime(2026, 11, 23, 10, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
RRF = ["reciprocal ranks"]


@pytest.fixture
def ledger(ledger_place: LedgerPlace) -> Ledger:
    return ledger_place.open()


def model(name: str, kind: str = "fusion", state: str = "candidate", **more: Any) -> RegisteredModel:
    fields = {"body": {"weight": 0.1 + 0.2}, "report": {"gain": 0.01}, "reason": None, "made_at": NOW}
    return RegisteredModel(name=name, kind=kind, state=state, **(fields | more))


def move(
    ledger: Ledger, name: str | None, kind: str = "fusion", at: datetime = NOW, *, back: bool = False
) -> Pointer:
    expected = ledger.models.pointer(kind).moves
    return ledger.models.move(kind, name, expected=expected, reason="why", by="user:ana@acme.test", at=at, back=back)


def added(ledger: Ledger, *names: str) -> None:
    for name in names:
        assert ledger.models.add(model(name))


def test_a_model_comes_back_bit_for_bit_and_is_added_once(ledger: Ledger) -> None:
    later = model("b", made_at=NOW + HOUR)
    for one in (later, model("a"), model("e", "evaluator")):
        assert ledger.models.add(one) is True
    assert ledger.models.add(later) is False
    with pytest.raises(Conflict):
        ledger.models.add(model("b", body={"weight": 0.5}))
    assert ledger.models.get("b") == later
    assert [one.name for one in ledger.models.list()] == ["a", "e", "b"]
    assert [one.name for one in ledger.models.list("evaluator")] == ["e"]
    with pytest.raises(NotFound):
        ledger.models.get("c")


def test_a_move_changes_the_pointer_of_its_kind_and_is_in_the_history(ledger: Ledger) -> None:
    added(ledger, "a", "b")
    assert ledger.models.pointer("fusion") == Pointer("fusion") and ledger.models.pointers() == {}
    assert move(ledger, "a") == Pointer("fusion", "a", None, None, 1)
    assert move(ledger, "b", at=NOW + HOUR) == ledger.models.pointer("fusion") == Pointer("fusion", "b", moves=2)
    assert move(ledger, None, at=NOW + HOUR) == Pointer("fusion", None, moves=3)
    assert ledger.models.pointers() == {"fusion": Pointer("fusion", None, moves=3)}
    history = ledger.models.moves("fusion")
    assert [(one.former, one.model) for one in history] == [(None, "a"), ("a", "b"), ("b", None)]
    assert (history[0].reason, history[0].by, history[0].at) == ("why", "user:ana@acme.test", NOW)
    assert ledger.models.moves("evaluator") == [] and ledger.models.moves() == history


def test_what_was_looked_at_before_another_move_moves_nothing(ledger: Ledger) -> None:
    added(ledger, "a", "b")
    move(ledger, "a")
    for stale in (0, 2):
        with pytest.raises(Conflict):
            ledger.models.move("fusion", "b", expected=stale, reason="", by="", at=NOW)
        with pytest.raises(Conflict):
            ledger.models.shadow("fusion", "b", expected=stale, at=NOW)
    assert ledger.models.pointer("fusion") == Pointer("fusion", "a", moves=1) and len(ledger.models.moves()) == 1


def test_what_is_refused_retired_unknown_or_of_another_kind_is_never_pointed_at(ledger: Ledger) -> None:
    added(ledger, "a", "old")
    ledger.models.add(model("bad", state="refused", reason="loses .02"))
    ledger.models.add(model("judge", "evaluator"))
    ledger.models.set_state("old", "retired", "made way")
    for name, error, says in [("bad", Usage, "refused: loses .02"), ("old", Usage, "retired: made way"),
                              ("judge", Usage, "kind evaluator"), ("nothing", NotFound, "no model")]:
        with pytest.raises(error, match=says):
            move(ledger, name)
        with pytest.raises(error, match=says):
            ledger.models.shadow("fusion", name, expected=0, at=NOW)
    assert ledger.models.pointers() == {} and ledger.models.moves() == []
    with pytest.raises(Usage, match="serves already"):
        move(ledger, None)


def test_what_serves_or_shadows_cannot_be_retired_and_nothing_refused_comes_back(ledger: Ledger) -> None:
    added(ledger, "a", "b", "c")
    move(ledger, "a")
    ledger.models.shadow("fusion", "b", expected=1, at=NOW)
    for name in ("a", "b"):
        for state in ("retired", "refused"):
            with pytest.raises(Usage):
                ledger.models.set_state(name, state, "")
    ledger.models.set_state("c", "refused", "its gate")
    with pytest.raises(Usage):
        ledger.models.set_state("c", "candidate", "")
    ledger.models.set_state("c", "retired", "tidied")
    assert (ledger.models.get("c").state, ledger.models.get("c").reason) == ("retired", "tidied")
    with pytest.raises(NotFound):
        ledger.models.set_state("d", "retired", "")


def test_a_shadow_begins_ends_is_promoted_and_begins_anew_beside_another_model(ledger: Ledger) -> None:
    added(ledger, "a", "b")
    assert ledger.models.shadow("fusion", "b", expected=0, at=NOW) == Pointer("fusion", None, "b", NOW, 1)
    assert move(ledger, "a", at=NOW + HOUR) == Pointer("fusion", "a", "b", NOW + HOUR, 2)
    with pytest.raises(Usage, match="shadow itself"):
        ledger.models.shadow("fusion", "a", expected=2, at=NOW)
    assert ledger.models.shadow("fusion", None, expected=2, at=NOW) == Pointer("fusion", "a", moves=3)
    ledger.models.shadow("fusion", "b", expected=3, at=NOW)
    assert move(ledger, "b") == Pointer("fusion", "b", moves=5)
    assert len(ledger.models.moves()) == 2, "shadows are no moves"


def test_what_was_seen_of_a_shadow_stays_with_it_however_it_ends(ledger: Ledger) -> None:
    added(ledger, "a", "b", "c")
    ledger.models.shadow("fusion", "b", expected=0, at=NOW)
    ledger.models.move("fusion", "a", expected=1, reason="better", by="ana", at=NOW, seen={"answers": 1})
    ledger.models.shadow("fusion", "c", expected=2, at=NOW, seen={"answers": 2})
    ledger.models.shadow("fusion", None, expected=3, at=NOW, seen={"answers": 3})
    ledger.models.shadow("fusion", "b", expected=4, at=NOW, seen={"answers": 4})
    ledger.models.move("fusion", "b", expected=5, reason="better", by="ana", at=NOW + HOUR, seen={"answers": 5})
    ledger.models.shadow("fusion", "c", expected=6, at=NOW)
    with pytest.raises(Conflict):
        ledger.models.dismiss("fusion", expected=6, reason="it lost", at=NOW, seen={"answers": 6})
    ledger.models.dismiss("fusion", expected=7, reason="it lost", at=NOW, seen={"answers": 7})
    kept = {name: ledger.models.get(name).report.get("shadows") for name in "abc"}
    until, later = NOW.isoformat(), (NOW + HOUR).isoformat()
    assert kept == {
        "a": None,
        "b": [{"answers": 1, "until": until}, {"answers": 2, "until": until}, {"answers": 5, "until": later}],
        "c": [{"answers": 3, "until": until}, {"answers": 7, "until": until}],
    }  # fmt: skip


def test_a_shadow_that_is_dismissed_is_refused_with_the_reason_and_never_comes_back(ledger: Ledger) -> None:
    added(ledger, "a", "b", "c")
    move(ledger, "a")
    with pytest.raises(Usage, match="no fusion shadows"):
        ledger.models.dismiss("fusion", expected=1, reason="it lost", at=NOW)
    ledger.models.shadow("fusion", "b", expected=1, at=NOW)
    with pytest.raises(Conflict):
        ledger.models.dismiss("fusion", expected=1, reason="it lost", at=NOW)
    assert ledger.models.get("b").state == "candidate" and ledger.models.pointer("fusion").shadow == "b"
    after = ledger.models.dismiss("fusion", expected=2, reason="it lost", at=NOW)
    assert after == ledger.models.pointer("fusion") == Pointer("fusion", "a", moves=3)
    assert (ledger.models.get("b").state, ledger.models.get("b").reason) == ("refused", "it lost")
    assert {ledger.models.get(name).state for name in "ac"} == {"candidate"} and len(ledger.models.moves()) == 1
    with pytest.raises(Usage, match="refused: it lost"):
        ledger.models.shadow("fusion", "b", expected=3, at=NOW)


@pytest.mark.parametrize("reached", ["store_pointer", "update", "find_pointer"])
def test_a_dismissal_that_ends_half_way_changes_nothing(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, reached: str
) -> None:
    added(ledger, "a")
    before = ledger.models.shadow("fusion", "a", expected=0, at=NOW)

    def killed(*_: object) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(models_module, reached, killed)
        ledger.models.dismiss("fusion", expected=1, reason="it lost", at=NOW)
    assert ledger.models.pointer("fusion") == before and ledger.models.get("a").state == "candidate"


def test_a_rollback_goes_back_step_by_step_past_what_was_retired(ledger: Ledger) -> None:
    added(ledger, "a", "b", "c")
    with pytest.raises(Usage):
        ledger.models.former("fusion")
    for name in ("a", "b", "c"):
        move(ledger, name)
    assert ledger.models.former("fusion") == "b"
    move(ledger, "b", back=True)
    assert ledger.models.former("fusion") == "a", "and not c, which it came back from"
    ledger.models.set_state("a", "retired", "")
    assert ledger.models.former("fusion") is None
    move(ledger, None)
    with pytest.raises(Usage):
        ledger.models.former("fusion")


def test_of_an_older_model_that_is_promoted_again_a_rollback_leads_to_the_one_before_it(ledger: Ledger) -> None:
    added(ledger, "a", "b", "c")
    for name in ("a", "b", "c", "a"):
        move(ledger, name)
    assert ledger.models.former("fusion") == "c"
    for name in ("b", "c"):
        ledger.models.set_state(name, "retired", "")
    assert ledger.models.former("fusion") is None, "and not the one that serves"
    assert served_before(ledger.models.moves("fusion")) == ["a", "b", "c"]


def test_of_many_threads_that_move_from_one_state_one_wins_and_the_history_is_a_chain(ledger: Ledger) -> None:
    names = [f"m{number}" for number in range(6)]
    added(ledger, *names)
    for _ in range(5):
        expected = ledger.models.pointer("fusion").moves
        won = raced(ledger, names, expected)
        assert len(won) == 1
        assert ledger.models.pointer("fusion") == Pointer("fusion", won[0], moves=expected + 1)
    check_chain(ledger, 5)


def raced(ledger: Ledger, names: list[str], expected: int) -> list[str]:
    """Who won of those that move at once; the one that serves takes no part."""
    won, start = list[str](), threading.Barrier(len(names))

    def run(name: str) -> None:
        start.wait()
        try:
            ledger.models.move("fusion", name, expected=expected, reason="race", by=name, at=NOW)
            won.append(name)
        except (Conflict, Usage):
            pass

    threads = [threading.Thread(target=run, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return won


def check_chain(ledger: Ledger, length: int) -> None:
    """Each move begins at what the one before it led to, and the last one led to what serves."""
    history = ledger.models.moves("fusion")
    assert len(history) == length
    assert [one.former for one in history] == [None, *(one.model for one in history[:-1])]
    assert history[-1].model == ledger.models.pointer("fusion").model


def test_a_model_that_is_retired_while_it_is_promoted_does_not_serve(ledger: Ledger) -> None:
    """One of the two comes first, and the other is refused."""
    for number in range(8):
        name = f"m{number}"
        added(ledger, name)
        done, start = list[str](), threading.Barrier(2)

        def run(does: str, name: str = name, done: list[str] = done, start: threading.Barrier = start) -> None:
            start.wait()
            try:
                ledger.models.set_state(name, "retired", "") if does == "retire" else move(ledger, name)
                done.append(does)
            except Usage:
                pass

        threads = [threading.Thread(target=run, args=(does,)) for does in ("retire", "promote")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(done) == 1
        assert (ledger.models.get(name).state == "retired") is (done == ["retire"])
        assert (ledger.models.pointer("fusion").model == name) is (done == ["promote"])


def _moves_in_a_process(url: str, seed: int, wanted: int) -> None:
    draw, ledger, done = random.Random(seed), open_ledger(url), 0
    while done < wanted:
        pointer = ledger.models.pointer("fusion")
        name = draw.choice([n for n in ("a", "b", "c", None) if n != pointer.model])
        try:
            ledger.models.move("fusion", name, expected=pointer.moves, reason="", by=str(seed), at=NOW)
            done += 1
        except Conflict:
            pass
    ledger.close()


@pytest.mark.slow
def test_processes_that_move_at_once_lose_no_move(ledger_place: LedgerPlace) -> None:
    ledger, seeds, each = ledger_place.open(), range(3), 8
    added(ledger, "a", "b", "c")
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_moves_in_a_process, args=(ledger_place.url, seed, each)) for seed in seeds]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    check_chain(ledger, 3 * each)
    assert ledger.models.pointer("fusion").moves == 3 * each
    for seed in seeds:
        assert sum(one.by == str(seed) for one in ledger.models.moves()) == each


def recorded(
    ledger: Ledger, number: int, schema: int = 2, votes: str = "", hour: int | None = None, asker: str = "", **more: str
) -> None:
    question = QuestionAsked(
        id=f"q{number}", text=f"Why {number}?", surface="terminal", asker=asker or f"user:p{number}",
        audience=TagsAudience(tags=("public",)), asked_at=NOW,
    )  # fmt: skip
    answer = {"id": f"a{number}", "question": question.text, "fused_by": "reciprocal ranks"} | more
    rows = [{"chunk_id": f"c{n}", "cited": n == 1, "evidence": {}, "schema": schema, "features": {"x": 0.1 + n},
             "fused_rank": n, "expansion": "none"} for n in (1, 2)]
    at = NOW + (number if hour is None else hour) * HOUR
    assert ledger.answers.record(question, answer, rows if schema else [], [], at)
    for voter, vote in enumerate(votes):
        ledger.feedback.record(Vote(f"a{number}", f"user:{voter}", {"+": "up", "-": "down"}[vote], None, NOW))


def test_ranked_answers_come_newest_first_with_candidates_and_votes(ledger: Ledger) -> None:
    for number in range(60):
        recorded(ledger, number, schema=1 if number == 7 else 2, votes="++-" if number == 59 else "")
    recorded(ledger, 60, schema=0)
    found = list(ledger.ranked.since(NOW + 5 * HOUR, RRF, 1000))
    assert [one.question for one in found] == [f"Why {number}?" for number in range(60, 4, -1)]
    assert found[0].rows == [] and found[0].fused_by == "reciprocal ranks"
    assert found[1].votes == {"user:0": 1, "user:1": 1, "user:2": -1} and found[2].votes == {}
    assert [one.asker for one in found[:2]] == ["user:p60", "user:p59"]
    first, second = found[1].rows
    assert first["features"] == {"x": 1.1} and first["cited"] is True and second["fused_rank"] == 2
    assert [one.question for one in ledger.ranked.since(NOW, RRF, 2)] == ["Why 60?", "Why 59?"]
    assert len(ledger.ranked.counted(NOW + 5 * HOUR, RRF, 2, 1, 99)) == 54
    assert ledger.ranked.counted(NOW + 5 * HOUR, RRF, 1, 1, 99) == [NOW + 7 * HOUR]
    assert ledger.ranked.counted(NOW + 5 * HOUR, RRF, 2, 1, 3) == [NOW + n * HOUR for n in (5, 6, 8)]
    assert list(ledger.ranked.since(NOW + 99 * HOUR, RRF, 9)) == []
    assert ledger.ranked.counted(NOW + 99 * HOUR, RRF, 2, 1, 99) == []


def test_the_newest_of_one_moment_are_always_the_same(ledger: Ledger) -> None:
    numbers = [7, 2, 9, 4, 1, 8]
    for number in numbers:
        recorded(ledger, number, hour=0)
    expected = [f"Why {number}?" for number in sorted(numbers, reverse=True)]
    for most in range(1, 7):
        assert [one.question for one in ledger.ranked.since(NOW, RRF, most)] == expected[:most]


def test_of_the_answers_to_one_person_only_some_count(ledger: Ledger) -> None:
    for number in range(30):
        recorded(ledger, number, asker="user:mallory" if number % 3 else "")
    assert len(ledger.ranked.counted(NOW, RRF, 2, 10, 99)) == 20
    assert len(ledger.ranked.counted(NOW, RRF, 2, 100, 99)) == 30


def test_ranked_answers_are_those_of_the_named_models_and_up_to_a_moment(ledger: Ledger) -> None:
    for number in range(6):
        recorded(ledger, number, votes="+", fused_by=RRF[0] if number % 2 else "fusion-1")
    assert [one.question for one in ledger.ranked.since(NOW, RRF, 9)] == ["Why 5?", "Why 3?", "Why 1?"]
    assert ledger.ranked.counted(NOW, ["fusion-1"], 2, 9, 9) == [NOW + n * HOUR for n in (0, 2, 4)]
    until = list(ledger.ranked.since(NOW, RRF, 9, until=NOW + 3 * HOUR))
    assert [one.question for one in until] == ["Why 3?", "Why 1?"]
    ledger.feedback.record(Vote("a1", "user:late", "up", None, NOW + 4 * HOUR))
    [*_, last] = ledger.ranked.since(NOW, RRF, 9, until=NOW + 3 * HOUR)
    assert last.votes == {"user:0": 1}


def test_a_follow_up_is_ranked_for_what_was_searched(ledger: Ledger) -> None:
    recorded(ledger, 1, understood_as="Why is the sky blue?")
    [found] = ledger.ranked.since(NOW, RRF, 9)
    assert found.question == "Why is the sky blue?"


DEEP = '{"a":' * 3000 + "1" + "}" * 3000


@pytest.mark.parametrize("text", [DEEP, "[" * 200_000])
@pytest.mark.parametrize("column", ["body", "report"])
def test_a_row_that_cannot_be_read_is_said_to_be_and_the_others_are_listed(
    ledger_place: LedgerPlace, text: str, column: str
) -> None:
    ledger = ledger_place.open()
    if text is not DEEP and not ledger_place.url.startswith("sqlite"):
        pytest.skip("PostgreSQL refuses what is no JSON")
    added(ledger, "a", "b", "c")
    with ledger.models._database.write("models") as connection:
        connection.execute(sqlalchemy.text(f"UPDATE models SET {column} = :it WHERE name = 'b'"), {"it": text})
    with pytest.raises(Damaged, match="b cannot be read"):
        ledger.models.get("b")
    with pytest.raises(Damaged):
        move(ledger, "b")
    assert ledger.models.get("a") == model("a")
    damaged = model("b", body={}, report={}, reason="model b cannot be read")
    assert ledger.models.list() == ledger.models.list("fusion") == [model("a"), damaged, model("c")]


@pytest.mark.parametrize("text", ["[]", "null", '"x"', "5"])
@pytest.mark.parametrize("column", ["body", "report"])
def test_json_of_another_shape_is_damaged_and_keeps_no_shadow_in_its_place(
    ledger: Ledger, text: str, column: str
) -> None:
    added(ledger, "a", "b")
    ledger.models.shadow("fusion", "b", expected=0, at=NOW)
    with ledger.models._database.write("models") as connection:
        connection.execute(sqlalchemy.text(f"UPDATE models SET {column} = :it WHERE name = 'b'"), {"it": text})
    with pytest.raises(Damaged, match="b cannot be read"):
        ledger.models.get("b")
    assert [one.reason for one in ledger.models.list()] == [None, "model b cannot be read"]
    ledger.models.move("fusion", "a", expected=1, reason="", by="", at=NOW, seen={"answers": 1})
    ledger.models.shadow("fusion", None, expected=2, at=NOW, seen={"answers": 2})
    ledger.models.set_state("b", "retired", "by ana")


def test_what_a_damaged_report_says_of_shadows_is_no_reason_to_keep_one(ledger: Ledger) -> None:
    added(ledger, "a")
    ledger.models.add(model("b", report={"shadows": 5}))
    ledger.models.shadow("fusion", "b", expected=0, at=NOW)
    ledger.models.shadow("fusion", None, expected=1, at=NOW, seen={"answers": 1})
    assert [one["answers"] for one in ledger.models.get("b").report["shadows"]] == [1]


def test_a_moment_that_cannot_be_read_hides_no_other_model(ledger_place: LedgerPlace) -> None:
    if not ledger_place.url.startswith("sqlite"):
        pytest.skip("PostgreSQL refuses what is no moment")
    ledger = ledger_place.open()
    added(ledger, "a", "b")
    with ledger.models._database.write("models") as connection:
        connection.execute(sqlalchemy.text("UPDATE models SET made_at = 'yesterday' WHERE name = 'b'"))
    assert [(one.name, one.made_at) for one in ledger.models.list()] == [("b", LONG_AGO), ("a", NOW)]
    ledger.models.set_state("b", "retired", "by ana")
    assert len(ledger.models.list("fusion")) == 2
