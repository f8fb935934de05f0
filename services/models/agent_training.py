"""Trains the agent that takes steps, and writes the report of it."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from flows.shared.noted_runs import noted
from flows.training.retraining import sole_training
from flows.training.training_files import write_files
from indexers.live_index import LiveIndex
from services.models.evaluation import check_reader
from services.models.kept_runs import KeptRuns, kept_runs
from services.models.measured_runs import AgentRuns
from services.models.walked_worlds import walked_in
from vouch.access import Permissions
from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.registry.model_rows import AGENT, CANDIDATE, KINDS
from vouch.adapters.ledger.registry.registration import Made, register
from vouch.correction.components import Components
from vouch.correction.planning.planners import Actor
from vouch.errors import NothingToLearn, Usage
from vouch.learning.agent.bank import Bank
from vouch.learning.agent.judged import AGENT_GATES, Least, Validated, gates_of, report_of, validate
from vouch.learning.agent.loop import Heard, Plan, Writes, improve
from vouch.learning.agent.run_summary import METRICS, Act
from vouch.learning.collections.golden import GoldenQuestion, asker_of
from vouch.learning.models.agent_model import AgentModel, model_of
from vouch.learning.models.model_file import check_place, write_model
from vouch.learning.promotion.gates import Gate, refusal, two_worlds_gate
from vouch.learning.statistics.splits import split_of
from vouch.plurals import count


def write_agent_report(home: Path, name: str, report: Mapping[str, Any]) -> Path:
    """The folder HOME/trainings/NAME with report.md and report.json. Raises Damaged for a link, Unavailable."""
    numbers = json.dumps(report, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    return write_files(home, name, {"report.md": markdown(name, report), "report.json": numbers})


def markdown(name: str, report: Mapping[str, Any]) -> str:
    validation, actor = report["figures"]["validation"], report["actor"]
    templates = ", ".join(f"{one['form']} (of {one['most']}, {one['names']} names)" for one in actor["templates"])
    gain = " to ".join(map(str, validation["gain_interval"]))
    lines = [
        f"# {name}", "", f"**Refused**: {report['refused']}" if report["refused"] else "All gates are passed.", "",
        f"Templates in order: {templates}. At most {actor['steps']} steps"
        + (", and a name is followed in any case." if actor["follows"] else "."), "",
        f"Instructions for a language model: {actor['instructions'] or 'none'}", "",
        f"Metric: the share of {METRICS[report['plan']['metric']]}.", "",
        f"On {validation['after']['questions']} validation questions: {validation['before']['metric']} before, "
        f"{validation['after']['metric']} after; gain {validation['gain']} ({gain}), {validation['better']} better, "
        f"{validation['worse']} worse; steps {validation['before']['steps']} before, {validation['after']['steps']} "
        "after.", "",
        "## Gates", "", "| gate | | found | at least | |", "|---|---|---|---|---|",
        *(f"| {g['name']} | {'passed' if g['passed'] else '**not passed**'} | {_shown(g['found'])} | "
          f"{_shown(g['least'])} | {g['told']} |" for g in report["gates"]), "",
        "## What was tried", "", "| round | by | change | on | kept | metric | worth | steps | ms |",
        "|---|---|---|---|---|---|---|---|---|",
        *(f"| {t['round']} | {t['by']} | {t['why']} | {t['questions']} {t['on']} | {'yes' if t['kept'] else 'no'} | "
          f"{t['metric']} | {t['worth']} | {t['steps']} | {t['ms']} |" for t in report["bank"]),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def told_first(least: Least, train: int, held_out: int, hopeless: Sequence[str], repeated: int = 0) -> Iterator[str]:
    """What to know of the questions before a long training begins on them."""
    if repeated:
        yield f"{count(repeated, 'question')} left out that stood there before in the same words"
    if train < least.questions or held_out < least.validation:
        yield (f"there are {train} questions to train on and {held_out} to judge by: with fewer than {least.questions} "
               f"and {least.validation} the agent will be refused")
    if hopeless:
        yield (f"of {count(len(hopeless), 'question')} too few quotes stand in documents that the reader may read: "
               f"{', '.join(hopeless[:_NAMED])}{', and more' if len(hopeless) > _NAMED else ''}: left out")


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


_NAMED = 5                              # ids of questions
_RIVALS = 3                             # actors that validation questions choose from
Compare = Callable[[Any], tuple[int, int]]


@dataclass(frozen=True)
class AgentTraining:
    """`writes`: a language model that proposes instructions, where one is set and one orders steps.

    `compare` tells how many steps and numbers differ between two worlds. `made_with` names the settings.
    """

    home: Path
    ledger: Ledger
    components: Callable[[], Components]
    index: LiveIndex
    permissions: Callable[[], Permissions]
    compare: Compare
    writes: Callable[[], Writes | None]
    clock: Callable[[], datetime]
    least: Least = field(default_factory=Least)
    made_with: Callable[[], str] = str

    def run(
        self, questions: Sequence[GoldenQuestion], validation: Sequence[GoldenQuestion] | None,
        readers: Mapping[str, str], plan: Plan, data: Sequence[str], out: Path | None, progress: Heard,
        tell: Callable[[str], None],
    ) -> dict[str, Any]:  # fmt: skip
        """What is registered, with its report and what comes `next`. What is wrong with the questions it says first.

        `validation` None: those that the split of all trainings holds out. Raises NotFound for a reader nobody knows,
        NothingToLearn where nothing can be contrasted or no actor is better, Busy beside another training, Unavailable
        where a machine goes away: what was measured is kept then, and the same call goes on from there.
        """
        if out is not None:
            check_place(out)
        plan.check()
        asked = _once(golden for golden in questions if golden.gold)
        repeated = sum(bool(golden.gold) for golden in questions) - len(asked)
        if validation is not None:
            validation = _others(_once(validation), asked)
        train = asked if validation is not None else [golden for golden in asked if split_of(golden.text) == "train"]
        held_out = [golden for golden in (asked if validation is None else validation)
                    if golden.gold and (validation is not None or split_of(golden.text) != "train")]
        if not train or not held_out:
            raise NothingToLearn("there are no questions to train on, or none to judge by",
                                 cure="give more questions with quotes, or --validation FILE")
        with sole_training(self.home), noted(self.ledger, "train"):
            tags = self._tags([*train, *held_out], readers)
            self.index.follow()
            c = self.components()
            plan = replace(plan, templates=c.planner is None)
            with self._kept([*train, *held_out], tags, c, plan) as kept:
                runs = AgentRuns(c, self.permissions(), [*train, *held_out], tags, plan, self.clock)
                hopeless = runs.hopeless()
                names = [str(n) for n in range(len(train)) if n not in hopeless]
                judged = [str(n) for n in range(len(train), len(train) + len(held_out)) if n not in hopeless]
                without = [[*train, *held_out][n].id for n in hopeless]
                for line in told_first(self.least, len(names), len(judged), without, repeated):
                    tell(line)
                if not names or not judged:
                    raise NothingToLearn("too few quotes stand in what readers may read", cure="see: vouch show")
                act = kept.act(runs)
                bank, validated = self._tried(act, c, names, judged, plan, kept, progress)
                if validated.best is not None:
                    progress("two worlds", 0, 0)
                    worlds = self._worlds(replace(c, actor=validated.best.actor), plan)
                    gates = gates_of(validated, len(names), self.least, worlds, plan.seed)
                    return self._registered(bank, validated, gates, plan, data, out)
            raise NothingToLearn(f"none of {len(bank.tried) - 1} other actors is better on {len(names)} training "
                                 "questions than the one that serves", cure="give other questions, or more rounds")

    def _tried(
        self, act: Act, c: Components, train: Sequence[str], held_out: Sequence[str], plan: Plan, kept: KeptRuns,
        progress: Heard,
    ) -> tuple[Bank, Validated]:  # fmt: skip
        writes = kept.writes(self.writes()) if c.planner is not None else None
        bank = improve(c.actor, act, train, plan, progress, writes)
        return bank, validate(bank, act, held_out, _RIVALS, progress)

    def _tags(self, questions: Sequence[GoldenQuestion], readers: Mapping[str, str]) -> list[str]:
        """Whom each question is asked as. Raises NotFound."""
        tags = [asker_of(one, readers) for one in questions]
        directory = self.permissions().directory
        for tag in dict.fromkeys([*readers.values(), *tags]):
            check_reader(directory, tag)
        return tags

    def _kept(
        self, questions: Sequence[GoldenQuestion], tags: Sequence[str], c: Components, plan: Plan
    ) -> AbstractContextManager[KeptRuns]:
        """`asked` holds all that decides what is measured and is no setting: the file keeps a digest of it."""
        audience = self.permissions().directory.audience(sorted(set(tags)))

        def stamp() -> str:
            view = c.index.view(audience)
            return f"{view.version} {view.epoch} {audience.digest}"

        serving = [c.planned_by, c.planner.name if c.planner else "", c.encoder.fingerprint, c.reranked_by,
                   c.judge_name, *(self.ledger.models.pointer(kind).model or "" for kind in KINDS)]
        asked = [*(f"{n} {tag} {one!r}" for n, (one, tag) in enumerate(zip(questions, tags, strict=True))),
                 repr(plan), repr(c.actor), repr(c.steps), repr(serving)]
        return kept_runs(self.home, self.made_with, asked, stamp)

    def _worlds(self, c: Components, plan: Plan) -> Gate:
        """By every step, and not by its end alone."""
        gate = two_worlds_gate(*self.compare(lambda view, _, text: walked_in(view, c, text, plan.most_steps)))
        return replace(gate, told=f"steps and what they found, in {gate.told}")

    def _registered(
        self, bank: Bank, found: Validated, gates: Sequence[Gate], plan: Plan, data: Sequence[str], out: Path | None
    ) -> dict[str, Any]:
        assert found.best is not None
        report, now = report_of(bank, found, gates, plan), self.clock()
        model = _model(found.best.actor, report, plan, data, now)
        refused = refusal(gates, AGENT_GATES)
        trained_model = Made(AGENT, model.fingerprint, model.model_dump(mode="json"), report, refused, judged=True)
        row, new = register(self.ledger.models, trained_model, now)
        folder = write_agent_report(self.home, row.name, row.report)
        if out is not None:
            write_model(model, out)
        serves = row.name == self.ledger.models.pointer(AGENT).model
        steps = [f"vouch models promote {row.name}"] if row.state == CANDIDATE and not serves else []
        return {"name": row.name, "state": row.state, "reason": row.reason, "new": new, "report": str(folder),
                **row.report, "next": steps}


def _words(golden: GoldenQuestion) -> str:
    return " ".join(golden.text.casefold().split())


def _once(questions: Iterable[GoldenQuestion]) -> list[GoldenQuestion]:
    """The first in the same words: a question that is asked twenty times is one."""
    found: dict[str, GoldenQuestion] = {}
    for golden in questions:
        found.setdefault(_words(golden), golden)
    return list(found.values())


def _others(validation: Sequence[GoldenQuestion], asked: Sequence[GoldenQuestion]) -> Sequence[GoldenQuestion]:
    """Raises Usage for a question to judge by that is one to train on."""
    known = {_words(golden) for golden in asked}
    if both := [golden.id for golden in validation if golden.gold and _words(golden) in known]:
        raise Usage(f"{count(len(both), 'question')} to judge by stand among those to train on: "
                    f"{', '.join(both[:_NAMED])}", cure="give each in one of the two files")
    return validation


def _model(actor: Actor, report: Mapping[str, Any], plan: Plan, data: Sequence[str], now: datetime) -> AgentModel:
    validation = report["figures"]["validation"]
    figures = {"validation": {name: validation[name] for name in ("gain", "gain_interval", "better", "worse")}}
    return AgentModel.model_validate({
        **model_of(actor).model_dump(), "data": data, "seed": plan.seed, "trained_on": now.date().isoformat(),
        "figures": figures, "refused": str(report["refused"])[:1000],
    })
