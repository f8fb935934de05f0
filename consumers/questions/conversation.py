"""What was asked before a question, as far as all who will read its answer could see it."""

from collections.abc import Sequence

from vouch.adapters.ledger import EarlierQuestion
from vouch.answering.removed import REMOVED
from vouch.messages import AudienceRef, QuestionAsked
from vouch.retrieval.follow_up import Turn


def turns(question: QuestionAsked, earlier: Sequence[EarlierQuestion]) -> list[Turn]:
    """Newest first, up to the first that some reader may not know of.

    Questions only: no word of an answer, and so none of a document, is taken from it.
    """
    found = []
    for one in earlier:
        if not known_to_all(question.audience, one.question) or one.question.text == REMOVED:
            break
        found.append(Turn(one.question.text, bool(one.answer.get("understood_as")), one.question.outside))
    return found


def known_to_all(audience: AudienceRef, earlier: QuestionAsked) -> bool:
    """Whether each of the readers asked the earlier question, or was named as a reader of it.

    In a conversation of a surface, whether it was asked there.
    """
    if audience.kind == "conversation" or earlier.audience.kind == "conversation":
        return audience == earlier.audience
    return set(audience.tags) <= {*earlier.audience.tags, earlier.asker}
