"""Questions with known answers, and how well a deployment answers them.

An answer is right when it quotes one of the passages that hold the answer:
the same document, and at least half of the passage's characters in one piece,
or a piece of it of its own. Words of an answer are not compared, since every
sentence of one is checked against its quotes anyway.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from vouch.access import PUBLIC
from vouch.answering.answer import Action, Answer
from vouch.learning.statistics.metrics import told_all, told_auc
from vouch.values.candidate import Passage

SHORTEST = 20                           # characters of a quotation that count though they are less than half


@dataclass(frozen=True, slots=True)
class GoldQuote:
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """`gold`: quotations, each with its alternatives. One is enough, unless it `needs_all`.

    A question that the documents do not answer has none, except where they
    correct what it takes for granted. `reader`: who asks it, where the question
    says so.
    """

    id: str
    text: str
    answerable: bool
    kind: str = ""
    corpus: str = ""
    gold: tuple[tuple[GoldQuote, ...], ...] = ()
    needs_all: bool = False
    reader: str = ""


@dataclass(frozen=True, slots=True)
class Graded:
    """`quoted`: the answer quotes what it should. `best`: the evaluator's highest probability, 0 without a passage."""

    question: GoldenQuestion
    action: Action
    quoted: bool
    best: float

    @property
    def right(self) -> bool:
        """Of an answer given as certain: whether it may be."""
        return self.quoted


def asker_of(question: GoldenQuestion, readers: Mapping[str, str]) -> str:
    """The tag that it is asked as: the reader of its corpus, or its own, or the public."""
    return readers.get(question.corpus) or question.reader or PUBLIC


def of_the_public(questions: Iterable[GoldenQuestion], readers: Mapping[str, str]) -> list[GoldenQuestion]:
    """Those that nobody but the public asks; `readers` by corpus."""
    return [one for one in questions if asker_of(one, readers) == PUBLIC]


def grade(question: GoldenQuestion, answer: Answer) -> Graded:
    found = quoted_of(question, answer)
    quoted = bool(found) and (all(found) if question.needs_all else any(found))
    best = max(answer.verdict.scores, default=0.0) if answer.verdict else 0.0
    return Graded(question, answer.action, quoted, best)


def quoted_of(question: GoldenQuestion, answer: Answer) -> list[bool]:
    """For each quotation of the question's whether the answer quotes it, or one that will do in its place."""
    shown = [(citation.path, citation.quote) for citation in answer.citations]
    return [any(_holds(one, shown) for one in alternatives) for alternatives in question.gold]


def held_in(alternatives: Iterable[GoldQuote], passage: Passage) -> bool:
    """Whether the passage holds one of them, at least half of it."""
    return any(_holds(one, [(passage.path, passage.text)]) for one in alternatives)


def relevance(question: GoldenQuestion, passages: Sequence[Passage]) -> dict[str, int]:
    """By chunk id 1 for each passage that holds a quotation of the question's, at least half of it."""
    gold = [one for alternatives in question.gold for one in alternatives]
    return {p.chunk_id: 1 for p in passages if held_in(gold, p)}


def holds_half(quotation: str, text: str) -> bool:
    """Whether half of the quotation's characters stand in the text in one piece, or the whole text is a piece of it."""
    wanted, have = " ".join(quotation.split()), " ".join(text.split())
    common = SequenceMatcher(None, wanted, have, autojunk=False).find_longest_match().size
    return 2 * common >= len(wanted) or (common >= SHORTEST and common == len(have))


def _holds(gold: GoldQuote, shown: Sequence[tuple[str, str]]) -> bool:
    return any(path == gold.path and holds_half(gold.text, quote) for path, quote in shown)


def figures(graded: Sequence[Graded]) -> dict[str, Any]:
    """Shares over all questions and by kind.

    Of the answerable: `cited` answered and quoted rightly, `shown` quoted
    rightly in whatever is shown, `declined`. Of the others: `answered`,
    `unsure`, `declined`. Of all that is given as certain: `precision`, the
    share that quotes rightly; `coverage`, the share of the answerable that is
    answered so. `auc`: how well the evaluator tells one from the other. Each
    has its 95 % interval over questions beside it.
    """
    return {**_figures(graded), "kinds": {kind: _figures(rows) for kind, rows in _by_kind(graded).items()}}


def _by_kind(graded: Iterable[Graded]) -> dict[str, list[Graded]]:
    kinds: dict[str, list[Graded]] = {}
    for one in graded:
        kinds.setdefault(one.question.kind or "all", []).append(one)
    return dict(sorted(kinds.items(), key=lambda item: (not item[1][0].question.answerable, item[0])))


def _figures(graded: Sequence[Graded]) -> dict[str, Any]:
    there = [result for result in graded if result.question.answerable]
    absent = [result for result in graded if not result.question.answerable]
    certain = [result for result in graded if result.action == "answered"]
    report: dict[str, Any] = {"questions": len(graded)}
    if there:
        report["answerable"] = {"questions": len(there), **told_all({
            "cited": [result.quoted and result.action == "answered" for result in there],
            "shown": [result.quoted for result in there],
            "answered": [result.action == "answered" for result in there],
            "declined": [result.action == "declined" for result in there],
        })}
    if absent:
        report["unanswerable"] = {"questions": len(absent), **told_all({
            "answered": [result.action == "answered" and not result.quoted for result in absent],
            "unsure": [result.action == "answered_with_caution" for result in absent],
            "declined": [result.action == "declined" for result in absent],
        })}
    if certain:
        report["certain"] = {"answers": len(certain), **told_all({"precision": [result.right for result in certain]})}
        if there:
            report["certain"] |= told_all({"coverage": [result.action == "answered" for result in there]})
    return {**report, **told_auc([result.question.answerable for result in graded], [result.best for result in graded])}
