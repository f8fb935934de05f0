"""Sentences of a whole answer that were not told while it was made, as the process that made it tells its own."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bots.http.backend import Event

_SHOWN = ("number", "chunk_id", "source", "path", "title", "quote")


def last_sentences(answer: Mapping[str, Any], told: Sequence[Event], after: int) -> Iterator[Event]:
    """In order, numbered from `after` on. `told`: what was told before. Of an answer that is not certain none is."""
    sentences = answer["sentences"] if answer["action"] == "answered" else []
    citations = {one["number"]: one for one in answer["citations"]}
    for number, one in enumerate(sentences[_said(told) :], after + 1):
        cited = [citations[mark] for mark in one["citations"]]
        chunks = tuple(each["chunk_id"] for each in cited if each["origin"] != "external")
        shown = [{name: each[name] for name in _SHOWN} for each in cited]
        yield Event(number, "sentence", {"text": one["text"], "citations": shown}, chunks)


def _said(told: Sequence[Event]) -> int:
    """How many sentences of it count: a `retrieve` begins anew."""
    said = 0
    for one in told:
        said = said + 1 if one.kind == "sentence" else 0 if one.data["stage"] == "retrieve" else said
    return said
