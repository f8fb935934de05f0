"""Finds what people asked in vain. The command and the Prefect flow both run this."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from flows.shared.reporting import Progress, silent
from vouch.access import PUBLIC_TAGS
from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.usage.past_answers import PastAnswer
from vouch.batches import batches
from vouch.learning.gaps.gap import Gap, GapLimits, Unmet, Why, find_gaps, nearest_documents, newest
from vouch.learning.gaps.gap_groups import Cluster
from vouch.learning.gaps.gap_titles import normalised
from vouch.ports.index import Index, View
from vouch.ports.models import Analyser, Encoder, Vector
from vouch.ports.stores import PermissionStore
from vouch.ports.surface import Owners

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
    owners: Owners
    old_days: int = 365                 # a cited document that changed before that is told of as old; 0: none is


@dataclass(frozen=True, slots=True)
class FoundGaps:
    """All gaps of a period, before it is known who will be told."""

    since: datetime
    until: datetime
    gaps: Sequence[Gap]


def gap_rows(
    components: GapComponents, tags: Sequence[str], now: datetime, *, weeks: int | None = None,
    owner: str | None = None, progress: Progress = silent,
) -> dict[str, Any]:
    """The gaps of the last weeks as they are told to these readers, or to an owner; see `told_gaps`.

    Raises NotFound if there is no index yet: that nobody found anything would say nothing.
    """
    refuse_without_index(components, now)
    gaps = find_all(components, now, weeks=weeks, progress=progress)
    progress("looking for documents", 0, 0)
    return told_gaps(components, gaps, tags, owner)


def refuse_without_index(components: GapComponents, now: datetime) -> None:
    """Raises NotFound."""
    components.index.view(components.permissions.permissions().directory.audience([], now))


def find_all(
    components: GapComponents, now: datetime, *, weeks: int | None = None, progress: Progress = silent
) -> FoundGaps:
    weeks = weeks or components.weeks
    turn = now - timedelta(weeks=weeks)
    progress("reading questions", 0, 0)
    answers = components.ledger.past_answers.answers(turn - timedelta(weeks=weeks), now)
    asked = newest(unmet(answers, components.low_confidence), turn, components.limits.texts)
    vectors = _embedded(components, sorted({question.text for question in asked}), progress)
    progress("grouping questions", 0, 0)
    gaps = find_gaps(asked, vectors, turn, components.cluster, components.analyser.terms, components.limits)
    return FoundGaps(turn, now, gaps)


def told_gaps(
    components: GapComponents, found: FoundGaps, tags: Sequence[str], owner: str | None = None
) -> dict[str, Any]:
    """With the documents that all readers named by `tags` may read; without tags: public. The rest is as for anybody.

    An `owner` is one more reader, and is told of the gaps near documents of theirs, groups' included, that all of
    them may read. Owning a document lets nobody read it. A gap without words or an example that may be shown is none
    of an owner's.
    """
    directory = components.permissions.permissions().directory
    readers = directory.audience([*([owner] if owner else []), *tags], found.until)
    view = components.index.view(readers)   # what they may read at this moment
    rows = [{**_row(gap), "documents": _documents(components, view, gap)} for gap in found.gaps]
    if owner is not None:
        theirs = readers.readers[0].principals - PUBLIC_TAGS
        rows = [row for row in rows if tells(row) and any(theirs & set(doc["owners"]) for doc in row["documents"])]
    return {
        "from": found.since.isoformat(),
        "until": found.until.isoformat(),
        "fewest_askers": components.limits.askers,
        "owner": readers.readers[0].name if owner else None,
        "readers": [reader.name for reader in readers.readers],
        "gaps": rows,
    }


def tells(row: Mapping[str, Any]) -> bool:
    """Whether an owner may see the gap: it has words that several share, or an example that may be shown."""
    return bool(row["title"] or row["examples"] or row["allowed_examples"])


def unmet(answers: Iterable[PastAnswer], low_confidence: float) -> list[Unmet]:
    """Those that people were not served well by. What holds first of declined, voted down and low confidence, counts.

    A question without a word in it is left out.
    """
    questions = []
    for answer in answers:
        why = _why(answer, low_confidence)
        text = normalised(answer.question)
        if why is not None and text:
            questions.append(Unmet(text, answer.asker, answer.at, why, answer.example))
    return questions


def _why(one: PastAnswer, low_confidence: float) -> Why | None:
    if one.declined:
        return "declined"
    if one.voted_down:
        return "voted down"
    return "low confidence" if one.confidence < low_confidence else None


def _embedded(components: GapComponents, texts: Sequence[str], progress: Progress) -> dict[str, Vector]:
    found: dict[str, Vector] = {}
    for batch in batches(texts, _BATCH):
        progress(f"embedding {len(found)} of {len(texts)} questions", len(found), len(texts))
        found.update(zip(batch, components.encoder().questions(batch), strict=True))
    return found


def _row(gap: Gap) -> dict[str, Any]:
    return {
        "title": list(gap.title), "questions": gap.questions, "askers": gap.askers, "why": dict(gap.why),
        "before": gap.before, "trend": gap.trend, "examples": list(gap.examples),
        "allowed_examples": list(gap.allowed_examples),
    }  # fmt: skip


def _documents(components: GapComponents, view: View, gap: Gap) -> list[dict[str, Any]]:
    return [{**asdict(one), "owners": list(components.owners.owners_of(one.source, one.path))}
            for one in nearest_documents(view, gap.centre)]
