"""Labels made from what the ledger recorded: from citations, votes and behaviour."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from vouch.adapters.ledger import Ledger
from vouch.errors import Busy, Overtaken
from vouch.learning.labels.label_rules import LabelRules
from vouch.learning.labels.threads import Terms, Threads
from vouch.learning.labels.weak_labels import weak_labels

_BATCH = 200                            # answers a transaction
_TRIES = 3


@dataclass(frozen=True)
class Collected:
    """How many answers were looked at, and how many labels of each source there are from them."""

    answers: int
    labels: dict[str, int]


def collect_labels(
    ledger: Ledger, rules: LabelRules, terms: Terms, now: datetime, progress: Callable[[str, int, int], None]
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
    ledger: Ledger, rules: LabelRules, terms: Terms, now: datetime, progress: Callable[[str, int, int], None]
) -> Collected:
    began = ledger.answers.erasures()
    threads = Threads(ledger.history.questions(), terms)
    seen, made = 0, Counter[str]()
    for batch in ledger.history.answered(_BATCH):
        labels = [label for one in batch for label in weak_labels(one, threads, rules, now)]
        ledger.labels.replace_derived([one.answer["id"] for one in batch], labels, began)
        seen += len(batch)
        made.update(label.source for label in labels)
        progress("labels", seen, 0)
    return Collected(seen, dict(sorted(made.items())))
