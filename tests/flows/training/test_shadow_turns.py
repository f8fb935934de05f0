"""What both of two models in turns were liked by is looked at after every training, and decides once."""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy
from homes.ingest_bench import Bench
from learning_scene.answered import leave_answer
from learning_scene.registry_rows import NOW, fusion_row

from flows.shared.shadows import UNREGISTERED, Shadows
from flows.training.promotion import LOST, Registrar, advance
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.ledger import Vote
from vouch.adapters.ledger.registry.model_rows import put_report
from vouch.retrieval.experiments import Team, interleaved_name, team_at
from vouch.retrieval.fusion_features import FEATURE_SCHEMA
from vouch.retrieval.question.listing import as_list
from vouch.retrieval.question.query import form_query

ANALYSER = SnowballAnalyser()
ENOUGH, HOURS, MINUTE = 40, 1000.0, timedelta(minutes=1)
YEAR = timedelta(days=365)


class Turns:
    """A candidate that takes turns with reciprocal ranks; each question is another person's."""

    def __init__(self, bench: Bench) -> None:
        self.ledger, self.asked = bench.ledger, 0
        shadow = fusion_row(bm25_share=0.5)
        self.name = shadow.name
        self.ledger.models.add(shadow)
        self.ledger.models.shadow("fusion", self.name, expected=0, at=NOW)

    def ask(self, *winners: Team, by: str = "") -> None:
        for winner in winners:
            self.asked += 1
            text, at = f"Why {self.asked}?", NOW + self.asked * MINUTE
            query = as_list(form_query(text, ANALYSER), ANALYSER).text
            rank = next(n for n in (1, 2) if team_at(query, n) == winner)
            row = {"chunk_id": "c1", "cited": True, "evidence": {}, "schema": FEATURE_SCHEMA, "features": {},
                   "fused_rank": rank, "expansion": "none"}
            leave_answer(self.ledger, self.asked, at, asker=f"user:p{self.asked}", text=text, candidates=[row],
                         fused_by=by or interleaved_name(UNREGISTERED, self.name))

    def shadows(self, later: timedelta) -> Shadows:
        return Shadows(self.ledger, ENOUGH, HOURS, lambda: NOW + self.asked * MINUTE + later)

    def train(self, later: timedelta = timedelta(0)) -> str:
        """Why it is not promoted."""
        registrar = Registrar(self.ledger, self.shadows(later), lambda row: None, lambda: "", automatic=False)
        return advance(registrar, None, NOW + self.asked * MINUTE + later).waits

    def whole(self) -> dict[str, Any]:
        pointer = self.ledger.models.pointer("fusion")
        return self.shadows(timedelta(0)).seen(self.ledger.models.get(self.name), pointer)

    def seen(self) -> dict[str, Any]:
        return self.whole()["interleaving"]


@pytest.fixture
def turns(bench: Bench) -> Turns:
    return Turns(bench)


def test_what_was_lost_so_far_decides_nothing(turns: Turns) -> None:
    turns.ask(*["current"] * 10)
    assert turns.train() != LOST
    turns.ask(*["shadow"] * 20, *["current"] * 10)
    assert turns.train() != LOST


def test_who_lost_at_the_end_is_refused(turns: Turns) -> None:
    turns.ask(*["shadow"] * 8, *["current"] * 31)
    assert turns.train() != LOST
    turns.ask("current")
    assert turns.train() == LOST
    assert turns.ledger.models.get(turns.name).state == "refused"


def test_what_comes_after_the_end_is_no_second_look(turns: Turns) -> None:
    turns.ask(*["shadow"] * 20, *["current"] * 20)
    assert turns.train() != LOST
    turns.ask(*["current"] * 200)
    turns.ledger.feedback.record(Vote("a1", "user:late", "down", None, NOW + 230 * MINUTE))
    assert turns.train() != LOST
    seen = turns.seen()
    assert (seen["wins"], seen["losses"], seen["ties"]) == (20, 20, 0)
    assert seen["decided_at"] == (NOW + ENOUGH * MINUTE).isoformat()


def test_where_few_ask_its_time_is_the_end(turns: Turns) -> None:
    turns.ask(*["current"] * 10)
    assert turns.train() != LOST and turns.seen()["decided_at"] is None
    assert turns.train(timedelta(hours=HOURS)) == LOST


def test_what_other_models_made_is_none_of_it(turns: Turns) -> None:
    """They were made meanwhile, by workers that had not heard of it yet, or before by a clock that was behind."""
    turns.ask(*["current"] * ENOUGH, by=interleaved_name("fusion-20261101-00000000", turns.name))
    turns.ask(*["current"] * ENOUGH, by="fusion-20261101-00000000")
    turns.ask(*["current"] * ENOUGH, by=f"{UNREGISTERED} ({turns.name} cannot be used)")
    turns.ask("shadow")
    assert turns.train() != LOST
    assert (turns.seen()["wins"], turns.seen()["losses"]) == (1, 0)
    whole = turns.whole()
    assert (whole["counted"], whole["answers"], whole["other_schema"], whole["interleaved"]) == (1, 0, 0, 1)


def test_who_lost_is_refused_also_where_no_newer_answer_was_made_in_turns(
    turns: Turns, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns.ask(*["current"] * ENOUGH)
    monkeypatch.setattr("flows.shared.shadows.MOST", ENOUGH)
    turns.ask(*["current"] * ENOUGH, by=UNREGISTERED)
    assert turns.train() == LOST


def test_what_was_decided_stays_whatever_is_purged_or_voted_again(turns: Turns) -> None:
    turns.ask(*["shadow"] * 20, *["current"] * 20)
    assert turns.train() != LOST
    with turns.ledger.models._database.write("purge") as connection:
        connection.execute(sqlalchemy.text("DELETE FROM answers WHERE answer_id IN ('a1', 'a2', 'a3', 'a4', 'a5')"))
    turns.ledger.feedback.record(Vote("a30", "user:p30", "up", None, NOW + 39 * MINUTE))
    turns.ask(*["current"] * 50)
    assert turns.train() != LOST
    seen = turns.whole()
    assert (seen["interleaving"]["wins"], seen["interleaving"]["losses"], seen["enough"]) == (20, 20, True)
    assert seen["interleaving"]["decided_at"] == (NOW + ENOUGH * MINUTE).isoformat()


def test_another_time_is_decided_anew(turns: Turns) -> None:
    turns.ask(*["shadow"] * ENOUGH)
    assert turns.train() != LOST
    models = turns.ledger.models
    models.shadow("fusion", None, expected=1, at=NOW + turns.asked * MINUTE)
    models.shadow("fusion", turns.name, expected=2, at=NOW + turns.asked * MINUTE + MINUTE / 2)
    turns.ask(*["current"] * 10)
    assert turns.train() != LOST and not turns.whole()["enough"]
    turns.ask(*["current"] * 30)
    assert turns.train() == LOST


def test_a_look_by_a_clock_that_is_ahead_keeps_nothing(turns: Turns) -> None:
    turns.ask(*["current"] * 10)
    turns.shadows(YEAR).keep_decision()
    assert turns.train() != LOST and not turns.whole()["enough"]
    turns.ask(*["shadow"] * 30)
    assert turns.train() != LOST and turns.seen()["wins"] == 30


@pytest.mark.parametrize("answers", [0, 2, 400])
def test_what_was_kept_counts_by_the_settings_it_was_kept_by(turns: Turns, answers: int) -> None:
    turns.ask(*["current"] * ENOUGH)
    turns.shadows(timedelta(0)).keep_decision()
    others = Shadows(turns.ledger, answers, HOURS, lambda: NOW + turns.asked * MINUTE)
    pointer = turns.ledger.models.pointer("fusion")
    seen = others.seen(turns.ledger.models.get(turns.name), pointer)
    assert seen["enough"] == (answers < ENOUGH)
    assert seen["interleaving"]["losses"] == (2 if answers == 2 else ENOUGH)
    assert (seen["interleaving"]["decided_at"] is not None) == (answers == 2)


def test_of_two_who_look_at_once_the_first_decides(turns: Turns) -> None:
    turns.ask(*["shadow"] * 20, *["current"] * 20)
    pointer, late = turns.ledger.models.pointer("fusion"), turns.shadows(timedelta(0))
    other = {"at": NOW.isoformat(), "wins": 5, "ties": 0, "losses": 20}
    turns.shadows(timedelta(0)).keep_decision()
    turns.ledger.models.note_decision("fusion", late._which(pointer), other, expected=pointer.moves)
    assert turns.seen()["wins"] == 20


@pytest.mark.parametrize("damage", [
    "x", [], None, {"at": "x"}, {"wins": "many"}, {"losses": True}, {"ties": -1}, {"at": "2026-11-23T10:00:00"}])
def test_a_damaged_decision_is_worked_out_anew(turns: Turns, damage: Any) -> None:
    turns.ask(*["current"] * ENOUGH)
    turns.shadows(timedelta(0)).keep_decision()
    report = turns.ledger.models.get(turns.name).report
    spoilt = {**report["decided"], **damage} if isinstance(damage, dict) else damage
    with turns.ledger.models._database.write("models") as connection:
        put_report(connection, turns.name, {**report, "decided": spoilt})
    assert turns.train() == LOST
