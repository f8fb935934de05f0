"""What a learned fusion gains over reciprocal ranks: fitted on its own set in five folds, and on other sets alone.

    python benchmarks/learned_fusion.py --beir scifact=DIR,QRELS --questions company=FILE --reader 18f=group:staff

Questions are asked of the index in VOUCH_HOME. Beside the figures it takes the
time of the fusion alone over 200 candidates.
"""

import argparse
import time
from collections.abc import Sequence
from datetime import date
from functools import partial
from pathlib import Path

import numpy as np
from report import Report, p50, p95

from cli.questions import by_corpus
from cli.wiring.learning import candidates_of_folder, candidates_of_questions
from cli.wiring.settings import command_settings
from services.wiring import open_search_service
from vouch.adapters.analyser import SnowballAnalyser
from vouch.learning.fusion_model import FusionModel, LearnedFusion
from vouch.learning.fusion_training import TERMS, JudgedCandidates, choose, fit_terms, ndcg, scores_by
from vouch.learning.metrics import paired_interval
from vouch.retrieval.features import FEATURE_SCHEMA
from vouch.retrieval.fusion import ReciprocalRanks, fuse
from vouch.retrieval.query import form_query
from vouch.retrieval.retrieve import retrieve

FOLDS = 5
MOST_MS = 2.0
Sets = dict[str, list[JudgedCandidates]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beir", action="append", default=[], metavar="NAME=DIR,QRELS")
    parser.add_argument("--questions", action="append", default=[], metavar="NAME=FILE")
    parser.add_argument("--reader", action="append", metavar="CORPUS=TAG")
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
        own = _folds(lists)
        others = [one for other, more in sets.items() if other != name for one in more]
        cells = [_gain(own, reciprocal), _gain(_scored(_fitted(others), lists), reciprocal) if others else ("", "")]
        report.line(name, len(lists), f"{reciprocal.mean():.3f}", *(cell for pair in cells for cell in pair))
    _time(report, _fitted([one for lists in sets.values() for one in lists]))
    report.end()


def _folds(lists: Sequence[JudgedCandidates]) -> np.ndarray:
    """nDCG of each list by a model that saw none of its fold."""
    fold = np.random.default_rng(date(2026, 11, 23).toordinal()).permutation(len(lists)) % FOLDS
    found = np.zeros(len(lists))
    for number in range(FOLDS):
        model = _fitted([one for one, of in zip(lists, fold, strict=True) if of != number])
        found[fold == number] = _scored(model, [one for one, of in zip(lists, fold, strict=True) if of == number])
    return found


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
    fusion, tags = LearnedFusion(model, SnowballAnalyser()), sorted(finder.permissions().directory.groups)
    view = finder.index.view(finder.permissions().directory.audience([f"group:{tags[0]}"]))
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
