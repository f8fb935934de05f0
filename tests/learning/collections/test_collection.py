"""The training collection searches as the served one: BM25 by an independent implementation, hidden rows unheard of."""

import numpy as np
import pytest
from rank_bm25 import BM25Okapi
from two_world.stand_ins import HashEncoder

from vouch.adapters.analyser import SnowballAnalyser
from vouch.learning.collections.collection import Collection, text_passage

ANALYSER = SnowballAnalyser()
TEXTS = [
    "parental leave is paid for sixteen weeks", "annual leave is asked for in the calendar", "reset the VPN token",
    "leave the building by the stairs", "the travel budget of the team", "travel and leave", "weeks of travel travel",
]


class Overlap:
    fingerprint = "overlap:1"

    def scores(self, pairs: list[tuple[str, str]]) -> list[float]:
        return [float(len(set(q.split()) & set(p.split()))) for q, p in pairs]


def collection(texts: list[str]) -> Collection:
    return Collection([text_passage(n, "", text) for n, text in enumerate(texts)], HashEncoder(), Overlap(), ANALYSER)


def test_lexical_scores_are_bm25() -> None:
    oracle = BM25Okapi([ANALYSER.terms(text) for text in TEXTS], k1=1.2, b=0.75)
    oracle.avgdl = 120.0
    oracle.idf = {
        term: np.log(1 + (len(TEXTS) - n + 0.5) / (n + 0.5))
        for term in {t for text in TEXTS for t in ANALYSER.terms(text)}
        if (n := sum(term in ANALYSER.terms(text) for text in TEXTS))
    }
    terms = ANALYSER.terms("weeks of parental leave travel")
    expected = oracle.get_scores(terms)
    hits = collection(TEXTS).lexical(terms, 100)
    assert {int(h.chunk_id): pytest.approx(h.score) for h in hits} == {n: s for n, s in enumerate(expected) if s > 0}
    assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)


def test_hidden_passages_leave_no_trace() -> None:
    whole = collection(TEXTS)
    hidden = ["00000005", "00000006"]
    assert whole.judged("weeks of leave", hidden=hidden) == collection(TEXTS[:5]).judged("weeks of leave")
    assert whole.judged("weeks of leave") != whole.judged("weeks of leave", hidden=hidden)


def test_given_lists_do_not_depend_on_each_other() -> None:
    whole = collection(TEXTS)
    first, second = ("weeks of leave", ["00000000", "00000003"]), ("travel", ["00000004"])
    assert whole.given([first, second]) == [whole.given([first])[0], whole.given([second])[0]]
