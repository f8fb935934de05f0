"""Eight weeks of learning from use: readers ask, see, vote; each week a model is fitted, judged and maybe promoted.

    python benchmarks/learning/feedback.py --data DIR --cache DIR --picture FILE.svg [--reader 18f=group:staff]

DIR holds the public sets scifact and wikiqa and company_questions, whose documents the index of VOUCH_HOME serves.
Labels are made as the ledger would hold them, on single passages; the ledger itself, weak labels from whole answers,
registry, shadow and guard have no part (docs/results.md). Readers see the order that the promoted model gives, at
first that of reciprocal ranks. What is voted goes the way of every vote: positions corrected, persons and days capped,
split, fitted, through all gates. Beside it stands a fit on the true labels of the same questions. Figures are nDCG@10
over questions that nobody ever asked. Draws that ended are kept in the cache: what was cut off goes on, and several
may be run at once, each with one --draw.
"""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.learning.feedback_data import judged_sets
from benchmarks.learning.feedback_readers import Readers, week
from benchmarks.learning.feedback_report import tell, weeks_picture
from cli.asking.questions import by_corpus
from cli.wiring.settings import command_settings
from flows.training.leakage_check import TwoWorlds
from flows.wiring.ingesting import build_temporary_components
from vouch.adapters.analyser import SnowballAnalyser
from vouch.errors import BadInput
from vouch.learning.labels.label import Label
from vouch.learning.models.fusion_model import LearnedFusion
from vouch.learning.statistics.splits import groups
from vouch.learning.training.fusion_training import TERMS, JudgedCandidates, choose, fit_terms, ndcg
from vouch.learning.training.label_places import Row
from vouch.learning.training.retraining import FusionTerms, GoldenLists, Judged, Least, fit_split, judge, scores
from vouch.learning.training.training_split import split
from vouch.learning.training.weighing import Material, Shares
from vouch.settings import Settings

WEEKS, MONDAY = 8, datetime(2026, 9, 7, 9, tzinfo=UTC)
HELD_OUT = 0.3
Figures = dict[str, np.ndarray]         # by method: week x held-out question


@dataclass(frozen=True)
class Run:
    figures: Figures
    told: list[str]                     # per week what became of the model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True,
                        help="folder for candidates and draws of before; empty it after any change")
    parser.add_argument("--picture", type=Path, required=True)
    parser.add_argument("--reader", action="append", metavar="CORPUS=TAG")
    parser.add_argument("--seeds", type=int, default=5, help="how often readers are drawn")
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="the first of these draws")
    parser.add_argument("--draw", type=int, metavar="SEED", help="this draw alone, and no table")
    options = parser.parse_args()
    settings = command_settings()
    sets = judged_sets(settings, options.data, options.cache, by_corpus(options.reader))
    asked, held, names = _parted(sets)
    seeds = range(options.first, options.first + options.seeds) if options.draw is None else [options.draw]
    runs = [_kept(options.cache / f"draw-{seed}.json", partial(_run, settings, asked, held, seed)) for seed in seeds]
    if options.draw is not None:
        return
    mean = {method: np.mean([run.figures[method] for run in runs], axis=0) for method in runs[0].figures}
    by_week = {method: rows.mean(axis=1).tolist() for method, rows in mean.items()}
    options.picture.write_text(weeks_picture(by_week), encoding="utf-8")
    tell(mean, names, len(asked), [run.told for run in runs])


def _kept(file: Path, run: Callable[[], Run]) -> Run:
    if not file.exists():
        done = run()
        draft = file.with_suffix(".new")
        draft.write_text(json.dumps([{name: rows.tolist() for name, rows in done.figures.items()}, done.told]))
        draft.replace(file)
    figures, told = json.loads(file.read_text())
    return Run({name: np.array(rows) for name, rows in figures.items()}, told)


def _parted(sets: Mapping[str, Sequence[JudgedCandidates]]) -> tuple[list[JudgedCandidates], list[JudgedCandidates],
                                                                    np.ndarray]:
    """Asked and held-out questions, near duplicates on one side; the same for all seeds. And whose set is held out."""
    every = {one.group: (name, one) for name, lists in sets.items() for one in lists}
    group_of = groups((text, text.split()) for text in every)
    kinds = sorted(set(group_of.values()))
    drawn = np.random.default_rng(2026).random(len(kinds)) < HELD_OUT
    away = {kind for kind, out in zip(kinds, drawn, strict=True) if out}
    asked = [one for text, (_, one) in sorted(every.items()) if group_of[text] not in away]
    held = [(name, one) for text, (name, one) in sorted(every.items()) if group_of[text] in away]
    return asked, [one for _, one in held], np.array([name for name, _ in held])


def _run(settings: Settings, asked: list[JudgedCandidates], held: Sequence[JudgedCandidates], seed: int) -> Run:
    random = np.random.default_rng([seed, 16])
    order = [asked[n] for n in random.permutation(len(asked))]
    labels, told, current = list[Label](), list[str](), None
    recorded: dict[str, Sequence[Row]] = {}
    found: dict[str, list[np.ndarray]] = {"reciprocal ranks": [], "votes": [], "true labels": []}
    for number in range(WEEKS):
        size = len(order) // WEEKS
        left = week(Readers(), order[number * size : (number + 1) * size], current,
                    MONDAY + timedelta(weeks=number), random)
        labels += left.labels
        recorded |= left.recorded
        judged = _trained(settings, Material(labels, recorded), current, seed)
        current = current if judged is None or judged.reason else judged.model.terms
        told.append("nothing to learn from" if judged is None else judged.reason or "promoted")
        true = _true(order[: (number + 1) * size])
        for name, terms in (("reciprocal ranks", None), ("votes", current), ("true labels", true)):
            found[name].append(_ndcgs(terms, held))
        print(f"<!-- seed {seed}, week {number + 1}: {told[-1]}; "
              f"{', '.join(f'{name} {rows[-1].mean():.4f}' for name, rows in found.items())} -->", flush=True)
    return Run({name: np.array(rows) for name, rows in found.items()}, told)


def _trained(settings: Settings, material: Material, current: FusionTerms, seed: int) -> Judged | None:
    chosen, analyser = settings.labels, SnowballAnalyser()
    shares = Shares(chosen.person_share, chosen.day_share, chosen.propensity_clip, chosen.judge_share,
                    contradiction=chosen.contradiction)
    sides = split(material, analyser.terms, shares, public_only=False, weeks=settings.training.weeks_held_out)
    try:
        fitted = fit_split(sides, current, seed=seed, fingerprints={})
    except BadInput:
        return None
    worlds = TwoWorlds(lambda folder: build_temporary_components(settings, folder), analyser, settings.home)
    rules = settings.training
    least = Least(rules.questions, rules.held_out, rules.askers, rules.labels, rules.loss)
    differences = worlds.differences(LearnedFusion(fitted.model, analyser))
    return judge(sides, fitted, current, least, GoldenLists(), differences)


def _true(lists: Sequence[JudgedCandidates]) -> FusionTerms:
    telling = [one for one in lists if one.labels.any()]
    return fit_terms(telling, TERMS[choose(telling)])


def _ndcgs(terms: FusionTerms, lists: Sequence[JudgedCandidates]) -> np.ndarray:
    return np.array([ndcg(one, scores(terms, one)) for one in lists])


if __name__ == "__main__":
    main()
