"""Features of the evidence: what in a passage speaks for its holding the answer, as numbers a small model can weigh.

Everything is a function of the question, the passage and statistics over the
rows the audience may see. Shares, ratios and log-odds only, never raw scores
that grow with the collection or the list, so that a weight learned on one
collection means the same on another.
"""

import itertools
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vouch.documents.chunk import plain
from vouch.documents.text.sentences import sentence_spans
from vouch.ports.models import Analyse
from vouch.retrieval.bm25 import K1, REFERENCE_LENGTH, B
from vouch.values.candidate import Candidate, Statistics

EVIDENCE_SCHEMA = 1                     # raise when a name or a meaning changes
EVIDENCE_FEATURES: Mapping[str, str] = {
    "maxsim": "reranker score: mean over the question's tokens of the best cosine with a passage token",
    "cosine": "cosine of question and passage vectors; 0 where the dense list does not hold the passage",
    "cosine_missing": "1 where the dense list does not hold the passage",
    "coverage": "share of the question's idf mass that the passage with its headings holds",
    "window_coverage": "the same for the best window of three sentences with the headings",
    "largest_gap": "idf of the rarest question term the passage lacks, as a share of the greatest idf possible",
    "phrases": "share of the question's pairs of neighboring terms that stand together in the passage",
    "bm25_share": "BM25 of the passage as a share of the most its terms could reach",
    "numbers": "share of the question's numbers in the passage; 1 if it has none",
    "names": "share of the question's capitalised names in the passage; 1 if it has none",
    "number_wanted": "question asks for a number or date: +1 the best window has one of its own, -1 none, else 0",
    "name_wanted": "question asks who, where or which: +1 the best window has a name of its own, -1 none, else 0",
    "maxsim_lead": "maxsim less the mean of the list's two best others; with fewer, less no less than is usual",
    "judge": "log-odds of the judge, which read question and passage together; 0 where it did not",
    "judge_missing": "1 where the judge did not read the passage",
    "judge_best": "the greatest of the judge's log-odds in the list; 0 where it read none",
}
OF_THE_LIST = frozenset({"judge_best"})   # the same for all passages of a list: says whether the question is answered

_WINDOW = 3
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z][\w&.'’-]*", re.MULTILINE)
_WANTS_NUMBER = re.compile(
    r"\b(when|how (?:many|much|long|often|old|big|large|far|high|tall|late|soon|early)|"
    r"what (?:year|date|time|day|month|percentage|share|number|amount)|which (?:year|date|day|month)|"
    r"in (?:what|which) (?:year|month)|deadline|budget|price|cost)\b", re.IGNORECASE)
_WANTS_NAME = re.compile(
    r"\b(who|whom|whose|where|(?:what|which) (?:city|country|state|person|company|team|group|band|"
    r"office|island|river|author|actor|president))\b", re.IGNORECASE)

# Mean MaxSim of the second and third passages that 200 employees' questions find; few of them answer.
USUAL_MAXSIM = 0.48


@dataclass(frozen=True, slots=True)
class _Asked:
    """The question, taken apart once for all candidates."""

    idf: Mapping[str, float]            # of its distinct terms
    greatest: float                     # idf of a term no row holds
    pairs: frozenset[tuple[str, str]]
    numbers: frozenset[str]
    names: frozenset[str]               # terms of its capitalised words
    wants_number: bool
    wants_name: bool


def evidence_features(
    question: str,
    question_terms: Sequence[str],
    statistics: Statistics,
    candidates: Sequence[Candidate],
    analyse: Analyse,
    judged: Sequence[float] = (),
    usual: float | None = None,
) -> list[dict[str, float]]:
    """One mapping of EVIDENCE_FEATURES per candidate, in their order; independent of that order.

    `judged`: what the judge says of the first candidates, as many as it has read.
    `usual`: the reranker's score of a passage that does not answer, if it is known: in lists of one or two passages
    each is measured by no less.
    """
    asked = _take_apart(question, question_terms, statistics, analyse)
    leads = _leads([c.rerank_score or 0.0 for c in candidates], usual)
    best = max(judged, default=0.0)
    return [
        _features(asked, c, analyse) | {"maxsim_lead": lead} | _said(judged[n : n + 1]) | {"judge_best": best}
        for n, (c, lead) in enumerate(zip(candidates, leads, strict=True))
    ]


def _said(judged: Sequence[float]) -> dict[str, float]:
    return {"judge": judged[0] if judged else 0.0, "judge_missing": float(not judged)}


def _take_apart(question: str, terms: Sequence[str], statistics: Statistics, analyse: Analyse) -> _Asked:
    # Lucene's idf; one row more than there are keeps it above 0 for a term in every row.
    def idf(rows: int) -> float:
        return math.log(1 + (statistics.rows - rows + 0.5) / (rows + 0.5))

    names = {term for name in _NAME.findall(question) for term in analyse(name)}
    return _Asked(
        idf={term: idf(min(statistics.frequency.get(term, 0), statistics.rows)) for term in dict.fromkeys(terms)},
        greatest=idf(0),
        pairs=frozenset((a, b) for a, b in itertools.pairwise(terms) if a != b),
        numbers=frozenset(_NUMBER.findall(question)),
        names=frozenset(names),
        wants_number=bool(_WANTS_NUMBER.search(question)),
        wants_name=bool(_WANTS_NAME.search(question)),
    )


def _features(asked: _Asked, candidate: Candidate, analyse: Analyse) -> dict[str, float]:
    passage = candidate.passage
    heading = " ".join((passage.title, *passage.section, plain(passage.header)))
    heading_terms, body_terms = analyse(heading), analyse(plain(passage.text))
    passage_terms = set(heading_terms) | set(body_terms)
    window, covered = _best_window(asked, passage.text, set(heading_terms), set(body_terms), analyse)
    whole = f"{heading}\n{passage.text}"
    missing = [weight for term, weight in asked.idf.items() if term not in passage_terms]
    return {
        "maxsim": candidate.rerank_score or 0.0,
        "cosine": candidate.dense_score or 0.0,
        "cosine_missing": float(candidate.dense_score is None),
        "coverage": _mass(asked, passage_terms),
        "window_coverage": covered,
        "largest_gap": max(missing, default=0.0) / asked.greatest,
        "phrases": _share(asked.pairs, set(itertools.pairwise(body_terms))
                          | set(itertools.pairwise(heading_terms))),
        "bm25_share": _bm25_share(asked, [*heading_terms, *body_terms]),
        "numbers": _share(asked.numbers, set(_NUMBER.findall(whole))) if asked.numbers else 1.0,
        "names": _share(asked.names, passage_terms) if asked.names else 1.0,
        "number_wanted": _wanted(asked.wants_number, bool(set(_NUMBER.findall(window)) - asked.numbers)),
        "name_wanted": _wanted(asked.wants_name, any(
            set(terms) - asked.idf.keys() for name in _NAME.findall(window) if (terms := analyse(name)))),
    }


def _best_window(
    asked: _Asked, text: str, heading: set[str], body: set[str], analyse: Analyse
) -> tuple[str, float]:
    """The first window of three sentences that covers most, and the share it covers."""
    spans = sentence_spans(text) or [(0, len(text))]
    if not (asked.idf.keys() & body) - heading:     # no window covers more than the headings do
        return text[spans[0][0] : spans[min(_WINDOW, len(spans)) - 1][1]], _mass(asked, heading)
    terms = [set(analyse(plain(text[start:end]))) for start, end in spans]
    best, covered = "", -1.0
    for first in range(max(len(spans) - _WINDOW, 0) + 1):
        last = min(first + _WINDOW, len(spans))
        share = _mass(asked, heading.union(*terms[first:last]))
        if share > covered:
            best, covered = text[spans[first][0] : spans[last - 1][1]], share
    return best, covered


def _mass(asked: _Asked, held: set[str]) -> float:
    # fsum: the sum does not depend on the order of a set, which changes from process to process
    total = math.fsum(asked.idf.values())
    return math.fsum(w for term, w in asked.idf.items() if term in held) / total if total > 0 else 0.0


def _bm25_share(asked: _Asked, terms: list[str]) -> float:
    counts = Counter(terms)
    norm = K1 * (1 - B + B * len(terms) / REFERENCE_LENGTH)
    total = math.fsum(asked.idf.values())
    reached = math.fsum(w * counts[term] / (counts[term] + norm) for term, w in asked.idf.items())
    return reached / total if total > 0 else 0.0


def _share(wanted: frozenset[str] | frozenset[tuple[str, str]], held: set[str] | set[tuple[str, str]]) -> float:
    return len(wanted & held) / len(wanted) if wanted else 0.0


def _wanted(asked: bool, there: bool) -> float:
    return (1.0 if there else -1.0) if asked else 0.0


def leading(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those that features of all candidates are measured by: leads by three, and one is what the judge likes best."""
    first = sorted(candidates, key=lambda one: one.rerank_score or 0.0, reverse=True)[:3]
    read = [one for one in candidates if one.features and not one.features.get("judge_missing", 1.0)]
    liked = max(read, key=lambda one: one.features["judge"], default=None)
    return first if liked is None or liked in first else [*first, liked]


def _leads(scores: Sequence[float], usual: float | None) -> list[float]:
    """Each score less the mean of the two best others: two, so that lists of 3 and of 20 compare."""
    result = []
    for place, score in enumerate(scores):
        others = sorted((s for i, s in enumerate(scores) if i != place), reverse=True)[:2]
        if len(others) < 2 and usual is not None:       # where hardly anything is there, something odd may lead by far
            others = [max([usual, *others])]
        result.append(score - math.fsum(others) / len(others) if others else 0.0)
    return result
