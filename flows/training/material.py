"""What a training learns from: labels made from what was recorded, and the candidates they are about."""

import contextlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from flows.shared.reporting import Progress, silent
from flows.training.finding import Finder
from flows.training.kept_searches import Keeper
from vouch.access import PUBLIC
from vouch.adapters.ledger import Ledger
from vouch.batches import batches
from vouch.errors import BadAccess, Busy, NothingToLearn, Overtaken
from vouch.learning.labels.label import Label
from vouch.learning.labels.threads import Threads
from vouch.learning.labels.weak_labels import LabelRules, weak_labels
from vouch.learning.training.label_places import Row, places_of
from vouch.learning.training.training_split import OF_PUBLIC, allowed
from vouch.learning.training.weighing import Material
from vouch.ports.models import Analyse

_BATCH = 200                            # answers a transaction
_TRIES = 3


@dataclass(frozen=True)
class Collected:
    """How many answers were looked at, and how many labels of each source there are from them."""

    answers: int
    labels: dict[str, int]


def collect_labels(
    ledger: Ledger, rules: LabelRules, terms: Analyse, now: datetime, progress: Callable[[str, int, int], None]
) -> Collected:
    """Every answer's labels are those that the rules make of it now; judgments stay.

    The same ledger, rules and moment make the same rows. Each batch of
    answers is one transaction: a killed run is simply run again.
    Raises Busy if documents are purged all the time.
    """
    for _ in range(_TRIES):
        try:
            return _collect_all(ledger, rules, terms, now, progress)
        except Overtaken:               # what was read may hold words of what is being purged
            continue
    raise Busy("documents are being purged all the time", cure="run it again later")


def _collect_all(
    ledger: Ledger, rules: LabelRules, terms: Analyse, now: datetime, progress: Callable[[str, int, int], None]
) -> Collected:
    began = ledger.answers.erasures()
    threads = Threads(ledger.history.questions(), terms)
    seen, counts = 0, Counter[str]()
    for batch in ledger.history.answered(_BATCH):
        labels = [label for record in batch for label in weak_labels(record, threads, rules, now)]
        ledger.labels.replace_derived([record.answer["id"] for record in batch], labels, began)
        seen += len(batch)
        counts.update(label.source for label in labels)
        progress("labels", seen, 0)
    return Collected(seen, dict(sorted(counts.items())))


_READ_AT_ONCE = 200                            # answers read at once


def gather(
    ledger: Ledger, finder: Finder, public_only: bool, progress: Progress = silent, *, most: int = 20_000,
    keeper: Keeper = Keeper(),  # noqa: B008  (it keeps nothing)
) -> Material:  # fmt: skip
    """The labels of `most` answers, and the candidates that they are about. Raises NothingToLearn if there are none."""
    wanted = ledger.labels.of_newest(most, audience=(PUBLIC,), sources=OF_PUBLIC) if public_only else (
        ledger.labels.of_newest(most))
    labels = allowed(wanted, public_only=public_only)
    if not labels:
        raise NothingToLearn("there is nothing to learn from: not one label",
                             cure="judge with vouch label, let people vote, or give --questions FILE")
    names = sorted({label.answer_id for label in labels if label.answer_id})
    recorded: dict[str, Sequence[Row]] = {}
    for batch in batches(names, _READ_AT_ONCE):
        some = ledger.answers.candidates_of(batch)
        recorded |= {name: sorted(rows, key=lambda row: str(row["chunk_id"])) for name, rows in some.items()}
        progress("reading candidates", len(recorded), len(names))
    places, _ = places_of(labels, recorded, {})
    judged = [label for label in labels if label.source == "judged" and label.key not in places]
    searched = _searched(finder, judged, progress, keeper)
    origins = ledger.history.told_of(names)
    return Material(
        labels, recorded, searched, {name: origin.asker for name, origin in origins.items()},
        {name: origin.swapped for name, origin in origins.items()},
    )


def _searched(
    finder: Finder, labels: Sequence[Label], progress: Progress, keeper: Keeper
) -> dict[str, Sequence[Row]]:
    """What the readers of a judged question find today, for passages that no recorded answer had."""
    asked = sorted({label.question_key: label for label in labels}.items())
    rows: dict[str, Sequence[Row]] = {}
    with keeper.of("labels", [key for key, _ in asked], partial(finder.stamp, [PUBLIC])) as cache:
        for done, (key, label) in enumerate(asked, 1):
            with contextlib.suppress(BadAccess):        # of a conversation: who is in it is not known here
                rows[key] = cache.value(key, partial(finder.stamp, label.audience),
                                        partial(finder.rows, label.question, label.audience), list, list)
            progress(cache.stage, done, len(asked))
    return rows
