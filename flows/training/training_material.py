"""What a training learns from: the labels in the ledger, and the candidates that they are about."""

import contextlib
from collections.abc import Sequence

from flows.shared.progress import Progress, silent
from flows.training.finding import Finder
from vouch.adapters.ledger import Ledger
from vouch.errors import BadAccess, NothingToLearn
from vouch.learning.labels.label import Label
from vouch.learning.training.labeled_lists import Row, usable
from vouch.learning.training.training_split import Material, allowed

_BATCH = 200                            # answers read at once


def gather(ledger: Ledger, finder: Finder, public_only: bool, progress: Progress = silent) -> Material:
    """The labels, and the candidates that they are about. Raises NothingToLearn if there are none."""
    labels = allowed(ledger.labels.list(), public_only=public_only)
    if not labels:
        raise NothingToLearn("there is nothing to learn from: not one label",
                             cure="judge with vouch label, let people vote, or give --questions FILE")
    names = sorted({label.answer_id for label in labels if label.answer_id})
    recorded: dict[str, Sequence[Row]] = {}
    for done, name in enumerate(names, 1):
        recorded[name] = sorted(ledger.answers.candidates(name), key=lambda row: str(row["chunk_id"]))
        progress("reading candidates", done, len(names))
    with_rows = {name for name, rows in recorded.items() if any(map(usable, rows))}
    found = {label.question_key for label in labels if label.answer_id in with_rows}
    judged = [label for label in labels if label.source == "judged" and label.question_key not in found]
    searched = _searched(finder, judged, progress)
    told = [one for some in ledger.history.answered(_BATCH) for one in some if one.answer["id"] in recorded]
    return Material(
        labels, recorded, searched, {one.answer["id"]: one.question.asker for one in told},
        {one.answer["id"]: one.answer.get("swapped") or () for one in told},
    )


def _searched(finder: Finder, labels: Sequence[Label], progress: Progress) -> dict[str, Sequence[Row]]:
    """What the readers of a judged question find today, for questions without a recorded answer."""
    asked = {label.question_key: label for label in labels}
    rows: dict[str, Sequence[Row]] = {}
    for done, (key, label) in enumerate(sorted(asked.items()), 1):
        with contextlib.suppress(BadAccess):        # of a conversation: who is in it is not known here
            rows[key] = finder.rows(label.question, label.audience)
        progress("search", done, len(asked))
    return rows
