"""Which times are compared, and what is said where nothing can be."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest

from vouch.learning.drift.drift_look import DriftLook
from vouch.learning.drift.drift_report import drift_row

NOW = datetime(2026, 11, 23, tzinfo=UTC)
DAY = timedelta(days=1)


@dataclass
class Counts:
    answers: int
    declined: int
    up: int
    down: int


@dataclass
class Values:
    answers: int
    values: dict[str, np.ndarray]


@dataclass
class Past:
    """One answer an hour since `begin`; every fourth is declined, every tenth voted down. `fitted`: the model."""

    begin: datetime = NOW - 60 * DAY
    fitted: datetime | None = None
    shift_from: datetime = NOW
    read_from: list[datetime] = field(default_factory=list)

    def tally(self, since: datetime, until: datetime) -> Counts:
        hours = max(0, int((min(until, NOW) - max(since, self.begin)).total_seconds() // 3600))
        return Counts(hours, hours // 4, hours // 20, hours // 10)

    def first(self) -> datetime | None:
        return self.begin

    def made_at(self, kind: str) -> datetime | None:
        assert kind == "fusion"
        return self.fitted

    def read(self, since: datetime, until: datetime, *, schema: int, names: Sequence[str], most: int) -> Values:
        self.read_from.append(since)
        draw = np.random.default_rng(int(since.timestamp()))
        number = min(most, self.tally(since, until).answers)
        shift = 1.0 if since >= self.shift_from else 0.0
        return Values(number, {name: draw.normal(shift, 1, 20 * number) for name in ("probability", *names[:2])})


def test_the_week_of_the_fit_is_the_reference() -> None:
    past = Past(fitted=NOW - 20 * DAY)
    drift = DriftLook(past, past)(NOW)
    assert drift.reference.period.since == NOW - 27 * DAY and past.read_from == [NOW - 27 * DAY, NOW - 7 * DAY]
    assert set(drift.columns) == {"probability", "bm25_score", "bm25_rank"}
    assert not any(one.shifted for one in drift.columns.values()) and drift.why_not == ""
    assert (drift.recent.declined.count, drift.recent.declined.of) == (42, 168)


@pytest.mark.parametrize("fitted", [None, NOW - 90 * DAY, NOW - 3 * DAY])
def test_without_answers_of_that_week_it_is_the_oldest(fitted: datetime | None) -> None:
    past = Past(fitted=fitted)
    assert DriftLook(past, past)(NOW).reference.period.since == past.begin


def test_a_setting_may_name_it() -> None:
    past = Past(fitted=NOW - 20 * DAY)
    look = DriftLook(past, past, first_day=date(2026, 10, 19))
    assert look(NOW).reference.period.since == datetime(2026, 10, 19, tzinfo=UTC)
    assert DriftLook(past, past, first_day=date(2026, 11, 19))(NOW).reference is None


def test_a_shift_is_seen() -> None:
    past = Past(shift_from=NOW - 8 * DAY)
    rows = drift_row(DriftLook(past, past)(NOW))["columns"]
    assert len(rows) == 3 and all(row["shifted"] and row["psi"] > 0.25 for row in rows)


@pytest.mark.parametrize("days", [0, 3, 8])
def test_what_cannot_be_compared_yet_says_why(days: int) -> None:
    past = Past(begin=NOW - days * DAY)
    drift = DriftLook(past, past)(NOW)
    assert drift.columns == {} and drift.why_not and drift.reference is None and past.read_from == []
    assert drift_row(drift)["reference"] is None


def test_a_quiet_week_is_not_compared() -> None:
    past = Past(begin=NOW - 30 * DAY)
    look = DriftLook(past, past, days=1)
    assert look(NOW).columns == {} and "24" not in look(NOW).why_not and look(NOW).reference is not None
