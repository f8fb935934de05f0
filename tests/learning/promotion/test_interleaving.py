"""A team draft is fair, tells whose each passage is by its place, and lets simulated readers find the better order."""

import itertools
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from homes.small_world import passage

from vouch.adapters.analyser import SnowballAnalyser
from vouch.learning.promotion.interleaving import Outcomes, credits_of, exact_interval, outcomes
from vouch.learning.promotion.shadowing import RankedAnswer
from vouch.ports.index import Contribution, Look
from vouch.retrieval.experiments import TeamDraft, interleaved_name, team_at
from vouch.retrieval.fusion import ReciprocalRanks, fuse
from vouch.retrieval.hits import Hits
from vouch.retrieval.question.query import form_query
from vouch.values.candidate import Candidate, Statistics
from vouch.values.question import Query

ANALYSER, SIZE = SnowballAnalyser(), 12
Worth = Callable[[str, str], float]


class Told:
    """A fusion that is told its scores: by question and chunk."""

    def __init__(self, name: str, worth: Worth) -> None:
        self.name, self._worth = name, worth

    def scores(self, query: Query, candidates: Sequence[Candidate], look: Look) -> list[float]:
        return [self._worth(query.text, c.chunk_id) for c in candidates]

    def explain(self, query: Query, candidates: Sequence[Candidate], look: Look) -> list[list[Contribution]]:
        return [[] for _ in candidates]


def nothing() -> Statistics:
    return Statistics(0, {})


POOL = [Candidate(passage("text", chunk_id=f"c{n:02}")) for n in range(SIZE)]


def drafted(question: str, current: Worth, shadow: Worth) -> list[str]:
    draft = TeamDraft(Told("old", current), Told("new", shadow))
    scores = draft.scores(form_query(question, ANALYSER), POOL, nothing)
    return [f"c{n:02}" for n in sorted(range(SIZE), key=lambda n: -scores[n])]


def by_hand(question: str, current: list[str], shadow: list[str]) -> list[tuple[str, str]]:
    """The draft as the paper tells it: who has fewer picks, or wins the coin, picks the best that is left."""
    picked: list[tuple[str, str]] = []
    while len(picked) < SIZE:
        taken = {chunk for chunk, _ in picked}
        teams = Counter(team for _, team in picked)
        even = teams["current"] == teams["shadow"]
        first = team_at(question, len(picked) + 1)
        team = first if even else min(("current", "shadow"), key=lambda one: teams[one])
        order = current if team == "current" else shadow
        picked.append((next(chunk for chunk in order if chunk not in taken), team))
    return picked


def test_the_list_is_that_of_the_paper_and_places_tell_the_teams() -> None:
    print("seed 3")
    draw = random.Random(3)
    for number in range(200):
        names = [c.chunk_id for c in POOL]
        orders = [draw.sample(names, SIZE) for _ in range(2)]
        worths = [lambda _, chunk, order=order: -float(order.index(chunk)) for order in orders]
        question = f"question {number}"
        expected = by_hand(question, *orders)
        assert drafted(question, *worths) == [chunk for chunk, _ in expected]
        assert [team_at(question, rank) for rank in range(1, SIZE + 1)] == [team for _, team in expected]


def test_coins_are_fair_and_each_turn_has_both() -> None:
    firsts = Counter(team_at(f"question {n}", rank) for n in range(2000) for rank in (1, 3, 5))
    assert abs(firsts["shadow"] / 6000 - 0.5) < 0.025
    for n in range(100):
        teams = [team_at(f"question {n}", rank) for rank in range(1, 21)]
        assert all({*teams[k : k + 2]} == {"current", "shadow"} for k in range(0, 20, 2))


def test_what_gives_no_number_gives_way_to_reciprocal_ranks() -> None:
    broken = TeamDraft(ReciprocalRanks(), Told("new", lambda *_: float("nan")))
    view: Any = type("View", (), {"passages": lambda _, ids: [passage("x", chunk_id=one) for one in ids]})()
    hits: Any = Hits((type("Hit", (), {"chunk_id": "c1", "score": 1.0}),), ())
    assert fuse(view, form_query("why?", ANALYSER), hits, broken).by == (
        "reciprocal ranks (reciprocal ranks interleaved with new gave no number)")


def test_it_explains_itself_by_team_and_place() -> None:
    draft = TeamDraft(Told("old", lambda _, c: float(c[1:])), Told("new", lambda _, c: -float(c[1:])))
    query = form_query("why is it so?", ANALYSER)
    scores = draft.scores(query, POOL, nothing)
    for score, (part,) in zip(scores, draft.explain(query, POOL, nothing), strict=True):
        assert part.adds == score and part.feature == f"drafted_by_{team_at(query.text, int(part.value))}"


# people who use it

ROUNDS = 400


def clicked(draw: random.Random, order: Sequence[str], relevant: set[str]) -> set[str]:
    """By readers who look at place k with chance 1/k and take what is relevant, and now and then what is not."""
    return {chunk for place, chunk in enumerate(order, 1)
            if draw.random() < 1 / place and draw.random() < (0.8 if chunk in relevant else 0.1)}


def noisy(draw: random.Random, relevant: set[str], noise: float) -> Worth:
    drawn = {c.chunk_id: (c.chunk_id in relevant) + draw.gauss(0, noise) for c in POOL}
    return lambda _, chunk: drawn[chunk]


def played(seed: int, current: float, shadow: float, rounds: int = ROUNDS) -> Outcomes:
    """`current` and `shadow`: how much noise each has in what it takes for relevant."""
    draw = random.Random(seed)
    answers = []
    for number in range(rounds):
        question = f"question {number} of {seed}"
        relevant = set(draw.sample([c.chunk_id for c in POOL], 2))
        order = drafted(question, noisy(draw, relevant, current), noisy(draw, relevant, shadow))
        cited = clicked(draw, order, relevant)
        rows = [{"chunk_id": chunk, "fused_rank": rank, "cited": chunk in cited, "expansion": "none"}
                for rank, chunk in enumerate(order, 1)]
        answers.append(RankedAnswer(question, interleaved_name("old", "new"), rows, f"user:p{number}"))
    return outcomes(answers, "old", "new", ANALYSER)


@pytest.mark.parametrize(("current", "shadow", "better"), [(2.0, 0.3, "shadow"), (0.3, 2.0, "current")])
def test_the_better_model_wins_from_either_side(current: float, shadow: float, better: str) -> None:
    for seed in range(5):
        low, high = played(seed, current, shadow).interval
        assert low > 0.5 if better == "shadow" else high < 0.5, seed


@pytest.mark.slow
def test_equal_models_come_out_even() -> None:
    """The share of wins of all runs is one half, and the interval of a run misses it no more often than it may."""
    runs = [played(seed, 1.0, 1.0, 150) for seed in range(40)]
    wins, losses = sum(run.wins for run in runs), sum(run.losses for run in runs)
    low, high = exact_interval(wins, wins + losses)
    assert low <= 0.5 <= high and high - low < 0.06
    missed = sum(not run.interval[0] <= 0.5 <= run.interval[1] for run in runs)
    assert missed <= 6, missed                          # of 40 at 5 %: more has a chance below 1 %


def test_a_planted_unfair_coin_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the shadow always goes first, equal models do not come out even."""
    unfair = "vouch.retrieval.experiments.team_at", "vouch.learning.promotion.interleaving.team_at"
    for place in unfair:
        monkeypatch.setattr(place, lambda question, rank: "shadow" if rank % 2 else "current")
    assert played(1, 1.0, 1.0).interval[0] > 0.5


def test_neighbors_are_nobodys() -> None:
    question = "How long is parental leave?"
    first = team_at(form_query(question, ANALYSER).text, 1)
    rows = [{"chunk_id": "a", "fused_rank": 1, "cited": True, "expansion": "none"},
            {"chunk_id": "b", "fused_rank": 2, "cited": False, "expansion": "none"},
            {"chunk_id": "n", "fused_rank": 2, "cited": True, "expansion": "adjacent"},
            {"chunk_id": "m", "fused_rank": 0, "cited": True, "expansion": "adjacent"}]
    other = "current" if first == "shadow" else "shadow"
    assert credits_of(RankedAnswer(question, "", rows), ANALYSER) == {first: 1, other: 0}


NAME = interleaved_name("old", "new")


def won_by(team: str, start: str, number: int, person: str = "", **votes: int) -> list[RankedAnswer]:
    """So many answers that `team` wins, each asked by `person`, or by somebody else each time."""
    rows = [{"chunk_id": "a", "fused_rank": 1, "cited": True, "expansion": "none"}]
    questions = (f"{start} {n}" for n in itertools.count())
    fit = (text for text in questions if team_at(form_query(text, ANALYSER).text, 1) == team)
    return [RankedAnswer(text, NAME, rows, person or f"user:{start} {n}", votes)
            for n, text in enumerate(itertools.islice(fit, number))]


def test_votes_give_and_take_credits_of_those_who_vote() -> None:
    (one,) = won_by("shadow", "why", 1, ana=1, ben=-1)
    assert outcomes([one], "old", "new", ANALYSER) == Outcomes(2, 0, 1)         # who asked, and ana; ben
    mixed = won_by("current", "why", 2, "ana") + won_by("shadow", "how", 2, "ana")
    assert outcomes(mixed, "old", "new", ANALYSER) == Outcomes(0, 1, 0)


def test_one_person_who_predicts_the_coins_refuses_no_shadow() -> None:
    """Asks only what the current model wins, votes for it, and against all that the shadow won."""
    honest = won_by("shadow", "honest one", 50) + won_by("current", "honest two", 50)
    for number in (6, 20, 60):
        hers = won_by("current", "annual leave", number, "mallory", mallory=1)
        assert outcomes(hers, "old", "new", ANALYSER) == Outcomes(0, 0, 1)
        voted = [replace(one, votes={"mallory": -1}) for one in honest[:50]] + honest[50:]
        found = outcomes(voted + hers, "old", "new", ANALYSER)
        assert found == Outcomes(50, 0, 51) and found.interval[1] > 0.5


def test_a_question_for_a_list_is_drafted_by_what_it_lists() -> None:
    question = "Which documents mention telework?"
    rows = [{"chunk_id": "a", "fused_rank": rank, "cited": True, "expansion": "none"} for rank in (1,)]
    team = team_at("telework", 1)
    assert credits_of(RankedAnswer(question, "", rows), ANALYSER)[team] == 1


def test_answers_of_other_models_do_not_count() -> None:
    rows = [{"chunk_id": "a", "fused_rank": 1, "cited": True, "expansion": "none"}]
    answers = [RankedAnswer("why?", name, rows) for name in ("old", "old interleaved with other", "new")]
    assert outcomes(answers, "old", "new", ANALYSER) == Outcomes(0, 0, 0)
    assert Outcomes(0, 0, 0).interval == (0.0, 1.0)


@pytest.mark.parametrize(("wins", "trials", "low", "high"), [
    (0, 10, 0.0, 0.3085), (10, 10, 0.6915, 1.0), (5, 10, 0.1871, 0.8129), (8, 20, 0.1912, 0.6395), (1, 1, 0.025, 1.0),
])
def test_the_interval_is_that_of_the_tables(wins: int, trials: int, low: float, high: float) -> None:
    assert exact_interval(wins, trials) == pytest.approx((low, high), abs=1e-4)
