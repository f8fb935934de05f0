"""A question that was asked to be measured: its answer, what was found for it, and whether its quotations hold."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from vouch.answering.answer import Answer, AnswerCitation
from vouch.values.candidate import Passage


class Looks(Protocol):
    """What reads passages, as their readers see them."""

    def passages(self, chunk_ids: Sequence[str]) -> list[Passage]: ...


@dataclass(frozen=True, slots=True)
class Spans:
    """Quoted spans of an answer: those `found` word for word where they are said to stand, of `internal` ones. Those
    from the web are `external`: no index holds their pages."""

    internal: int = 0
    found: int = 0
    external: int = 0


@dataclass(frozen=True, slots=True)
class Asked:
    """`fused` and `final`: all that was found, in the order of the fusion and in the one that was answered from."""

    answer: Answer
    fused: tuple[Passage, ...] = ()
    final: tuple[Passage, ...] = ()
    spans: Spans = Spans()

    @property
    def best(self) -> float:
        """The evaluator's highest probability; 0 without a passage."""
        return max(self.answer.verdict.scores, default=0.0) if self.answer.verdict else 0.0

    @property
    def quotes(self) -> list[str]:
        """What is quoted, in the answer's order."""
        return [citation.quote for citation in self.answer.citations]


def looked_at(answer: Answer, rows: Sequence[dict[str, Any]], view: Looks, shown: Collection[str]) -> Asked:
    """`rows`: the candidates as the ledger keeps them, in final order; `shown`: ids that the readers may still read.
    One of the web has no place in a list, and one that was drawn in beside a hit none in that of the fusion."""
    rows = [row for row in rows if row["chunk_id"] in shown]
    cited = [one for one in answer.citations if one.origin == "internal"]
    ids = dict.fromkeys([*(row["chunk_id"] for row in rows), *(one.chunk_id for one in cited if one.chunk_id in shown)])
    passages = {passage.chunk_id: passage for passage in view.passages(list(ids))}
    fused = sorted((row for row in rows if row["fused_rank"]), key=lambda row: row["fused_rank"])
    return Asked(
        answer, tuple(passages[row["chunk_id"]] for row in fused), tuple(passages[row["chunk_id"]] for row in rows),
        Spans(len(cited), sum(_stands(one, passages.get(one.chunk_id)) for one in cited),
              len(answer.citations) - len(cited)),
    )


def told_spans(spans: Iterable[Spans]) -> dict[str, Any]:
    """Over all answers: how many were quoted from documents, and the share of them that stands in its source."""
    every = list(spans)
    internal, found = sum(one.internal for one in every), sum(one.found for one in every)
    share = {"found": round(found / internal, 6)} if internal else {}
    return {"quoted": internal, **share, "not_found": internal - found, "external": sum(o.external for o in every)}


def _stands(citation: AnswerCitation, passage: Passage | None) -> bool:
    """Whether the document has these very words there."""
    if passage is None:
        return False
    start, end = citation.characters
    place = passage.source, passage.path
    return place == (citation.source, citation.path) and bool(citation.quote) and (
        passage.text[max(start - passage.start, 0):max(end - passage.start, 0)] == citation.quote)
