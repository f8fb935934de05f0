"""Which labels a model is fitted on and judged by, never a question in both; and what each counts.

1. Questions that are nearly the same are one group (splits.py).
2. A group first heard of in the newest weeks is held out, though never more
   than the newest quarter of all groups, and so is a fifth of the others, by
   a hash of its name.
3. What was labeled of the rest in the newest weeks has no part in either,
   though never more than the newest quarter of these labels.
4. Caps and corrections are made on each side by itself, so that what is held
   out moves no weight.

Nothing here depends on the order of the labels, on ids of answers or on
numbers of versions.

Labels must name who is behind them: of a citation, who asked. Those without a name are one person together.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import get_args

from vouch.access import PUBLIC
from vouch.learning.labels.label import Label, Source
from vouch.learning.statistics.splits import groups, split_of
from vouch.learning.training.contradiction import WHY, contradicting
from vouch.learning.training.fusion_training import JudgedCandidates
from vouch.learning.training.weighing import Material, Shares, Weigh, heard, learner, weighed_lists, weigher
from vouch.ports.models import Analyse

OF_PUBLIC = tuple(source for source in get_args(Source) if source != "behaviour")


@dataclass(frozen=True)
class Side:
    """`lists` say something about an order: each weighs more than 0. `labels` are what they are made from, `people`
    how many different ones are behind these."""

    lists: Sequence[JudgedCandidates]
    labels: Sequence[Label]
    left_out: Mapping[str, int]
    people: int

    @property
    def questions(self) -> int:
        """Different ones: what several readers ask in nearly the same words is one."""
        return len({one.group for one in self.lists})


@dataclass(frozen=True)
class Split:
    """`until` is the moment of the newest label, which the model is dated by; `groups` counts different questions,
    `newest` those that are held out since they were first heard of after `border`."""

    train: Side
    test: Side
    until: datetime | None
    groups: int
    dropped: int                        # labels of the newest weeks about questions that were known before
    newest: int = 0
    border: datetime | None = None

    @property
    def left_out(self) -> dict[str, int]:
        """Labels without a part, by reason."""
        return dict(sorted((Counter(self.train.left_out) + Counter(self.test.left_out)).items()))

    @property
    def digest(self) -> str:
        """64 hex digits of all that a fit and its figures depend on."""
        found = hashlib.sha256()
        for side in (self.train, self.test):
            for one in side.lists:
                found.update(repr((one.group, one.items, sorted(one.relevance.items()))).encode())
                for numbers in (one.matrix, one.weights, one.targets):
                    found.update(b"" if numbers is None else numbers.tobytes())
            found.update(b"|")
        return found.hexdigest()


def allowed(labels: Iterable[Label], *, public_only: bool) -> list[Label]:
    """By key. `public_only` leaves those of questions whose readers were the public alone.

    Then behaviour does not count either: what it says of one question depends on
    the next one of its thread, which may have had other readers.
    """
    kept = {
        label.key: label for label in labels
        if not public_only or (label.audience == (PUBLIC,) and label.source in OF_PUBLIC)
    }
    return [kept[key] for key in sorted(kept)]


def split(
    material: Material, terms: Analyse, shares: Shares, *, public_only: bool, weeks: float
) -> Split:
    """Whose votes contradict what is fitted of others has no part on either side, but for judgments; who does so on the
    held-out side alone, in none of that."""
    labels = allowed(material.labels, public_only=public_only)
    group_of = groups((text, terms(text)) for text in sorted({label.question for label in labels}))
    first: dict[str, datetime] = {}
    for label in labels:
        group = group_of[label.question]
        first[group] = min(first.get(group, label.at), label.at)
    until = max((label.at for label in labels), default=None)
    border = until and _border(first.values(), until - timedelta(weeks=weeks))
    newest = {group for group, at in first.items() if border and at > border}
    held_out = newest | {group for group in first if split_of(group) == "test"}
    test = [label for label in labels if group_of[label.question] in held_out]
    rest = [label for label in labels if group_of[label.question] not in held_out]
    last = border and _border([label.at for label in rest], border)
    train = [label for label in rest if not last or label.at <= last]
    weigh, learn = weigher(material, shares), learner(train, material, shares)
    unheard = contradicting(train, material.recorded, learn, shares.contradiction)
    beside = contradicting(test, material.recorded, lambda some: learn(some | unheard), shares.contradiction)
    return Split(
        _side(train, unheard, material, weigh, group_of), _side(test, unheard | beside, material, weigh, group_of),
        until, len(first), len(rest) - len(train), len(newest), border,
    )


def _border(moments: Iterable[datetime], since: datetime) -> datetime:
    """`since`, or a later moment: at most a quarter of all are after it. One of long ago moves it by one place."""
    ordered = sorted(moments)
    return max(since, ordered[-1 - len(ordered) // 4]) if ordered else since


def _side(
    labels: Sequence[Label], unheard: frozenset[str], material: Material, weigh: Weigh, group_of: Mapping[str, str]
) -> Side:
    told_by_others = heard(labels, unheard, material.askers)
    lists, left_out = weighed_lists(told_by_others, material, weigh)
    left_out += Counter({WHY: len(labels) - len(told_by_others)})
    found = [(group_of[ranked.labels[0].question], ranked) for ranked in lists]
    known = sorted(((group, ranked.key, ranked) for group, ranked in found), key=lambda told: told[:2])
    telling = [(ranked, asked) for group, _, ranked in known if (asked := ranked.known(group)).weight > 0]
    told = [label for ranked, _ in telling for label in ranked.labels]
    silent = len(labels) - len(told) - sum(left_out.values())
    return Side(
        [asked for _, asked in telling], told,
        left_out + Counter({"of questions that say nothing about an order": silent}),
        len({label.person for label in told if label.person and label.person != PUBLIC}),
    )
