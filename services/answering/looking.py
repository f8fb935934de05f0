"""Whom an answer was made for, and that they may still read all it was made from."""

from collections.abc import Callable

from vouch.access import PUBLIC
from vouch.adapters.ledger import SentAnswer
from vouch.answering.standing import CHANGED
from vouch.errors import Denied, NotFound
from vouch.messages import TagsAudience
from vouch.ports.index import Index, Readable

Principals = Callable[[str], frozenset[str]]
"""What a reader holds by the directory of now."""
ASK_YOURSELF = "ask the question yourself"


def check_made_for(
    sent: SentAnswer | None, reader: str, principals: Principals, index: Index, cure: str = ASK_YOURSELF
) -> Readable:
    """What the reader may read, in whose groups of now one may be whom it was made for. Raises NotFound for somebody
    else's answer, as if there were none, and for that of a conversation, which is read there; Denied if what it was
    made from may not be read any more.
    """
    if sent is None or not is_made_for(sent, reader, principals):
        raise unknown(cure)
    return check_readable(sent, [reader], index)


def is_made_for(sent: SentAnswer, reader: str, principals: Principals) -> bool:
    made_for = sent.question.audience
    tags = set(made_for.tags) if isinstance(made_for, TagsAudience) else set[str]()
    return bool({reader, PUBLIC} & tags or (tags and principals(reader) & tags))


def check_readable(sent: SentAnswer, readers: list[str], index: Index) -> Readable:
    """What the readers may read. Raises Denied unless that is all that it was made from."""
    readable = index.visible_to(readers, sent.given)
    if not readable.chunk_ids.issuperset(sent.given):
        raise Denied(CHANGED, cure="ask again")
    return readable


def unknown(cure: str = ASK_YOURSELF) -> NotFound:
    return NotFound("there is no such answer, or it was not made for you", cure=cure)
