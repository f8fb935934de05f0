"""How an answer was made, for whoever asked and for operators, as far as they may read now what it was made from."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from services.answering.askers import untold
from services.answering.contributions import Contributions
from services.answering.partly_readable import chunks_named, steps_told
from vouch.access import PUBLIC, Audience
from vouch.adapters.ledger import Ledger, SentAnswer
from vouch.answering.answer import REMOVED
from vouch.answering.partly_told import asked_alone, cites_only, kind_alone
from vouch.answering.standing import CHANGED, stands
from vouch.correction.outcome import waterfall
from vouch.errors import Denied, NotFound
from vouch.messages import TagsAudience
from vouch.ports.index import Index
from vouch.ports.stores import PermissionStore
from vouch.values.candidate import Passage

CLOSEST = 3
_STEPS = ("steps", "stopped", "open_parts", "orders", "recipe_steps")
_MODELS = ("fused_by", "reranked_by", "judged_by", "read_by", "model", "recipe")
_VERSIONS = ("index_version", "access_epoch", "asked_at", "answered_at")


@dataclass(frozen=True)
class TraceService:
    """Implements the Traces of `bots.http.backend`. It loads no model."""

    ledger: Ledger
    permissions: PermissionStore
    index: Index
    contributions: Contributions
    clock: Callable[[], datetime]
    reticent: bool = False              # strangers ask: they are told no numbers of index and permissions

    def trace(self, named: str, readers: Sequence[str], *, operates: bool = False) -> dict[str, Any]:
        """How an answer was made: with words for readers of whom one asked the question, without any words for an
        operator.

        Candidates that they may not all read now are left out and not counted; numbers are told only where none is
        left out, nor any passage of a further step, as a rank tells of those before it. Where all that is cited
        may be read, and not all that the answer was made from, the asker is told the question and the steps, and else
        as little as an operator. Raises NotFound for the answer of somebody else, as if there were none; Denied if
        something that is cited may not be read any more, or the answer's words hold a title that is not there any more.
        """
        sent = self.ledger.sent.find(named)
        if sent is None or sent.question.text == REMOVED:
            raise _unknown()
        asked = _is_asker(sent, readers)
        if not asked and not operates:
            raise _unknown()
        audience, body = self._audience(readers), sent.body
        steps = self.ledger.answers.steps(body["id"]) if asked and body.get("steps") else []
        seen = self._seen(audience, {*sent.given, *chunks_named(steps)})
        readable = seen.issuperset(sent.given)
        words_stand = stands(sent, self.index.view(audience)) if readable else cites_only(body, seen)
        if asked and not words_stand:
            raise Denied(CHANGED, cure="ask again")
        rows = self.ledger.answers.candidates(body["id"])
        passages = self._passages(audience, rows)
        whole = readable and len(passages) == len({row["chunk_id"] for row in rows})
        all_told = asked and readable
        return {
            "id": body["id"], "asked_by_reader": asked, "whole": whole,
            **(_told(body) if all_told else asked_alone(body) | steps_told(body, steps, seen) if asked else {}),
            "action": body["action"],
            **_judgment(body, told=all_told or whole),
            **({"tokens": body["tokens"]} if all_told or whole else {}),
            "timings": [stage._asdict() for stage in waterfall(body["timings_ms"])],
            **{name: body.get(name, "") for name in (*_MODELS, *_VERSIONS)},
            **(untold(audience) if self.reticent else {}),
            **({"swapped": body["swapped"]} if whole and body.get("swapped") else {}),
            "candidates": self._candidates(body, rows, passages, whole=whole, words=all_told),
        }  # fmt: skip

    def trace_of(self, digits: str, readers: Sequence[str]) -> dict[str, Any]:
        """As `trace`, of the answer with this id, or the only one whose id begins so. Raises Usage for several."""
        return self.trace(self.ledger.answers.get(digits)["id"], readers)

    def closest(self, named: str, reader: str) -> dict[str, Any]:
        """What was looked at for an answer that this reader was given, as far as the reader may read it now.

        `passages`, `documents`: how many; `closest`: the first of them that may be quoted. It asks nobody whether the
        reader was given the answer.
        """
        sent = self.ledger.sent.find(named)
        rows = [] if sent is None else self.ledger.answers.candidates(sent.body["id"])
        passages = self._passages(self._audience([reader]), rows)
        best = [passages[row["chunk_id"]] for row in _in_order(rows) if row["chunk_id"] in passages]
        quotable = [passage for passage in best if not passage.injection][:CLOSEST]
        return {
            "passages": len(best), "documents": len({passage.document for passage in best}),
            "closest": [{**_place(one), "number": one.ordinal + 1, "text": one.text} for one in quotable],
        }  # fmt: skip

    def _candidates(
        self, body: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], passages: Mapping[str, Passage], *,
        whole: bool, words: bool,
    ) -> list[dict[str, Any]]:  # fmt: skip
        made_of = self.contributions.of(body, rows) if whole else {}
        spans = {entry["chunk_id"]: entry["kept"] for entry in body.get("evidence", ())}
        candidates = []
        for row in _in_order(rows):
            passage = passages.get(row["chunk_id"])
            if passage is None:
                continue
            entry = {**_place(passage), "number": passage.ordinal + 1,
                     "cited": row["cited"], "given": row["shown"] is not None}
            if whole:
                entry |= _numbers(row) | made_of.get(passage.chunk_id, {})
            if words:
                entry |= {"strips": strips(passage.text, spans[passage.chunk_id])} if passage.chunk_id in spans else {}
            candidates.append(entry)
        return candidates

    def _seen(self, audience: Audience, chunk_ids: Collection[str]) -> set[str]:
        try:
            return self.index.visible(audience, list(chunk_ids))
        except (Denied, NotFound):
            return set()

    def _passages(self, audience: Audience, rows: Sequence[Mapping[str, Any]]) -> dict[str, Passage]:
        """By chunk id those that the audience may read; none if permissions change while they are read."""
        try:
            seen = self.index.visible(audience, [row["chunk_id"] for row in rows])
            return {one.chunk_id: one for one in self.index.view(audience).passages(sorted(seen))}
        except (Denied, NotFound):
            return {}

    def _audience(self, readers: Sequence[str]) -> Audience:
        return self.permissions.permissions().directory.audience(list(readers), self.clock())


def strips(text: str, kept: Sequence[Sequence[int]]) -> list[dict[str, Any]]:
    """The text in pieces: those that the writer got are `kept`."""
    found, reached = [], 0
    for start, end in kept:
        found += [(text[reached:start], False), (text[start:end], True)]
        reached = end
    found.append((text[reached:], False))
    return [{"text": piece, "kept": is_kept} for piece, is_kept in found if piece]


def _is_asker(sent: SentAnswer, readers: Sequence[str]) -> bool:
    """Answers of conversations are told there, and those that a program asked for others are told to these."""
    asker, made_for = sent.question.asker, sent.question.audience
    return asker in readers and isinstance(made_for, TagsAudience) and not {asker, PUBLIC}.isdisjoint(made_for.tags)


def _told(body: Mapping[str, Any]) -> dict[str, Any]:
    """Queries may hold words of documents, all of which are among what the answer was made from."""
    completed = {name: body.get(name, "") for name in ("searched_as", "understood_by")}
    words = {name: body[name] for name in ("question", "understood_as", "answer", "reason", "warnings")}
    return words | completed | {name: body[name] for name in _STEPS if name in body}


def _judgment(body: Mapping[str, Any], *, told: bool) -> dict[str, Any]:
    return {name: body[name] for name in ("verdict", "confidence")} if told else kind_alone(body)


def _in_order(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return sorted(rows, key=lambda row: row["position"] or len(rows) + 1)


def _place(passage: Passage) -> dict[str, Any]:
    return {
        "chunk_id": passage.chunk_id, "source": passage.source, "path": passage.path, "title": passage.title,
        "section": list(passage.section), "place": passage.where, "flagged": passage.injection,
    }  # fmt: skip


def _numbers(row: Mapping[str, Any]) -> dict[str, Any]:
    names = ("position", "lexical_rank", "lexical_score", "dense_rank", "dense_score", "fused_rank", "fused_score",
             "expansion", "rerank_rank", "rerank_score", "probability", "shown", "features", "evidence")
    return {name: row[name] for name in names}


def _unknown() -> NotFound:
    return NotFound("there is no such answer, or it was not made for you", cure="ask the question yourself")
