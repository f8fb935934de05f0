"""The guard through a real ledger: simulated readers ask and vote, and a worse model gives way to the former one."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy
from learning_scene.answered import Left, leave_answer, leave_answers, left
from machines.ledger_place import new_ledger
from model_fakes.fusion_models import engines_alone, model_of

from composition.model_registry.registered import Fitting
from flows.monitoring.model_guard import (
    PLANNED_DROP,
    Checked,
    GuardComponents,
    GuardLimits,
    Owners,
    check_models,
    nobody,
)
from flows.shared.shadows import Shadows
from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.engine.schema import metadata
from vouch.adapters.ledger.registry.going_back import put_back, unguarded
from vouch.adapters.ledger.registry.model_rows import GUARD, RegisteredModel
from vouch.errors import BadAccess, Conflict
from vouch.learning.models.evaluator_model import load_evaluator
from vouch.learning.models.fusion_model import FusionModel
from vouch.learning.promotion import control
from vouch.retrieval.fusion_features import FEATURE_SCHEMA
from vouch.settings import Settings

BEGIN = datetime(2026, 11, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)
LIMITS = GuardLimits(acts=True, false_alarms=0.01, tolerance=0.02, baseline=1000, fewest=50, per_person=25)
GOOD = {"up": 0.75, "declined": 0.12, "confidence": 0.60, "cited": 0.95}    # `cited` of what is no decline
WORSE = {"up": 0.60, "declined": 0.20, "confidence": 0.52, "cited": 0.93}
BAD = {"up": 0.5, "declined": 0.3, "confidence": 0.45, "cited": 0.9}
SHIPPED = "reciprocal ranks"
PEOPLE = 60
BOSS = "user:boss@acme.test"


class Everything:
    """All can be used: here models have names of their own, which their fingerprints do not bear out."""

    def unusable(self, name: str) -> str:
        return ""

    def apart(self, names: Mapping[str, str | None]) -> str:
        return ""


class Company:
    """People who ask, one question a second, and vote on a fifth of the answers."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.ledger: Ledger = new_ledger(folder / "ledger.sqlite")
        self.random = np.random.default_rng(seed)
        self.asked = 0
        self.fits: Any = Everything()

    @property
    def now(self) -> datetime:
        return BEGIN + self.asked * SECOND

    def ask(self, number: int, by: str, how: dict[str, float], field: str = "fused_by", asker: str = "") -> None:
        draw, some = self.random, list[Left]()
        for _ in range(number):
            self.asked += 1
            person = asker or f"user:p{draw.integers(PEOPLE)}@acme.test"
            declined = draw.random() < how["declined"]
            vote = "up" if draw.random() < how["up"] else "down"
            some.append(left(
                self.asked, self.now, asker=person, action="declined" if declined else "answered",
                confidence=float(draw.beta(8 * how["confidence"], 8 * (1 - how["confidence"]))),
                cited=int(not declined and draw.random() < how["cited"]),
                votes={person: vote} if draw.random() < 0.2 else None, voted_after=SECOND / 2, **{field: by},
            ))  # fmt: skip
        leave_answers(self.ledger, some)

    def promote(self, model: FusionModel, name: str) -> str:
        """What answers call it."""
        body = model.model_dump(mode="json")
        self.ledger.models.add(RegisteredModel(name, "fusion", "candidate", body, {}, None, self.now))
        self.move(name, "somebody")
        return name

    def move(self, name: str | None, by: str, kind: str = "fusion", *, back: bool = False) -> None:
        self.asked += 1
        moves = self.ledger.models.pointer(kind).moves
        self.ledger.models.move(kind, name, expected=moves, reason="tried", by=by, at=self.now, back=back)

    def promote_agent(self, name: str) -> str:
        self.ledger.models.add(RegisteredModel(name, "agent", "candidate", {"name": name}, {}, None, self.now))
        self.move(name, "somebody", "agent")
        return name

    def check(self, limits: GuardLimits = LIMITS, owners: Owners = nobody) -> Sequence[Checked]:
        self.asked += 1
        shipped = {"fusion": SHIPPED, "evaluator": load_evaluator().fingerprint, "agent": "rules"}
        shadows = Shadows(self.ledger, 200, 168.0, lambda: self.now)
        return check_models(GuardComponents(self.ledger, shadows, shipped, limits, self.fits, owners), self.now)

    @property
    def serves(self) -> str | None:
        return self.ledger.models.pointer("fusion").model


@pytest.fixture
def company(memory_folder: Path, request: pytest.FixtureRequest) -> Any:
    made = Company(memory_folder, getattr(request, "param", 1))
    yield made
    made.ledger.close()


def test_answers_that_are_left_together_are_as_workers_leave_them(memory_folder: Path) -> None:
    some = [{"number": 1, "at": BEGIN, "votes": {"user:a@b.c": "up"}, "planned_by": "rules"},
            {"number": 2, "at": BEGIN + SECOND, "action": "declined", "cited": 0}]
    one, other = (new_ledger(memory_folder / name) for name in ("one.sqlite", "other.sqlite"))
    for how in some:
        leave_answer(one, **how)
    leave_answers(other, [left(**how) for how in some])
    assert _rows(one) == _rows(other)
    for ledger in (one, other):
        ledger.close()


def _rows(ledger: Ledger) -> dict[str, list[Any]]:
    with ledger._database.read() as connection:
        return {name: sorted(map(repr, connection.execute(sqlalchemy.select(table))))
                for name, table in metadata.tables.items()}


def bad(company: Company, former: int = 400) -> str:
    """A model that nobody likes serves; what answers call it."""
    company.ask(former, SHIPPED, GOOD)
    return company.promote(engines_alone(), "fusion-1")


AWFUL = {"up": 0.3, "declined": 0.5, "confidence": 0.4, "cited": 0.9}


@pytest.mark.slow
@pytest.mark.parametrize("company", [1, 2, 3], indirect=True)
def test_a_worse_model_is_back_within_stated_questions_and_an_equal_one_stays(company: Company) -> None:
    """Votes .75 → .60, declines .12 → .20, confidence .60 → .52; 1,200 answers before, looked at every 25."""
    company.ask(1200, SHIPPED, GOOD)
    equal = company.promote(engines_alone(), "fusion-equal")
    for _ in range(8):
        company.ask(100, equal, GOOD)
        assert [one.outcome for one in company.check()] == ["holds"]
    worse = company.promote(model_of({"sem_rrf": -1.0}), "fusion-worse")
    asked = 0
    while company.serves == "fusion-worse" and asked < 2000:
        company.ask(25, worse, WORSE)
        company.check()
        asked += 25
    print(f"put back after {asked} questions: {put_back(company.ledger.models)}")
    assert company.serves == "fusion-equal"
    assert asked <= 800
    company.ask(200, equal, GOOD)
    assert company.check() == []                            # nothing to compare with: it is the one from before
    assert company.serves == "fusion-equal"


@pytest.mark.slow
@pytest.mark.parametrize("company", [1, 2], indirect=True)
def test_a_bad_agent_is_back_within_stated_questions_and_an_equal_one_stays(company: Company) -> None:
    """Votes .75 → .5, declines .12 → .3, confidence .6 → .45; 400 answers before, looked at every 25. Only questions
    that steps were to be taken for count."""
    company.ask(600, "rules", GOOD, "planned_by")
    equal = company.promote_agent("agent-equal")
    for _ in range(4):
        company.ask(100, equal, GOOD, "planned_by")
        assert [one.outcome for one in company.check()] == ["holds"]
    worse = company.promote_agent("agent-worse")
    asked = 0
    while company.ledger.models.pointer("agent").model == worse and asked < 2000:
        company.ask(5, SHIPPED, AWFUL)
        company.ask(25, worse, BAD, "planned_by")
        company.check()
        asked += 25
    print(f"put back after {asked} questions with steps: {put_back(company.ledger.models)}")
    assert company.ledger.models.pointer("agent").model == equal
    assert asked <= 300
    company.ask(100, equal, GOOD, "planned_by")
    assert company.check() == []


def test_an_agent_is_compared_with_the_rules_by_what_they_planned(company: Company) -> None:
    """Answers without steps, and those that the rules planned in a damaged agent's place, are of neither."""
    company.ask(60, SHIPPED, AWFUL)
    company.ask(300, "rules", GOOD, "planned_by")
    agent = company.promote_agent("agent-1")
    company.ask(60, SHIPPED, AWFUL)
    company.ask(60, "rules (agent-1 cannot be used)", AWFUL, "planned_by")
    company.ask(60, agent, GOOD, "planned_by")
    (checked,) = company.check()
    assert (checked.kind, checked.outcome) == ("agent", "holds") and 50 <= checked.answers <= 60
    (limit,) = (one for one in checked.limits if one.figure == "answers")
    assert 50 <= limit.values_before <= 300 and min(limit.before, limit.since) > 0.7
    company.ask(200, agent, AWFUL, "planned_by")
    assert [one.outcome for one in company.check()] == ["put back"]
    assert company.ledger.models.pointer("agent").model is None


def test_the_former_model_is_back_and_the_reason_stands_in_the_history(
    company: Company, caplog: pytest.LogCaptureFixture
) -> None:
    company.ask(120, bad(company), AWFUL)
    (one,) = company.check()
    assert (one.outcome, company.serves) == ("put back", None)
    assert [(run.kind, run.outcome) for run in company.ledger.flow_runs.list()] == [("guard", "done")]
    move = company.ledger.models.moves("fusion")[-1]
    assert (move.by, move.former, move.model, move.reason) == (GUARD, "fusion-1", None, one.reason)
    assert "votes" in move.reason or "answers" in move.reason
    assert one.told in caplog.messages
    (told,) = put_back(company.ledger.models)
    assert "fusion-1 was replaced by what comes with vouch" in told
    assert company.check() == []


def test_each_owner_is_told_once_that_a_model_was_put_back(company: Company) -> None:
    company.ask(120, bad(company), AWFUL)
    notices = company.ledger.notices
    assert [one.outcome for one in company.check(replace(LIMITS, acts=False), lambda now: [BOSS])] == ["worse"]
    assert notices.waiting() == []
    company.check(owners=lambda now: [BOSS, "user:ana@acme.test"])
    company.check(owners=lambda now: [BOSS])
    found = [notices.claim(company.now), notices.claim(company.now), notices.claim(company.now)]
    (text,) = put_back(company.ledger.models)
    assert [one and (one.kind, one.body["owner"], one.body["text"]) for one in found] == [
        ("rollback", "user:ana@acme.test", text), ("rollback", BOSS, text), None]


def test_a_model_is_put_back_though_nobody_knows_the_owners(company: Company) -> None:
    def lost(now: datetime) -> Sequence[str]:
        raise BadAccess("a group is not there", cure="name another")

    company.ask(120, bad(company), AWFUL)
    assert [one.outcome for one in company.check(owners=lost)] == ["put back"]
    assert company.ledger.notices.waiting() == []


def test_nobody_is_told_of_a_move_that_somebody_else_won(company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    company.ask(120, bad(company), AWFUL)

    def beaten(*args: Any, **more: Any) -> Any:
        raise Conflict("moved", cure="look again")

    monkeypatch.setattr(company.ledger.models, "move_together", beaten)
    assert [one.outcome for one in company.check(owners=lambda now: [BOSS])] == ["moved meanwhile"]
    assert company.ledger.notices.waiting() == []


def test_a_person_who_promotes_meanwhile_wins(company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    company.ask(120, bad(company), AWFUL)
    real = company.ledger.answer_figures.of
    seen: list[object] = []

    def while_somebody_promotes(made_by: Any) -> Any:
        if not seen:
            company.promote(model_of({"sem_rrf": 1.0}), "fusion-2")
        seen.append(made_by)
        return real(made_by)

    monkeypatch.setattr(company.ledger.answer_figures, "of", while_somebody_promotes)
    (one,) = company.check()
    assert (one.outcome, company.serves) == ("moved meanwhile", "fusion-2")
    assert put_back(company.ledger.models) == []


def test_it_may_be_told_only_to_say_so(company: Company) -> None:
    company.ask(120, bad(company), AWFUL)
    (one,) = company.check(replace(LIMITS, acts=False))
    assert (one.outcome, company.serves) == ("worse", "fusion-1")


@pytest.mark.slow
def test_few_answers_of_either_model_put_nothing_back(company: Company) -> None:
    company.ask(120, bad(company, former=49), AWFUL)
    assert [one.outcome for one in company.check()] == ["too few"]
    company.ask(500, "reciprocal ranks (for a reason)", AWFUL)
    assert [one.outcome for one in company.check()] == ["too few"]
    assert company.serves == "fusion-1"


@pytest.mark.slow
def test_one_person_cannot_bring_a_model_down(company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asks 500 questions that no document answers and votes down each time; without both bounds that is enough."""
    model = bad(company, former=1000)
    company.ask(300, model, GOOD)
    company.ask(500, model, AWFUL | {"up": 0.0, "declined": 1.0}, asker="user:bob@acme.test")
    assert [one.outcome for one in company.check()] == ["holds"]
    monkeypatch.setattr(control, "is_turn", lambda *_: True)
    assert [one.outcome for one in company.check(replace(LIMITS, per_person=10_000))] == ["put back"]


NONSENSE = {"up": 0.0, "declined": 1.0, "confidence": 0.02, "cited": 0.0}
MALLORY = "user:mallory@acme.test"


def promoted(company: Company) -> str:
    company.ask(1200, SHIPPED, GOOD)
    return company.promote(engines_alone(), "fusion-equal")


@pytest.mark.slow
@pytest.mark.parametrize("company", [5], indirect=True)
@pytest.mark.parametrize("number", [6, 25])
def test_nor_can_one_who_is_the_first_to_ask(
    company: Company, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first values decide a test that may be looked at after each; without turns they are one person's."""
    model = promoted(company)
    company.ask(number, model, NONSENSE, asker=MALLORY)
    company.ask(100, model, GOOD)
    monkeypatch.setattr(control, "is_turn", lambda *_: True)
    assert [one.outcome for one in company.check(replace(LIMITS, acts=False))] == ["worse"]
    monkeypatch.undo()
    assert [one.outcome for one in company.check()] == ["holds"]


@pytest.mark.slow
@pytest.mark.parametrize("company", [5], indirect=True)
@pytest.mark.parametrize("number", [13, 25])
def test_nor_can_one_who_is_the_first_to_vote(company: Company, number: int) -> None:
    model = promoted(company)
    for _ in range(number):
        company.asked += 1
        leave_answer(company.ledger, company.asked, company.now, asker=MALLORY, confidence=0.6,
                     votes={MALLORY: "down"}, voted_after=SECOND / 2, fused_by=model)
    company.ask(400, model, GOOD)
    assert [one.outcome for one in company.check()] == ["holds"]


@pytest.mark.parametrize("company", [5], indirect=True)
def test_few_votes_decide_nothing_however_many_answers_there_are(company: Company) -> None:
    model = bad(company)
    for number in range(60):
        company.asked += 1
        voter = f"user:p{number}@acme.test"
        leave_answer(company.ledger, company.asked, company.now, asker=voter, confidence=0.6,
                     votes={voter: "down"} if number < 49 else None, voted_after=SECOND / 2, fused_by=model)
    (one,) = company.check(replace(LIMITS, baseline=5000))
    assert one.limits[0].crossed is not None and one.outcome == "holds"


def test_a_model_that_was_gone_back_to_is_not_compared_with_the_one_it_replaced(company: Company) -> None:
    first = bad(company)
    second = company.promote(model_of({"sem_rrf": 1.0}), "fusion-2")
    company.ask(100, second, GOOD)
    company.move("fusion-1", "somebody", back=True)
    company.ask(100, first, AWFUL)
    assert company.check() == []


@pytest.mark.slow
def test_a_model_that_may_not_serve_any_more_is_not_put_back(company: Company) -> None:
    first = bad(company)
    company.ask(400, first, GOOD)
    second = company.promote(model_of({"sem_rrf": 1.0}), "fusion-2")
    company.ledger.models.set_state("fusion-1", "retired", "old")
    company.ask(120, second, AWFUL)
    assert [one.outcome for one in company.check()] == ["put back"]
    assert company.serves is None


def judging(company: Company, report: dict[str, Any]) -> str:
    """An evaluator that is surer of everything serves; what answers call it."""
    shipped = load_evaluator()
    other = shipped.model_copy(update={"offset": shipped.offset + 1.0})
    company.ask(300, shipped.fingerprint, GOOD, "judged_by")
    model = RegisteredModel("evaluator-1", "evaluator", "candidate", other.model_dump(mode="json"), report, None,
                            company.now)
    company.ledger.models.add(model)
    company.ledger.models.move("evaluator", model.name, expected=0, reason="tried", by="somebody", at=company.now)
    return model.name


def test_an_evaluator_is_not_compared_by_the_probabilities_it_gives_itself(company: Company) -> None:
    company.ask(200, judging(company, {}), GOOD | {"confidence": 0.2}, "judged_by")
    assert [one.outcome for one in company.check()] == ["holds"]


def test_an_evaluator_may_decline_as_much_more_as_its_gate_saw_but_not_more(company: Company) -> None:
    planned = {PLANNED_DROP: 0.3}
    doubting = GOOD | {"declined": 0.42}
    model = judging(company, planned)
    company.ask(200, model, doubting, "judged_by")
    assert [one.outcome for one in company.check()] == ["holds"]
    company.ask(400, model, AWFUL | {"declined": 0.8}, "judged_by")
    assert [one.outcome for one in company.check()] == ["put back"]


def test_an_evaluator_that_declines_more_without_such_a_plan_is_put_back(company: Company) -> None:
    company.ask(300, judging(company, {PLANNED_DROP: "much"}), AWFUL, "judged_by")
    assert [one.outcome for one in company.check()] == ["put back"]


def test_a_judge_goes_back_with_the_evaluator_that_is_worse(company: Company) -> None:
    class WithItsJudge(Everything):
        def apart(self, names: Mapping[str, str | None]) -> str:
            return "" if (names["judge"] is None) is (names["evaluator"] is None) else "another judge"

    worse, models = judging(company, {}), company.ledger.models
    models.add(RegisteredModel("judge-1", "judge", "candidate", {}, {}, None, company.now))
    company.move("judge-1", "somebody", "judge")
    company.fits = WithItsJudge()
    company.ask(300, worse, AWFUL, "judged_by")
    assert [one.outcome for one in company.check()] == ["put back"]
    assert (models.pointer("judge").model, models.pointer("evaluator").model) == (None, None)
    assert {move.by for move in (models.moves("judge")[-1], models.moves("evaluator")[-1])} == {GUARD}


def test_a_former_model_that_is_retired_meanwhile_is_passed_over(
    company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    company.ask(120, bad(company), GOOD)
    company.ask(160, company.promote(model_of({"sem_rrf": 1.0}), "fusion-2"), AWFUL)
    real = company.ledger.models.former

    def retired_at_once(kind: str) -> str | None:
        found = real(kind)
        if found is not None:
            company.ledger.models.set_state(found, "retired", "old")
        return found

    monkeypatch.setattr(company.ledger.models, "former", retired_at_once)
    assert [one.outcome for one in company.check()] == ["put back"]
    assert company.serves is None


def spoil(company: Company, name: str, report: str) -> None:
    with company.ledger.models._database.write("models") as connection:
        connection.execute(sqlalchemy.text("UPDATE models SET report = :it WHERE name = :name"),
                           {"it": report, "name": name})


@pytest.mark.parametrize("report", ["[" * 200_000, "[1]", '{"planned_drop": "much"}'])
def test_a_model_whose_row_is_damaged_is_checked_and_put_back_all_the_same(company: Company, report: str) -> None:
    model = judging(company, {})
    company.ask(120, bad(company), AWFUL)
    spoil(company, "fusion-1", report)
    spoil(company, model, report)
    assert {one.kind: one.outcome for one in company.check()} == {"fusion": "put back", "evaluator": "too few"}
    assert company.serves is None


def test_a_damaged_pointer_of_one_kind_keeps_nobody_from_checking_the_other(company: Company) -> None:
    judging(company, {})
    company.ask(120, bad(company), AWFUL)
    with company.ledger.models._database.write("models") as connection:
        connection.execute(sqlalchemy.text("UPDATE model_pointers SET moves = 'many' WHERE kind = 'evaluator'"))
    checked = {one.kind: one for one in company.check()}
    assert {kind: one.outcome for kind, one in checked.items()} == {
        "fusion": "put back", "evaluator": "cannot be checked"}
    assert "which evaluator serves cannot be read" in checked["evaluator"].told


def test_a_former_model_that_cannot_be_used_gives_way_to_what_comes_with_vouch(company: Company) -> None:
    """It was damaged while another one served; the guard acts all the same."""
    company.fits = Fitting(Settings(), company.ledger.models)
    company.ask(120, bad(company), GOOD)
    company.ask(160, company.promote(model_of({"sem_rrf": 1.0}), "fusion-2"), AWFUL)
    spoil(company, "fusion-1", "[" * 200_000)
    (checked,) = company.check()
    assert checked.outcome == "put back" and company.serves is None
    assert "fusion-1 cannot be used: model fusion-1 cannot be read" in company.ledger.models.moves()[-1].reason


def test_where_nobody_signs_in_it_does_nothing_and_that_is_said(company: Company) -> None:
    company.ask(60, SHIPPED, GOOD, asker="public")
    assert unguarded(company.ledger.models, company.ledger.answer_figures.askers(50), 50) == []
    model = company.promote(engines_alone(), "fusion-1")
    company.ask(60, model, AWFUL, asker="public")
    assert [one.outcome for one in company.check()] == ["too few"]
    (told,) = unguarded(company.ledger.models, company.ledger.answer_figures.askers(50), 50)
    assert told.startswith("1 asker in the newest 50 answers")
    company.ask(40, model, GOOD)
    assert unguarded(company.ledger.models, company.ledger.answer_figures.askers(50), 50) == []


@pytest.mark.parametrize("value", ["null", "1.5", "-1", '"much"'])
def test_an_answer_with_an_odd_confidence_is_left_out_and_no_reason_to_look_at_nothing(
    company: Company, value: str
) -> None:
    company.ask(120, bad(company), AWFUL)
    with company.ledger.models._database.write("odd") as connection:
        changed = f"json_set(body, '$.confidence.value', json('{value}'))"
        connection.execute(sqlalchemy.text(f"UPDATE answers SET body = {changed} WHERE answer_id = 'a450'"))
    (one,) = company.check()
    assert (one.outcome, company.serves) == ("put back", None)


@pytest.mark.parametrize("place, key", [
    ("answers.body", "answer_id = 'a450'"), ("outbox.question", "question_id = 'q450'")])
@pytest.mark.parametrize("text", ["no JSON at all", "", "[" * 200_000])
def test_what_is_no_json_is_left_out_and_counted_and_the_look_goes_on(
    company: Company, place: str, key: str, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    company.ask(120, bad(company), AWFUL)
    table, column = place.split(".")
    with company.ledger.models._database.write("odd") as connection:
        change = sqlalchemy.text(f"UPDATE {table} SET {column} = :it WHERE {key}")
        assert connection.execute(change, {"it": text}).rowcount == 1
    (one,) = company.check()
    assert (one.outcome, one.left_out, company.serves) == ("put back", 1, None)
    assert "1 answer cannot be read and is left out" in one.told
    assert one.told in caplog.messages


YEAR = timedelta(days=365)


@pytest.mark.parametrize("wrong", [YEAR, -YEAR])
def test_a_clock_that_was_wrong_at_the_promotion_lets_no_worse_model_stay(company: Company, wrong: timedelta) -> None:
    """Each answer names its model; the moment of the promotion is another machine's."""
    company.ask(400, SHIPPED, GOOD)
    body = engines_alone().model_dump(mode="json")
    models = company.ledger.models
    models.add(RegisteredModel("fusion-1", "fusion", "candidate", body, {}, None, company.now))
    models.move("fusion", "fusion-1", expected=0, reason="", by="somebody", at=company.now + wrong)
    company.ask(120, "fusion-1", AWFUL)
    assert [one.outcome for one in company.check()] == ["put back"]
    assert company.serves is None


def test_of_a_model_that_is_promoted_once_more_the_answers_of_before_do_not_count(company: Company) -> None:
    """Whoever promotes again what was put back has another look at it."""
    model = bad(company)
    company.ask(120, model, AWFUL)
    assert [one.outcome for one in company.check()] == ["put back"]
    company.ask(100, SHIPPED, GOOD)
    company.move(model, "somebody")
    assert [(one.outcome, one.answers) for one in company.check()] == [("too few", 0)]
    company.ask(120, model, AWFUL)
    assert [one.outcome for one in company.check()] == ["put back"]


def test_an_older_model_that_is_promoted_again_is_guarded_and_goes_back_to_the_one_before_it(company: Company) -> None:
    old = company.promote(engines_alone(), "fusion-old")
    new = company.promote(model_of({"sem_rrf": -1.0}), "fusion-new")
    company.ask(400, new, GOOD)
    company.move(old, "somebody")
    company.ask(120, old, AWFUL)
    assert [(one.outcome, one.former) for one in company.check()] == [("put back", new)]
    assert company.serves == new and company.check() == []
    assert company.ledger.models.former("fusion") == old


def test_what_slow_workers_still_make_with_the_former_model_is_of_neither(company: Company) -> None:
    company.ask(400, SHIPPED, GOOD)
    model = company.promote(engines_alone(), "fusion-1")
    company.ask(1, model, AWFUL)
    company.ask(300, SHIPPED, AWFUL)
    company.ask(150, model, AWFUL)
    (one,) = company.check()
    assert (one.outcome, company.serves) == ("put back", None)
    assert next(limit.before for limit in one.limits if limit.figure == "answers") > 0.8


def test_a_clock_far_ahead_that_replaced_a_model_hides_no_answers_once_it_serves_again(company: Company) -> None:
    """Nor does a slow worker that goes on with what replaced it."""
    model = bad(company)
    company.ask(60, model, GOOD)
    models = company.ledger.models
    models.move("fusion", None, expected=1, reason="", by="somebody", at=company.now + YEAR)
    company.ask(100, SHIPPED, GOOD)
    company.move(model, "somebody")
    company.ask(120, model, AWFUL)
    company.ask(1, SHIPPED, GOOD)
    assert [one.outcome for one in company.check()] == ["put back"]
    assert company.serves is None


def dated(company: Company, answer: int, at: str) -> None:
    with company.ledger.models._database.write("dated") as connection:
        change = sqlalchemy.text("UPDATE answers SET made_at = :at WHERE answer_id = :it")
        assert connection.execute(change, {"at": at, "it": f"a{answer}"}).rowcount == 1


@pytest.mark.parametrize("at", ["2025-11-01 00:00:00.000000", "no moment", ""])
def test_one_answer_with_an_odd_date_lets_no_worse_model_stay(company: Company, at: str) -> None:
    model = bad(company)
    company.ask(200, model, AWFUL)
    dated(company, company.asked - 50, at)
    assert [one.outcome for one in company.check()] == ["put back"]
    assert company.serves is None


def test_nor_does_a_slow_worker_that_answered_with_it_before_it_was_promoted_again(company: Company) -> None:
    first, second = bad(company), company.promote(model_of({"sem_rrf": -1.0}), "fusion-2")
    company.ask(1, first, GOOD)
    company.ask(400, second, GOOD)
    company.ledger.models.move("fusion", first, expected=2, reason="", by="somebody",
                               at=company.now - timedelta(hours=1))
    company.ask(200, first, AWFUL)
    assert [(one.outcome, one.former) for one in company.check()] == [("put back", second)]


def test_answers_of_before_put_no_model_back_that_serves_again_without_new_ones(company: Company) -> None:
    """Whoever replaced it had a clock that was far ahead, and nobody asked meanwhile."""
    model = bad(company)
    company.ask(150, model, AWFUL)
    company.ledger.models.move("fusion", None, expected=1, reason="", by="somebody", at=company.now + YEAR)
    company.move(model, "somebody")
    assert [(one.outcome, one.answers) for one in company.check()] == [("too few", 0)]


def test_a_shadow_that_cannot_be_looked_at_keeps_nothing_from_being_checked(company: Company) -> None:
    model = judging(company, {})
    shadow = RegisteredModel("fusion-9", "fusion", "candidate", {}, {}, None, company.now)
    company.ledger.models.add(shadow)
    company.ledger.models.shadow("fusion", shadow.name, expected=0, at=company.now)
    row = {"chunk_id": "c", "cited": True, "evidence": {}, "schema": FEATURE_SCHEMA, "features": {}, "fused_rank": 1,
           "expansion": "none"}
    company.asked += 1
    leave_answer(company.ledger, company.asked, company.now, candidates=[row], fused_by=SHIPPED)
    dated(company, company.asked, "no moment")
    company.ask(300, model, AWFUL, "judged_by")
    assert [one.outcome for one in company.check()] == ["put back"]


def test_a_late_answer_of_a_slow_worker_makes_no_model_worse_than_it_is(company: Company) -> None:
    """Questions were harder for both models since it was replaced."""
    model = bad(company)
    company.ask(100, model, GOOD)
    company.move(None, "somebody")
    company.ask(1, model, GOOD)
    company.ask(600, SHIPPED, BAD)
    company.move(model, "somebody")
    company.ask(600, model, BAD)
    assert [one.outcome for one in company.check()] == ["holds"]
