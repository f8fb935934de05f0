"""Evidence features: defined by what is visible, the same in any order, and never growing with the list."""

import math
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vouch.adapters.analyser import SnowballAnalyser
from vouch.learning.collections.collection import text_passage
from vouch.retrieval.evidence_features import EVIDENCE_FEATURES, evidence_features
from vouch.values.candidate import Candidate, Statistics

ANALYSE = SnowballAnalyser().terms
QUESTION = "How many days of parental leave does Ana get in 2024?"
TERMS = ANALYSE(QUESTION)
STATISTICS = Statistics(100, {"day": 40, "parent": 3, "leav": 20, "ana": 1, "get": 50})

words = st.sampled_from(
    ("parental", "leave", "days", "Ana", "2024", "12", "get", "the", "a", "Travel", "budget.", "Nothing.", "Paris?")
)
passages = st.lists(words, max_size=30).map(" ".join)
Drawn = tuple[str, float, float | None]
scored = st.tuples(passages, st.floats(-1, 1), st.one_of(st.none(), st.floats(-1, 1)))


def candidates(drawn: list[Drawn]) -> list[Candidate]:
    return [
        Candidate(text_passage(n, "", text), rerank_score=maxsim, dense_score=cosine)
        for n, (text, maxsim, cosine) in enumerate(drawn)
    ]


def features(given: list[Candidate], statistics: Statistics = STATISTICS) -> list[dict[str, float]]:
    return evidence_features(QUESTION, TERMS, statistics, given, ANALYSE)


def one(text: str, **more: object) -> dict[str, float]:
    return features([replace(Candidate(text_passage(0, "", text), rerank_score=0.5), **more)])[0]  # type: ignore[arg-type]


@pytest.mark.slow
@given(st.lists(scored, max_size=8))
def test_every_feature_is_there_finite_and_bounded(drawn: list[Drawn]) -> None:
    for row in features(candidates(drawn)):
        assert list(row) == list(EVIDENCE_FEATURES)
        assert all(math.isfinite(value) for value in row.values())
        shares = {"coverage", "window_coverage", "phrases", "bm25_share", "numbers", "names", "largest_gap"}
        assert all(-1e-12 <= row[name] <= 1 + 1e-12 for name in shares)
        assert row["window_coverage"] <= row["coverage"] + 1e-12


@pytest.mark.slow
@given(st.lists(scored, min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_candidates_does_not_matter(drawn: list[Drawn], r: random.Random) -> None:
    given_, order = candidates(drawn), list(range(len(drawn)))
    r.shuffle(order)
    first, second = features(given_), features([given_[i] for i in order])
    assert [first[i] for i in order] == second


@pytest.mark.slow
@given(scored, st.lists(scored, max_size=6))
def test_only_the_lead_depends_on_the_other_candidates(
    mine: Drawn, others: list[Drawn]
) -> None:
    alone, together = features(candidates([mine]))[0], features(candidates([mine, *others]))[0]
    del alone["maxsim_lead"], together["maxsim_lead"]
    assert alone == together


def test_shares_do_not_grow_with_the_collection() -> None:
    large = Statistics(100_000, {term: n * 1000 for term, n in STATISTICS.frequency.items()})
    small = one("Parental leave is paid.")
    grown = features([Candidate(text_passage(0, "", "Parental leave is paid."), rerank_score=0.5)], large)[0]
    assert grown["numbers"] == small["numbers"] and grown["phrases"] == small["phrases"]
    assert abs(grown["coverage"] - small["coverage"]) < 0.25


def test_coverage_is_the_share_of_idf_mass_by_the_formula() -> None:
    def idf(rows: int) -> float:
        return math.log(1 + (100 - rows + 0.5) / (rows + 0.5))

    mass = {term: idf(STATISTICS.frequency.get(term, 0)) for term in set(TERMS)}
    expected = (mass["parent"] + mass["leav"]) / sum(mass.values())
    assert one("Parental leave.")["coverage"] == pytest.approx(expected)
    assert one("Parental leave.")["largest_gap"] == pytest.approx(mass["2024"] / idf(0))


def test_an_absent_cosine_is_flagged_and_not_the_worst() -> None:
    assert (one("x")["cosine"], one("x")["cosine_missing"]) == (0.0, 1.0)
    assert (one("x", dense_score=-0.2)["cosine"], one("x", dense_score=-0.2)["cosine_missing"]) == (-0.2, 0.0)


def test_a_window_is_three_sentences() -> None:
    near = one("Parental. Leave. Ana. Nothing here. Nothing there.")
    far = one("Parental leave. Nothing here. Nothing there. Nothing more. Ana.")
    assert near["coverage"] == far["coverage"] and near["window_coverage"] > far["window_coverage"]


def test_headings_count_as_part_of_every_passage() -> None:
    under = Candidate(
        replace(text_passage(0, "Leave", "12 weeks for everybody"), section=("Parental leave",)), rerank_score=0.5
    )
    assert features([under])[0]["coverage"] > one("12 weeks for everybody")["coverage"] == 0


def test_a_wanted_number_must_not_be_the_questions_own() -> None:
    assert one("Twelve days.")["number_wanted"] == -1
    assert one("Leave in 2024.")["number_wanted"] == -1
    assert one("Leave of 12 days in 2024.")["number_wanted"] == 1
    assert one("Ana has leave in 2024")["numbers"] == 1 and one("Ana has leave")["numbers"] == 0
    assert one("ana has leave")["names"] == 1 and one("she has leave")["names"] == 0


def test_a_question_of_stop_words_has_features_too() -> None:
    rows = evidence_features("What is it?", [], Statistics(0, {}), candidates([("a", 0.1, None)]), ANALYSE)
    assert rows[0]["coverage"] == 0 and rows[0]["maxsim_lead"] == 0


def test_the_lead_is_over_the_mean_of_the_two_best_others() -> None:
    rows = features(candidates([("a", 0.9, None), ("b", 0.5, None), ("c", 0.3, None), ("d", -0.2, None)]))
    assert [row["maxsim_lead"] for row in rows] == pytest.approx([0.9 - 0.4, 0.5 - 0.6, 0.3 - 0.7, -0.2 - 0.7])


def test_of_windows_that_cover_equally_much_the_first_counts() -> None:
    """The first holds a number of its own, the last does not."""
    first = one("Leave takes 12 days. Nothing. Nothing. Nothing. Nothing. Leave for days.")
    last = one("Leave for days. Nothing. Nothing. Nothing. Nothing. Leave takes 12 days.")
    assert (first["number_wanted"], last["number_wanted"]) == (1.0, -1.0)
    assert first["window_coverage"] == last["window_coverage"]


def test_bm25_share_is_by_the_formula_of_the_index() -> None:
    def idf(rows: int) -> float:
        return math.log(1 + (100 - rows + 0.5) / (rows + 0.5))

    mass = {term: idf(STATISTICS.frequency.get(term, 0)) for term in set(TERMS)}
    norm = 1.2 * (1 - 0.75 + 0.75 * 3 / 120)
    reached = mass["leav"] * 2 / (2 + norm) + mass["parent"] * 1 / (1 + norm)
    assert one("Leave, parental leave.")["bm25_share"] == pytest.approx(reached / sum(mass.values()))


def test_one_found_alone_leads_by_what_such_a_one_usually_has() -> None:
    only = candidates([("a", 0.75, None)])
    row, = evidence_features(QUESTION, TERMS, STATISTICS, only, ANALYSE, usual=0.5)
    assert row["maxsim_lead"] == 0.25 and features(only)[0]["maxsim_lead"] == 0
    with_another = candidates([("a", 0.75, None), ("b", 0.5, None)])
    rows = evidence_features(QUESTION, TERMS, STATISTICS, with_another, ANALYSE, usual=0.1)
    assert [row["maxsim_lead"] for row in rows] == [0.25, -0.25]
    beside_an_odd_one = candidates([("a", 0.5, None), ("b", 0.25, None)])
    rows = evidence_features(QUESTION, TERMS, STATISTICS, beside_an_odd_one, ANALYSE, usual=0.375)
    assert [row["maxsim_lead"] for row in rows] == [0.125, -0.25]


def test_all_that_the_judge_has_read_share_the_best_it_says_of_any() -> None:
    three = candidates([("a", 0.9, None), ("b", 0.5, None), ("c", 0.3, None)])
    rows = evidence_features(QUESTION, TERMS, STATISTICS, three, ANALYSE, judged=[-2.0, -1.0])
    assert [(row["judge"], row["judge_missing"], row["judge_best"]) for row in rows] == [
        (-2.0, 0.0, -1.0), (-1.0, 0.0, -1.0), (0.0, 1.0, -1.0)]
    assert {row["judge_best"] for row in features(three)} == {0.0}
