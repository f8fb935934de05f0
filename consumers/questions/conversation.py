"""What was asked before a question, as the turns that it may stand on."""

from collections.abc import Sequence

from vouch.adapters.ledger import EarlierQuestion
from vouch.answering.removed import REMOVED
from vouch.retrieval.follow_up import Turn


def turns(earlier: Sequence[EarlierQuestion]) -> list[Turn]:
    """Newest first, up to the first whose words were purged.

    Questions only: no word of an answer, and so none of a document, is taken from it.
    """
    found = []
    for one in earlier:
        if one.question.text == REMOVED:
            break
        found.append(Turn(one.question.text, bool(one.answer.get("understood_as")), one.question.outside))
    return found
