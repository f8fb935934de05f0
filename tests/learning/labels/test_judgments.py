"""The cap on judgments: nobody over the share beside others, nobody under what is trusted, and one alone not at all."""

import random
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from services.wiring.evaluation import _capped
from vouch.learning.labels.judgments import TRUSTED, cap_judges, outranking
from vouch.learning.labels.label import Label, Source
from vouch.learning.labels.weights import cap_influence
from vouch.settings import Settings

AT = datetime(2026, 11, 2, 9, tzinfo=UTC)


def said(person: str | None, number: int, source: Source = "judged", weight: float = 1.0) -> list[Label]:
    return [Label(f"{person} {n}", ("public",), chunk, None, 1, grade, source, weight, AT, person)
            for n in range(number) for chunk, grade in (("a", 2), ("b", 0))]


def held(labels: list[Label], person: str | None) -> float:
    return sum(one.weight for one in labels if one.person == person)


@pytest.mark.parametrize("who", ["loud", None])
def test_one_of_many_holds_no_more_than_the_share(who: str | None) -> None:
    labels = [*said(who, 400), *(one for n in range(40) for one in said(f"p{n}", 10, "vote"))]
    capped = cap_judges(labels, share=0.1)
    assert held(capped, who) == pytest.approx(0.1 * sum(one.weight for one in capped))
    assert all(one.weight == 1 for one in capped if one.source == "vote")
    turned = cap_judges(labels[::-1], share=0.1)
    assert held(turned, who) == pytest.approx(held(capped, who))


def test_the_share_is_of_what_is_left_however_many_are_cut() -> None:
    draw = random.Random(1)
    for _ in range(50):
        judges = {f"j{n}": draw.randrange(1, 400) for n in range(draw.randrange(2, 30))}
        labels = [one for name, number in judges.items() for one in said(name, number)] + said("p", 300, "vote")
        capped = cap_judges(labels, share=0.1)
        whole = sum(one.weight for one in capped)
        for name, number in judges.items():
            assert held(capped, name) <= max(0.1 * whole, TRUSTED) * (1 + 1e-9)
            assert held(capped, name) == 2 * number or held(capped, name) >= min(0.1 * whole, TRUSTED) * (1 - 1e-9)


def test_whoever_judges_alone_is_not_cut_and_beside_few_others_keeps_what_is_trusted() -> None:
    alone = said("ana", 400)
    assert cap_judges(alone, share=0.1) == alone
    assert cap_influence(alone, person_share=0.05, day_share=0.25, judge_share=0.1) == alone
    few = cap_judges([*alone, *said("bo", 2, "vote")], share=0.1)
    assert held(few, "ana") == pytest.approx(TRUSTED)
    assert cap_judges([*alone, *said("bo", 2)], share=1.0) == [*alone, *said("bo", 2)]


def test_a_calibration_caps_judgments_as_well() -> None:
    labels = [*said("loud", 400), *(one for n in range(60) for one in said(f"p{n}", 10, "vote", 0.5))]
    capped = list(_capped(Settings().labels, labels))
    assert held(capped, "loud") <= max(TRUSTED, 0.1 * sum(one.weight for one in capped)) * 1.001


def test_a_judgment_stands_for_all_that_is_known_unless_it_was_cut_to_less_than_a_vote() -> None:
    (one, _), (vote, _) = said("ana", 1), said("p", 1, "vote", 0.5)
    votes = [replace(vote, person=f"p{n}") for n in range(9)]
    assert outranking([one], [one, *votes])
    cut = replace(one, weight=0.2)
    assert not outranking([cut], [cut, *votes]) and outranking([cut], [cut]) and not outranking([], votes)
