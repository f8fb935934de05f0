"""Whether the words of an answer still hold only what its documents say, and where that stands in them now."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from vouch.answering.answer_text import names_one_of, title_of
from vouch.answering.verification.citations import Citation
from vouch.errors import Denied
from vouch.ports.index import View
from vouch.values.candidate import Passage

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


def told_now(one: Mapping[str, Any], passage: Passage, words: str) -> dict[str, Any] | None:
    """A citation out of an answer's JSON, whose `passage` may stand elsewhere by now.

    None where `words`, the answer's text, hold what is not there any more: a passage's id says nothing of its
    document's title, or of a header above it.
    """
    at, quote = one["characters"][0] - passage.start, one["quote"]
    if at < 0 or not passage.text.startswith(quote, at):
        at = passage.text.find(quote)   # the first, should the same words stand there again
    gone = one["title"] not in (passage.title, *passage.section)
    if at < 0 or (gone and title_of(replace(passage, title=one["title"])) in words):
        return None
    now = Citation(one["number"], passage, at, at + len(quote)).told().model_dump(mode="json")
    return now if now["header"] == one.get("header", now["header"]) else None
