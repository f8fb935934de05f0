"""Citations as answers tell them, and as they stand after the documents were edited elsewhere."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from vouch.answering.answer import AnswerCitation
from vouch.answering.answer_text import title_of
from vouch.answering.quoting.layout import beside
from vouch.answering.verification.citations import Citation
from vouch.values.candidate import Passage


def told_citation(c: Citation) -> AnswerCitation:
    p = c.passage
    return AnswerCitation(
        number=c.number, chunk_id=p.chunk_id, source=p.source, path=p.path, title=p.title, section=list(p.section),
        lines=c.lines, characters=c.characters, quote=c.quote, url=p.url, page=p.page,
        place=c.place, header=beside(p, c.start, c.end), origin=p.origin, fetched_at=p.fetched_at,
        changed_at=p.changed_at,
    )


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
    now = told_citation(Citation(one["number"], passage, at, at + len(quote))).model_dump(mode="json")
    return now if now["header"] == one.get("header", now["header"]) else None
