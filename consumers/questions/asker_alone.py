"""Whether somebody who asks where others read along would get a better answer alone."""

from collections.abc import Callable
from dataclasses import replace

from vouch.access import Audience
from vouch.answering.answer import Answer
from vouch.correction.components import Components
from vouch.correction.loop import answer_question
from vouch.correction.outcome import Outcome
from vouch.errors import VouchError
from vouch.retrieval.query import Question

Rank = tuple[bool, bool, float]


def worth(outcome: Outcome) -> Rank:
    """Of two answers to one question the better one has more of it."""
    action = outcome.answer.action
    return action == "answered", action == "answered_with_caution", outcome.answer.confidence.value


def told_of_more(outcome: Outcome, question: Question, asker: Callable[[], Audience], c: Components) -> Outcome:
    """The same, marked if a better answer stands in what its asker may read and the others may not.

    That is looked up without a language model and without the web, and nothing of it is kept. Where it
    cannot be told it is a no: an answer that is made does not depend on it.
    """
    try:
        more = _more(outcome, question, asker, c)
    except VouchError:
        more = False
    if not more:
        return outcome
    marked: Answer = outcome.answer.model_copy(update={"asker_may_read_more": True})
    return replace(outcome, answer=marked)


def _more(outcome: Outcome, question: Question, asker: Callable[[], Audience], c: Components) -> bool:
    if outcome.answer.action == "replied" or question.audience.readers == asker().readers:
        return False
    alone = replace(question, audience=asker(), resolve=asker, outside=False,
                    understood_as=outcome.answer.understood_as)
    quick = replace(c, writer=c.fallback, outside=None, swap_rate=0.0)
    found = answer_question(alone, quick)
    if worth(found) <= worth(outcome):
        return False
    cited = {one.chunk_id for one in found.answer.citations}
    return not c.index.visible(question.audience, sorted(cited)).issuperset(cited)
