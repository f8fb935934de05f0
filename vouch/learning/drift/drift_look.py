"""How answers of the last days differ from those of a reference: its scores and features, declines and votes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Protocol

from vouch.learning.drift.stability import Floats, Share, Stability, stability, wilson
from vouch.retrieval.fusion_features import FEATURE_NAMES, FEATURE_SCHEMA

WEEK = timedelta(days=7)
_FEWEST = 30                            # answers in either time: with fewer, chance exceeds any shift


class Tally(Protocol):
    @property
    def answers(self) -> int: ...
    @property
    def declined(self) -> int: ...
    @property
    def up(self) -> int: ...
    @property
    def down(self) -> int: ...


class PastAnswers(Protocol):
    """Implemented by the ledger's history."""

    def tally(self, since: datetime, until: datetime) -> Tally: ...
    def first(self) -> datetime | None: ...
    def made_at(self, kind: str) -> datetime | None: ...


class Measured(Protocol):
    @property
    def answers(self) -> int: ...
    @property
    def values(self) -> Mapping[str, Floats]: ...


class Measures(Protocol):
    """Implemented by the ledger's measures."""

    def read(
        self, since: datetime, until: datetime, *, schema: int, names: Sequence[str], most: int
    ) -> Measured: ...


@dataclass(frozen=True, slots=True)
class Period:
    """From `since` on, before `until`. `what` it is, in words."""

    since: datetime
    until: datetime
    what: str


@dataclass(frozen=True)
class Standing:
    """Of one period: the share of declined questions, and that of votes that are up."""

    period: Period
    declined: Share
    up: Share


@dataclass(frozen=True)
class Drift:
    """`columns` is empty where nothing can be compared, and `why_not` says why."""

    recent: Standing
    reference: Standing | None
    columns: Mapping[str, Stability]
    why_not: str = ""


@dataclass(frozen=True)
class DriftLook:
    """Each call reads the candidates of at most `most` answers of either time."""

    history: PastAnswers
    measures: Measures
    days: int = 7
    first_day: date | None = None
    most: int = 300

    def __call__(self, now: datetime) -> Drift:
        """Raises what the ledger raises."""
        recent = Period(now - timedelta(days=self.days), now, f"the last {self.days} days")
        standing = self._standing(recent)
        reference = self._reference(recent)
        if reference is None or standing.declined.of < _FEWEST:
            why = f"{recent.what} have fewer than {_FEWEST} answers" if reference else (
                f"no whole week before {recent.what} is kept with {_FEWEST} answers or more")
            return Drift(standing, None if reference is None else self._standing(reference), {}, why)
        then, now_ = self._values(reference), self._values(recent)
        independent = then.answers, now_.answers
        found = {name: stability(then.values[name], now_.values[name], independent=independent) for name in then.values}
        columns = {name: column for name, column in found.items() if column is not None}
        return Drift(standing, self._standing(reference), columns, "" if columns else "no candidates were recorded")

    def _reference(self, recent: Period) -> Period | None:
        """The first of those that may serve and have answers enough before the recent time."""
        for one in self._references():
            if one.until <= recent.since and self.history.tally(one.since, one.until).answers >= _FEWEST:
                return one
        return None

    def _references(self) -> list[Period]:
        if self.first_day is not None:
            begin = datetime.combine(self.first_day, time(), UTC)
            return [Period(begin, begin + WEEK, f"the week from {self.first_day}")]
        fitted, first = self.history.made_at("fusion"), self.history.first()
        found = []
        if fitted is not None:
            found.append(Period(fitted - WEEK, fitted, "the week before the learned fusion was made"))
        if first is not None:
            found.append(Period(first, first + WEEK, "the oldest week that is kept"))
        return found

    def _standing(self, period: Period) -> Standing:
        counts = self.history.tally(period.since, period.until)
        return Standing(period, wilson(counts.declined, counts.answers), wilson(counts.up, counts.up + counts.down))

    def _values(self, period: Period) -> Measured:
        return self.measures.read(
            period.since, period.until, schema=FEATURE_SCHEMA, names=FEATURE_NAMES, most=self.most
        )
