"""Takes words of a document, and what is old enough, out of hand-overs, drafts and messages that wait."""

from collections.abc import Callable, Collection
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, delete, select, update

from vouch.adapters.ledger.engine.schema import drafts, handoffs, notices
from vouch.adapters.ledger.handoffs import EXPIRED, REFUSED
from vouch.adapters.ledger.notices import WAITING

_SOURCE = "human-answers"


def clean_handed_over(
    connection: Connection, places: Collection[tuple[str, str]], made_from: Collection[str],
    quoting: Callable[[str], bool],
) -> None:  # fmt: skip
    """Drafts that are the document, quote it, or came of an answer made from it are gone, as are words of hand-overs of
    such answers, and digests that wait: these name documents."""
    paths, named = {path for source, path in places if source == _SOURCE}, {f"{s}:{path}" for s, path in places}
    for row in connection.execute(select(drafts)).all():
        it = any(path.endswith(f"/{row.id}.md") for path in paths) or not named.isdisjoint(row.documents)
        if it or row.answer_id in made_from or quoting(row.text) or quoting(row.question):
            connection.execute(delete(drafts).where(drafts.c.id == row.id))
    for row in connection.execute(select(handoffs).where(handoffs.c.words.is_not(None))).all():
        if row.answer_id in made_from or quoting(row.words):
            connection.execute(update(handoffs).where(handoffs.c.answer_id == row.answer_id).values(words=None))
    connection.execute(delete(notices).where(notices.c.kind == "digest", notices.c.state == WAITING))


def words_of_drafts(connection: Connection) -> list[str]:
    """All that `clean_handed_over` looks at, for a search beforehand."""
    held = [text for row in connection.execute(select(drafts.c.question, drafts.c.text)) for text in row]
    return [*held, *connection.execute(select(handoffs.c.words).where(handoffs.c.words.is_not(None))).scalars()]


def expire_handed_over(connection: Connection, before: datetime) -> int:
    """Drafts that came to nothing, and messages that were posted, of before then; how many drafts."""
    gone = connection.execute(delete(drafts).where(_old(before))).rowcount
    connection.execute(delete(notices).where(notices.c.state != WAITING, notices.c.made_at < before))
    return gone


def expired_drafts(before: datetime) -> Select[Any]:
    """What `expire_handed_over` would delete."""
    return select(drafts.c.id).where(_old(before))


def _old(before: datetime) -> ColumnElement[bool]:
    return drafts.c.state.in_((REFUSED, EXPIRED)) & (drafts.c.expires_at < before) & (drafts.c.made_at < before)
