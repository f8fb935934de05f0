"""Finds what people asked in vain. The command and the Prefect flow both run this."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from flows.shared.progress import Progress, silent
from vouch.access import Audience
from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.usage.past_answers import PastAnswer
from vouch.learning.gaps.gap import Gap, GapLimits, Unmet, Why, find_gaps, newest
from vouch.learning.gaps.gap_groups import Cluster
from vouch.learning.gaps.gap_titles import normalised
from vouch.learning.gaps.nearest_documents import nearest_documents
from vouch.ports.analyser import Analyser
from vouch.ports.encoder import Encoder, Vector
from vouch.ports.index import Index
from vouch.ports.permission_store import PermissionStore

_BATCH = 64                             # questions that are embedded between two looks at how far it is


@dataclass(frozen=True)
class GapComponents:
    """`encoder` loads the model at its first call, which comes only if there is something to group."""

    home: Path
    ledger: Ledger
    index: Index
    permissions: PermissionStore
    encoder: Callable[[], Encoder]
    analyser: Analyser
    cluster: Cluster
    limits: GapLimits
    weeks: int
    low_confidence: float


def gap_rows(
    components: GapComponents, tags: Sequence[str], now: datetime, *, weeks: int | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """The gaps of the last weeks, with the documents that all readers named by `tags` may read; without tags: public.

    Nothing else in it depends on the readers. Raises NotFound if there are gaps and no index yet.
    """
    weeks = weeks or components.weeks
    turn = now - timedelta(weeks=weeks)
    progress("reading questions", 0, 0)
    answers = components.ledger.past_answers.answers(turn - timedelta(weeks=weeks), now)
    asked = newest(unmet(answers, components.low_confidence), turn, components.limits.texts)
    vectors = _embedded(components, sorted({one.text for one in asked}), progress)
    progress("grouping questions", 0, 0)
    found = find_gaps(asked, vectors, turn, components.cluster, components.analyser.terms, components.limits)
    progress("looking for documents", 0, 0)
    readers = components.permissions.permissions().directory.audience(list(tags), now)
    return {
        "from": turn.isoformat(),
        "until": now.isoformat(),
        "fewest_askers": components.limits.askers,
        "readers": [reader.name for reader in readers.readers],
        "gaps": [{**_row(gap), "documents": _documents(components, readers, gap)} for gap in found],
    }


def unmet(answers: Iterable[PastAnswer], low_confidence: float) -> list[Unmet]:
    """Those that people were not served well by. What holds first of declined, voted down and low confidence, counts.

    A question without a word in it is left out.
    """
    found = []
    for one in answers:
        why = _why(one, low_confidence)
        text = normalised(one.question)
        if why is not None and text:
            found.append(Unmet(text, one.asker, one.at, why))
    return found


def _why(one: PastAnswer, low_confidence: float) -> Why | None:
    if one.declined:
        return "declined"
    if one.voted_down:
        return "voted down"
    return "low confidence" if one.confidence < low_confidence else None


def _embedded(components: GapComponents, texts: Sequence[str], progress: Progress) -> dict[str, Vector]:
    found: dict[str, Vector] = {}
    for start in range(0, len(texts), _BATCH):
        progress(f"embedding {start} of {len(texts)} questions", start, len(texts))
        batch = texts[start : start + _BATCH]
        found.update(zip(batch, components.encoder().questions(batch), strict=True))
    return found


def _row(gap: Gap) -> dict[str, Any]:
    return {
        "title": list(gap.title), "questions": gap.questions, "askers": gap.askers, "why": dict(gap.why),
        "before": gap.before, "trend": gap.trend, "examples": list(gap.examples),
    }  # fmt: skip


def _documents(components: GapComponents, readers: Audience, gap: Gap) -> list[dict[str, Any]]:
    """By what the readers may read at this moment."""
    return [asdict(one) for one in nearest_documents(components.index.view(readers), gap.centre)]
