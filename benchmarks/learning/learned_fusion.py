"""What a learned fusion gains over reciprocal ranks: fitted on its own set in five folds, and on other sets alone.

    python benchmarks/learning/learned_fusion.py --beir scifact=DIR,QRELS \\
      --questions company=FILE --reader 18f=group:staff

Questions are asked of the index in VOUCH_HOME. Beside the figures it takes the
time of the fusion alone over 200 candidates. With --trees, LambdaMART (Burges
2010, as LightGBM has it) learns from the same features in the same folds.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.report import Report, p50, p95
from cli.asking.questions import by_corpus
from cli.wiring.settings import command_settings
from cli.wiring.training.fitting import candidates_of_folder, candidates_of_questions
from services.wiring.answering import open_search_service
from vouch.access import PUBLIC
from vouch.adapters.analyser import SnowballAnalyser
from vouch.learning.models.fusion_model import FusionModel, LearnedFusion
from vouch.learning.statistics.metrics import paired_interval
from vouch.learning.statistics.splits import split_of
from vouch.learning.training.fusion_training import DEPTH, TERMS, JudgedCandidates, choose, fit_terms, ndcg, scores_by
from vouch.retrieval.fusion import ReciprocalRanks, fuse
from vouch.retrieval.fusion_features import FEATURE_SCHEMA
from vouch.retrieval.hits import retrieve
from vouch.retrieval.question.query import form_query

FOLDS, SEED = 5, date(2026, 11, 23).toordinal()
MOST_MS = 2.0
Sets = dict[str, list[JudgedCandidates]]
Score = Callable[[JudgedCandidates], np.ndarray]
Learn = Callable[[Sequence[JudgedCandidates]], Score]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beir", action="append", default=[], metavar="NAME=DIR,QRELS")
    parser.add_argument("--questions", action="append", default=[], metavar="NAME=FILE")
    parser.add_argument("--reader", action="append", metavar="CORPUS=TAG")
    parser.add_argument("--trees", action="store_true", help="compare with LambdaMART; needs lightgbm")
    options = parser.parse_args()
    settings, sets = command_settings(), Sets()
    for name, _, place in (text.partition("=") for text in options.questions):
        sets[name] = candidates_of_questions(settings, Path(place), by_corpus(options.reader), _quiet)
    for name, _, places in (text.partition("=") for text in options.beir):
        folder, _, qrels = places.partition(",")
        sets[name] = candidates_of_folder(settings, Path(folder), Path(qrels), _quiet)
    report = Report("Learned fusion against reciprocal ranks, nDCG@10")
    report.table(["set", "questions", "reciprocal ranks", "own, five folds", "gain", "others alone", "gain"])
    for name, lists in sets.items():
        reciprocal = np.array([ndcg(one, np.array(one.reciprocal)) for one in lists])
        own = _in_folds(lists, _by_weights)
        others = [one for other, more in sets.items() if other != name for one in more]
        cells = [_gain(own, reciprocal), _gain(_scored(_fitted(others), lists), reciprocal) if others else ("", "")]
        report.line(name, len(lists), f"{reciprocal.mean():.3f}", *(cell for pair in cells for cell in pair))
    if options.trees:
        report.table(["set", "questions", "weights, five folds", "trees, five folds", "trees over weights"])
        for name, lists in sets.items():
            own, grown = _in_folds(lists, _by_weights), _in_folds(lists, _by_trees)
            report.line(name, len(lists), f"{own.mean():.3f}", *_gain(grown, own))
    _time(report, _fitted([one for lists in sets.values() for one in lists]))
    report.end()


def _in_folds(lists: Sequence[JudgedCandidates], learn: Learn) -> np.ndarray:
    """nDCG of each list by what was learned from the lists of the other folds."""
    fold = np.random.default_rng(SEED).permutation(len(lists)) % FOLDS
    found = np.zeros(len(lists))
    for number in range(FOLDS):
        score = learn([one for one, of in zip(lists, fold, strict=True) if of != number])
        found[fold == number] = [ndcg(one, score(one)) for one, of in zip(lists, fold, strict=True) if of == number]
    return found


def _by_weights(lists: Sequence[JudgedCandidates]) -> Score:
    model = _fitted(lists)
    return lambda one: scores_by(model.terms, one)


def _by_trees(lists: Sequence[JudgedCandidates]) -> Score:
    """As many trees as order the calibration split best; few leaves, as there are few questions."""
    import lightgbm

    told = [one for one in lists if one.labels.any()]
    rest = [one for one in told if split_of(one.group) != "calibration"]
    judged = [one for one in told if split_of(one.group) == "calibration"]
    ranker = lightgbm.LGBMRanker(
        n_estimators=300, num_leaves=7, learning_rate=0.05, min_child_samples=20, reg_lambda=1.0, subsample=0.8,
        subsample_freq=1, colsample_bytree=0.8, random_state=SEED, n_jobs=1, verbose=-1,
    )
    ranker.fit(*_stacked(rest)[:2], group=_stacked(rest)[2], eval_X=_stacked(judged)[0], eval_y=_stacked(judged)[1],
               eval_group=[_stacked(judged)[2]], eval_at=[DEPTH],
               callbacks=[lightgbm.early_stopping(30, verbose=False)])
    return lambda one: np.asarray(ranker.predict(one.matrix))


def _stacked(lists: Sequence[JudgedCandidates]) -> tuple[np.ndarray, np.ndarray, list[int]]:
    return (np.vstack([one.matrix for one in lists]), np.concatenate([one.labels for one in lists]),
            [len(one.items) for one in lists])


def _fitted(lists: Sequence[JudgedCandidates]) -> FusionModel:
    told = [one for one in lists if one.labels.any()]
    chosen = choose(told)
    return FusionModel(feature_schema=FEATURE_SCHEMA, features=chosen, terms=fit_terms(told, TERMS[chosen]))


def _scored(model: FusionModel, lists: Sequence[JudgedCandidates]) -> np.ndarray:
    return np.array([ndcg(one, scores_by(model.terms, one)) for one in lists])


def _gain(learned: np.ndarray, reciprocal: np.ndarray) -> tuple[str, str]:
    low, high = paired_interval(learned - reciprocal)
    return f"{learned.mean():.3f}", f"{(learned - reciprocal).mean():+.3f} ({low:+.3f} to {high:+.3f})"


def _time(report: Report, model: FusionModel) -> None:
    """Own time of the fusion, over the candidates of questions to the index of the home."""
    finder = open_search_service(command_settings())
    fusion, directory = LearnedFusion(model, SnowballAnalyser()), finder.permissions().directory
    view = finder.index.view(directory.audience([f"group:{min(directory.groups)}" if directory.groups else PUBLIC]))
    taken = []
    for text in ("How many days of leave do new employees get?", "vpn token eu_west db42", "travel budget for meetups"):
        query = form_query(text, finder.analyser)
        candidates = fuse(view, query, retrieve(view, finder.encoder(), query, 200), ReciprocalRanks()).candidates[:200]
        look = partial(view.statistics, query.terms)
        look()
        for _ in range(100):
            began = time.perf_counter()
            fusion.scores(query, candidates, look)
            taken.append((time.perf_counter() - began) * 1000)
    report.table(["candidates", "p50 ms", "p95 ms", f"p95 at most {MOST_MS:g} ms"])
    report.line(len(candidates), f"{p50(taken):.2f}", f"{p95(taken):.2f}", checks=[p95(taken) <= MOST_MS])


def _quiet(*_: object) -> None:
    """No progress: the program prints a table."""


if __name__ == "__main__":
    main()
