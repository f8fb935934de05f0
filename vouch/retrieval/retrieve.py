"""Retrieve: the best rows of each engine, inside what the audience may see."""

from dataclasses import dataclass

from vouch.ports.encoder import Encoder
from vouch.ports.index import View
from vouch.retrieval.candidate import Hit
from vouch.retrieval.query import Query


@dataclass(frozen=True, slots=True)
class Hits:
    """Both result lists, each best first with ties by chunk id."""

    lexical: tuple[Hit, ...]
    dense: tuple[Hit, ...]


def retrieve(view: View, encoder: Encoder, query: Query, top: int) -> Hits:
    """At most `top` hits of each engine. No terms (a question of stop words) means no lexical hits."""
    dense = view.dense(encoder.questions([query.text])[0], top)
    return Hits(lexical_hits(view, query, top).lexical, tuple(dense))


def lexical_hits(view: View, query: Query, top: int) -> Hits:
    """Those of the words alone, which need no model."""
    return Hits(tuple(view.lexical(query.terms, top)) if query.terms else (), ())
