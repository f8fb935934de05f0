"""Which scores a label speaks of: those of its own answer, so no answer takes the labels of another one away."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vouch.learning.labels.label import Label
from vouch.learning.models.evaluator_model import EvaluatorModel
from vouch.retrieval.fusion_features import LARGEST

Row = Mapping[str, Any]                 # a candidate as the ledger keeps it; chunk_id, text_hash and evidence count


@dataclass(frozen=True, slots=True)
class ScoredPassages:
    """What an evaluator scored for one question, as an answer or a search had it. Equal ones are one."""

    ids: tuple[str, ...]
    texts: tuple[str | None, ...]
    scores: tuple[float, ...]           # before calibration

    def place(self, label: Label) -> int | None:
        """Where the passage stands that the label is about, with its text; None if it does not."""
        return next((n for n in self._of(label) if not _other(label, self.texts[n])), None)

    def other_text(self, label: Label) -> bool:
        return any(_other(label, self.texts[n]) for n in self._of(label))

    def _of(self, label: Label) -> Iterator[int]:
        return (n for n, chunk_id in enumerate(self.ids) if chunk_id == label.chunk_id)


Places = Mapping[str, Sequence[ScoredPassages]]         # by a label's key, each for an equal part of it


def _other(label: Label, text: str | None) -> bool:
    return text is not None and label.text_hash is not None and text != label.text_hash


def scored_passages(model: EvaluatorModel, rows: Iterable[Row]) -> ScoredPassages:
    """Those whose evidence is what this evaluator weighs."""
    some = [row for row in rows if usable(row["evidence"], model)]
    return ScoredPassages(
        tuple(str(row["chunk_id"]) for row in some), tuple(row.get("text_hash") for row in some),
        tuple(float(model.score(row["evidence"])) for row in some))


def usable(evidence: Any, model: EvaluatorModel) -> bool:
    """False too for what its judge has not read: another evaluator weighed that, as in questions for a list."""
    if not isinstance(evidence, Mapping):
        return False
    values = [evidence.get(name) for name in model.weighed]
    whole = all(isinstance(value, int | float) and abs(value) < LARGEST for value in values)
    return whole and not (model.judged_with and evidence.get("judge_missing", 1.0))


def places_of(
    labels: Iterable[Label], recorded: Mapping[str, ScoredPassages], searched: Mapping[str, ScoredPassages]
) -> tuple[dict[str, list[ScoredPassages]], Counter[str]]:
    """By its key where each label counts, and how many have no part, by reason.

    A label that was read from an answer counts there; a judgment apart from any wherever answers to the question, by
    their id, or a search, by key of the question, have its passage.
    """
    given, apart = list(labels), dict[str, list[ScoredPassages]]()
    for key, found in [*((label.question_key, recorded.get(label.answer_id or "")) for label in given),
                       *searched.items()]:
        if found is not None and found not in apart.setdefault(key, []):
            apart[key].append(found)
    places, left_out = dict[str, list[ScoredPassages]](), Counter[str]()
    for label in given:
        own = recorded.get(label.answer_id or "")
        lists = apart.get(label.question_key, []) if label.answer_id is None else [own] if own is not None else []
        if mine := [one for one in lists if one.place(label) is not None]:
            places[label.key] = mine
        else:
            changed = any(one.other_text(label) for one in lists)
            left_out["of another text" if changed else "not among the passages judged"] += 1
    return places, left_out
