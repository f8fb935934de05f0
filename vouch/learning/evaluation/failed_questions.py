"""The questions that went wrong, each with what was shown in its place and what was known to be right."""

from typing import Any

from vouch.answering.answer import Answer, AnswerCitation
from vouch.learning.collections.golden import GoldenQuestion, Graded
from vouch.learning.evaluation.golden_retrieval import Places


def failed(graded: Graded, places: Places, answer: Answer) -> dict[str, Any] | None:
    """What went wrong, ready for JSON; None where nothing did.

    An answerable question went wrong if a known quotation was not shown: it
    was declined, or something else was quoted, as certain or with caution. Any
    other did if it was answered as certain. `place`: where a known passage
    stands in the final order; None where none was found, or none is known.
    """
    wrong = _wrong(graded)
    if not wrong:
        return None
    question = graded.question
    return {
        "id": question.id, "question": question.text, "wrong": wrong, "reason": answer.reason,
        "shown": [_shown(citation) for citation in answer.citations],
        "expected": _expected(question), "all_needed": question.needs_all, "place": places["final"],
    }


def _wrong(graded: Graded) -> str:
    if graded.quoted:
        return ""
    if graded.question.answerable:
        return graded.action
    return "answered" if graded.action == "answered" else ""


def _shown(citation: AnswerCitation) -> dict[str, Any]:
    return {"title": citation.title, "section": citation.section, "source": citation.source, "path": citation.path,
            "lines": list(citation.lines), "page": citation.page, "quote": citation.quote}


def _expected(question: GoldenQuestion) -> list[dict[str, str]]:
    """The quotations that are known; of each its first form."""
    firsts = [alternatives[0] for alternatives in question.gold]
    return [{"path": one.path, "quote": one.text} for one in firsts]
