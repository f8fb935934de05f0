"""Whether the words of an answer still hold only what its documents say, and where that stands in them now."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from vouch.answering.answer_text import names_one_of
from vouch.answering.told_citations import told_now
from vouch.errors import Denied
from vouch.ports.index import View

CHANGED = "what this answer was made from has changed, or you may not read it any more"


class Sent(Protocol):
    """An answer's JSON, and the passages that it was made from."""

    @property
    def body(self) -> Mapping[str, Any]: ...

    @property
    def given(self) -> Sequence[str]: ...


def as_it_stands(sent: Sent, view: View) -> dict[str, Any]:
    """An answer's JSON, its citations as the documents of this view have them. Raises Denied if its words hold
    something that is not there any more, and for passages that the view does not show.
    """
    body = sent.body
    if body.get("action") == "declined" and not names_one_of(body["answer"], view.passages(sent.given)):
        raise Denied(CHANGED, cure="ask again")
    cited = body.get("citations", ())
    passages = iter(view.passages([one["chunk_id"] for one in cited if one.get("origin") != "external"]))
    now = [one if one.get("origin") == "external" else told_now(one, next(passages), body["answer"]) for one in cited]
    if None in now:
        raise Denied(CHANGED, cure="ask again")
    return {**body, "citations": now} if cited else dict(body)


def stands(sent: Sent, view: View) -> bool:
    """Whether `as_it_stands` gives it."""
    try:
        as_it_stands(sent, view)
    except Denied:
        return False
    return True
