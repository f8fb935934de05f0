"""Calibrates the evaluator that serves, from labels in the ledger and from questions with known answers."""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from flows.monitoring.model_guard import PLANNED_DROP
from services.models.evaluation import check_reader
from vouch.access import PUBLIC, Directory
from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.registry.model_rows import EVALUATOR, REFUSED
from vouch.adapters.ledger.registry.registration import Made, refuse_barred, register
from vouch.batches import batches
from vouch.errors import BadAccess, BadInput
from vouch.learning.collections.golden import GoldenQuestion, asker_of, of_the_public, relevance
from vouch.learning.evaluator.calibration import (
    Calibration,
    Costs,
    ScoredList,
    calibrate,
    calibration_of,
    scored_list,
)
from vouch.learning.evaluator.calibration_figures import Needed, gain_of, golden_gain, report
from vouch.learning.evaluator.calibration_lists import SOURCES, Weigh, labeled_scores
from vouch.learning.evaluator.scored_passages import Row, ScoredPassages, places_of, scored_passages, usable
from vouch.learning.labels.label import Label
from vouch.learning.models.evaluator_model import EvaluatorModel
from vouch.learning.models.model_file import check_place, write_model
from vouch.learning.promotion.gates import GATES_OF_JUDGED, Gate, golden_gate, refusal, two_worlds_gate
from vouch.learning.statistics.splits import groups
from vouch.ports.models import Analyser
from vouch.values.candidate import Candidate

RULE = "thresholds from what wrong, unsure, doubted and declined answers cost"
Progress = Callable[[str, int, int], None]
DATA = "company questions"
_OTHER = "promote another evaluator, or name another one in VOUCH_EVALUATOR__MODEL: its weights would come back"
_BATCH = 200                            # answers whose candidates are read at once
_TOO_FEW = "of too few people"


@dataclass(frozen=True, slots=True)
class CalibrationRules:
    """`weigh` gives labels the weights that they have here, and outcomes theirs: nobody decides alone what is right."""

    costs: Costs
    needed: Needed
    public_only: bool
    weigh: Weigh
    answers: int = 20_000               # whose labels count, at most
    askers: int = 5                     # people, without whom no label counts
    golden: Callable[[], Sequence[GoldenQuestion]] = tuple
    golden_readers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class CalibrationService:
    """`judge` says how the evaluator that serves judges what the readers of a question find; `current` is that one.

    `worlds` tells how many probabilities of a new one differ between two worlds, and how many were compared.
    """

    ledger: Ledger
    current: Callable[[], EvaluatorModel]
    judge: Callable[[str, Sequence[str]], Sequence[Candidate]]
    directory: Callable[[], Directory]
    analyser: Analyser
    rules: CalibrationRules
    worlds: Callable[[EvaluatorModel], tuple[int, int]]
    clock: Callable[[], datetime]

    def run(
        self, questions: Sequence[GoldenQuestion], readers: Mapping[str, str], progress: Progress,
        out: Path | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """The registered evaluator's name (None: nothing could be fitted), its state, its thresholds and its figures.

        What was fitted is also written to `out`, even if it is refused. Raises
        NotFound for a reader nobody knows, Usage for a place where no file can be written and where what serves here is
        refused or retired, BadInput for golden questions that cannot be read.
        """
        if out is not None:
            check_place(out)
        model, rules = self.current(), self.rules
        refuse_barred(self.ledger.models, _made(model, {}), _OTHER)
        rules.golden()                      # a file that cannot be read is told before all searches
        labels = self._labels()
        group_of = groups((text, self.analyser.terms(text)) for text in
                          sorted({*(label.question for label in labels), *(question.text for question in questions)}))
        from_labels, left_out = self._from_labels(model, labels, group_of, progress)
        lists = [*from_labels, *self.golden_lists(questions, readers, group_of, progress).values()]
        figures = report(lists, calibration_of(model), rules.costs, rules.needed)
        different = len({one.group for one in from_labels})
        figures |= {"from_labels": different, "left_out": left_out, "former": model.fingerprint}
        if figures["refused"] and _TOO_FEW in left_out:
            figures["refused"] = f"labels of fewer than {rules.askers} people have no part; {figures['refused']}"
        return self._registered(model, lists, figures, progress, out)

    def _labels(self) -> Sequence[Label]:
        audience = (PUBLIC,) if self.rules.public_only else None
        return self.ledger.labels.of_newest(self.rules.answers, sources=SOURCES, audience=audience)

    def _from_labels(
        self, model: EvaluatorModel, labels: Sequence[Label], group_of: Mapping[str, str], progress: Progress
    ) -> tuple[list[ScoredList], dict[str, int]]:
        """And how many have no part, by reason: all, where too few people are behind those that have.

        What has no place is left out before anything is weighed: caps are shares of what counts.
        """
        recorded = self._recorded(model, labels, progress)
        told, _ = places_of(labels, recorded, {})
        apart = [one for one in labels if one.answer_id is None and one.key not in told]
        places, left_out = places_of(labels, recorded, self._searched(model, apart, progress))
        weighed = self.rules.weigh([label for label in labels if label.key in places])
        lists, used = labeled_scores(weighed, places, group_of, self.rules.weigh)
        if used and len({label.person for label in used} - {None, PUBLIC}) < self.rules.askers:
            return [], {**left_out, _TOO_FEW: len(places)}
        return lists, dict(left_out)

    def _recorded(
        self, model: EvaluatorModel, labels: Sequence[Label], progress: Progress
    ) -> dict[str, ScoredPassages]:
        """By answer."""
        names = sorted({label.answer_id for label in labels if label.answer_id})
        found: dict[str, ScoredPassages] = {}
        for some in batches(names, _BATCH):
            rows = self.ledger.answers.candidates_of(some)
            found |= {name: scored_passages(model, rows[name]) for name in some}
            progress("passages", len(found), len(names))
        return found

    def _searched(
        self, model: EvaluatorModel, labels: Sequence[Label], progress: Progress
    ) -> dict[str, ScoredPassages]:
        """What is found today, by key of the question, for passages that no recorded answer had. Votes are about what
        was shown then."""
        asked = {label.question_key: label for label in labels}
        found: dict[str, ScoredPassages] = {}
        for done, (key, label) in enumerate(sorted(asked.items()), 1):
            with contextlib.suppress(BadAccess):    # of a conversation: who is in it is not known here
                rows: list[Row] = [{"chunk_id": c.chunk_id, "text_hash": c.passage.text_hash, "evidence": c.features}
                                   for c in self.judge(label.question, label.audience)]
                found[key] = scored_passages(model, rows)
            progress("search", done, len(asked))
        return found

    def golden_lists(
        self, questions: Sequence[GoldenQuestion], readers: Mapping[str, str], group_of: Mapping[str, str],
        progress: Progress,
    ) -> dict[str, ScoredList]:  # fmt: skip
        """By id, of each question that the evaluator has judged a passage for. `group_of` by text.

        Raises NotFound for a reader nobody knows.
        """
        model = self.current()
        tags = [asker_of(golden, readers) for golden in questions]
        for tag in dict.fromkeys([*readers.values(), *tags]):
            check_reader(self.directory(), tag)
        lists = {}
        for done, (question, tag) in enumerate(zip(questions, tags, strict=True), 1):
            candidates = [c for c in self.judge(question.text, [tag]) if usable(c.features, model)]
            right = relevance(question, [c.passage for c in candidates])
            if candidates:
                known = [(float(right.get(c.chunk_id, 0)), 1.0) for c in candidates]
                evidence = [c.features for c in candidates]
                lists[question.id] = scored_list(model, group_of[question.text], evidence, known)
            progress("search", done, len(questions))
        return lists

    def _registered(
        self, model: EvaluatorModel, lists: Sequence[ScoredList], found: dict[str, Any], progress: Progress,
        out: Path | None,
    ) -> dict[str, Any]:  # fmt: skip
        """Kept with the reason if it is refused, unless there is nothing to keep."""
        try:
            calibration = calibrate(lists, self.rules.costs)
        except BadInput as error:
            return {"name": None, "state": REFUSED, "reason": found["refused"] or error.cause, **found}
        now = self.clock()
        updates = {"threshold_rule": f"{RULE}: {asdict(self.rules.costs)}", "trained_on": now.date().isoformat(),
                   "data": tuple(dict.fromkeys((*model.data, DATA))), "figures": {"held out": found.get("after", {})}}
        new = calibration.on(model).model_copy(update=updates)
        if out is not None:
            write_model(new, out)
        gates = self._gates(model, calibration, new, progress)
        found["gates"] = [gate.row() for gate in gates]
        found["refused"] = "; ".join(filter(None, (found["refused"], refusal(gates, GATES_OF_JUDGED))))
        drop = found["after"]["declined"] - found["before"]["declined"] if "after" in found else 0.0
        found[PLANNED_DROP] = round(max(drop, 0.0), 4)
        row, _ = register(self.ledger.models, replace(_made(new, found), refused=found["refused"], judged=True), now)
        return {"name": row.name, "state": row.state, "reason": row.reason or "", "slope": new.slope,
                "offset": new.offset, "lower": new.lower, "upper": new.upper, **found}

    def instead_of(self, former: "CalibrationService", progress: Progress) -> list[Gate]:
        """The gates for the evaluator that would serve here, with the judge it weighs, in the place of `former`."""
        rules = self.rules
        asked = self._golden()
        group_of = {question.text: question.text for question in asked}
        before, after = (
            (calibration_of(one.current()), one.golden_lists(asked, rules.golden_readers, group_of, progress))
            for one in (former, self))
        progress("two worlds", 0, 0)
        return [golden_gate(gain_of(before, after, rules.costs), len(asked), "cost", public_only=rules.public_only),
                two_worlds_gate(*self.worlds(self.current()))]

    def _golden(self) -> list[GoldenQuestion]:
        asked = list(self.rules.golden())
        return of_the_public(asked, self.rules.golden_readers) if self.rules.public_only else asked

    def _gates(
        self, model: EvaluatorModel, made: Calibration, new: EvaluatorModel, progress: Progress
    ) -> list[Gate]:
        """Those that a learned fusion has to pass as well, each with the same settings."""
        rules = self.rules
        asked = self._golden()
        group_of = {question.text: question.text for question in asked}
        golden = list(self.golden_lists(asked, rules.golden_readers, group_of, progress).values())
        progress("two worlds", 0, 0)
        return [
            golden_gate(golden_gain(golden, calibration_of(model), made, rules.costs), len(asked), "cost",
                        public_only=rules.public_only),
            two_worlds_gate(*self.worlds(new)),
        ]


def _made(model: EvaluatorModel, report: Mapping[str, Any]) -> Made:
    return Made(EVALUATOR, model.fingerprint, model.model_dump(mode="json"), report)
