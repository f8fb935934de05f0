"""Permission-scoped search without an answer: the ranking that answers are made from, up to a chosen stage."""

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Literal, NamedTuple

from services.answering.askers import refuse_owners, untold
from vouch.access import Audience, Permissions
from vouch.adapters.access.watched import WatchedPermissions
from vouch.errors import Denied, NothingIngested, Unavailable, Usage
from vouch.filters import EVERYTHING, Filters
from vouch.ports.index import Contribution, Fusion, Index, View
from vouch.ports.models import Analyser, Encoder
from vouch.retrieval.fusion import fuse
from vouch.retrieval.hits import Hits, lexical_hits, retrieve
from vouch.retrieval.named_rows import NAMED_ROW, named, named_first
from vouch.retrieval.question.query import form_query
from vouch.retrieval.ranking import Ranking, rank
from vouch.retrieval.recipe.step import RankingModels
from vouch.values.candidate import Candidate, Passage
from vouch.values.question import Query

_LEAST = 6                              # digits of an id that are enough, if only one begins with them
_TRIES = 3
_ID = re.compile(r"[0-9a-f]{6,32}")
_NAMED = Contribution(NAMED_ROW, 1.0, 0.0)
WORDS_ALONE = "searched by words alone: this service holds no model"


class _Found(NamedTuple):
    candidates: list[Candidate]         # in the order that was asked for
    fused: list[Candidate]
    by: str


@dataclass(frozen=True)
class SearchService:
    """`fusion` is asked at each search which one serves, where that may change; else the ranking's own does.

    `best` is how a search that names no mode is ranked: `lexical` in a process that holds no model.
    """

    index: Index
    watched: WatchedPermissions
    analyser: Analyser
    encoder: Callable[[], Encoder]
    ranking_models: Callable[[], RankingModels]
    ranking: Ranking
    fusion: Callable[[], Fusion] | None = None
    best: Literal["fused", "lexical"] = "fused"
    reticent: bool = False              # strangers ask: they are told no numbers of index and permissions

    def permissions(self) -> Permissions:
        return self.watched.permissions()

    def search(
        self, text: str, tags: Sequence[str], top: int, mode: str | None, filters: Filters = EVERYTHING, *,
        explain: bool = False,
    ) -> dict[str, Any]:  # fmt: skip
        """The result object of `vouch search --json`. Mode lexical needs no model; None is the best there is here, and
        a warning says if that is less than elsewhere.

        To `explain` adds to each result what its fused score is made of, and `why_nothing` where there is none.
        Raises Unavailable while rights or documents change faster than it searches.
        """
        for _ in range(_TRIES):
            found = self._searched(text, tags, top, mode, filters, explain=explain)
            ids = [one["chunk_id"] for one in found["results"]]
            if self.index.visible_to(tags, ids).chunk_ids.issuperset(ids):      # a right may end while it searches
                return found
        raise Unavailable("what may be read changed while it was searched", cure="search again")

    def _searched(
        self, text: str, tags: Sequence[str], top: int, mode: str | None, filters: Filters, *, explain: bool
    ) -> dict[str, Any]:
        view, audience = self._view(tags, filters)
        query = form_query(text, self.analyser)
        how = self.how(top)
        ranked = self._ranked(view, query, how, mode or self.best)
        why = _explained(view, query, ranked.fused, how.fusion) if explain else {}
        return {
            **self._state(view, audience, "index_version", "access_epoch"),
            "fused_by": ranked.by,
            "warnings": [*view.notes, *([WORDS_ALONE] if mode is None and self.best == "lexical" else [])],
            "results": [
                {"rank": position, **_place(hit.passage), "text": hit.passage.text, "scores": _scores(hit),
                 **({"why": why.get(hit.chunk_id, [])} if explain else {})}
                for position, hit in enumerate(ranked.candidates[:top], 1)
            ],
            **({"why_nothing": _why_nothing(view, query, filters)} if explain and not ranked.candidates else {}),
        }

    def show(self, chunk_id: str, tags: Sequence[str], around: int) -> dict[str, Any]:
        """A chunk, named by its id or the first digits of it, and its neighbors.

        Raises Denied if it is unknown or the readers may not read it, Usage if
        the id is none or several that they may read begin so.
        """
        if not _ID.fullmatch(chunk_id):
            raise Usage(f"{chunk_id!r} is not the id of a chunk", cure=f"an id has 32 hex digits; {_LEAST} may do")
        view, audience = self._view(tags)
        (shown,) = view.passages([_whole(view, chunk_id)])
        beside = [*view.passages(view.around(shown.chunk_id, around, around)), shown]
        return {
            **self._state(view, audience, "index_version"),
            **_place(shown),
            "url": shown.url,
            "changed_at": _changed(shown),
            "page": shown.page,
            "number": shown.ordinal + 1,
            "passages": [_passage(p) for p in sorted(beside, key=lambda p: p.ordinal)],
        }

    def document(self, source: str, path: str, tags: Sequence[str], after: int, most: int) -> dict[str, Any]:
        """`most` passages of a document, in order, beyond the first `after` of them, and the `count` of all; no others
        are read. Raises Denied if it is unknown or the readers may not read it."""
        view, audience = self._view(tags)
        ids = view.of_document(source, path)
        if not ids:
            raise Denied("there is no such document, or it may not be read", cure="search for it")
        first, *passages = view.passages([ids[0], *ids[after : after + most]])
        return {
            **self._state(view, audience, "index_version"),
            "source": first.source,
            "path": first.path,
            "title": first.title,
            "url": first.url,
            "changed_at": _changed(first),
            "passages": [_passage(p) for p in passages],
            "count": len(ids),
        }

    def documents(self, tags: Sequence[str], after: tuple[str, str], most: int) -> dict[str, Any]:
        """Documents that the readers may read, in order of source and path, beyond `after`, and whether there are more.

        Nothing in it tells of others.
        """
        view, audience = self._view(tags)
        found = view.documents(after, most + 1)
        return {**self._state(view, audience, "index_version"), "documents": [asdict(one) for one in found[:most]],
                "more": len(found) > most}

    def _state(self, view: View, audience: Audience, *names: str) -> dict[str, int]:
        """Of index and permissions, what these readers may know of it."""
        less = untold(audience) if self.reticent else {}
        told = {"index_version": view.version, "access_epoch": view.epoch, **less}
        return {name: told[name] for name in names}

    def _view(self, tags: Sequence[str], filters: Filters = EVERYTHING) -> tuple[View, Audience]:
        if self.reticent and not self.index.has_version():      # the index's own words are for who can ingest
            raise NothingIngested()
        audience = self.permissions().directory.audience(list(tags))
        if self.reticent:
            refuse_owners(filters, audience)
        return self.index.view(audience, filters), audience

    def how(self, wanted: int) -> Ranking:
        """Deep enough, and by what serves at this moment."""
        ranking = self.ranking
        fusion = ranking.fusion if self.fusion is None else self.fusion()
        return replace(ranking, top=max(wanted, ranking.top), rerank=max(wanted, ranking.rerank), fusion=fusion)

    def _ranked(self, view: View, query: Query, how: Ranking, mode: str) -> "_Found":
        if mode == "reranked":
            ranked = rank(view, query, self.ranking_models(), how)
            return _Found(ranked.candidates, ranked.fused, ranked.fused_by)
        if mode == "lexical":
            hits = lexical_hits(view, query, how.top)
        else:
            hits = retrieve(view, self.encoder(), query, how.top)
        fused, by = fuse(view, query, Hits((), hits.dense) if mode == "dense" else hits, how.fusion)
        return _Found(fused if mode == "dense" else named_first(query.text, fused), fused, by)


def _explained(
    view: View, query: Query, fused: Sequence[Candidate], fusion: Fusion
) -> dict[str, list[dict[str, Any]]]:
    """By chunk id what each feature adds, the most first; at the end that a row of it is named, which adds nothing."""
    made_of = fusion.explain(query, fused, partial(view.statistics, query.terms))
    return {
        one.chunk_id: [*map(asdict, sorted(parts, key=lambda part: -abs(part.adds))), *[asdict(_NAMED)] * is_named]
        for one, parts, is_named in zip(fused, made_of, named(query.text, fused), strict=True)
    }


def _why_nothing(view: View, query: Query, filters: Filters) -> str:
    """Told by what these readers may read, and by nothing else."""
    if not view.statistics(query.terms).rows:
        return "these readers may read no passage" + (" that the filters let in" if filters != EVERYTHING else "")
    if not query.terms:
        return "the search has no word to look up; words such as `the` are left out"
    return "no passage that these readers may read has a word of the search; searching by meaning needs none"


def _whole(view: View, digits: str) -> str:
    """The id that begins with `digits`; they themselves if none does, so that it is refused like a hidden one."""
    found = view.starting(digits)
    if len(found) > 1:
        raise Usage(f"{len(found)} chunks begin with {digits}", cure="give more of the id")
    return found[0] if found else digits


def _place(passage: Passage) -> dict[str, Any]:
    return {
        "chunk_id": passage.chunk_id,
        "source": passage.source,
        "path": passage.path,
        "title": passage.title,
        "section": list(passage.section),
        "lines": [passage.first_line, passage.last_line],
        "place": passage.where,
        "flagged": passage.injection,   # as orders to a language model: never quoted, and not to be given to one
    }


def _changed(passage: Passage) -> str | None:
    return passage.changed_at.isoformat() if passage.changed_at else None


def _passage(passage: Passage) -> dict[str, Any]:
    return {**_place(passage), "page": passage.page, "characters": [passage.start, passage.end], "text": passage.text}


def _scores(one: Candidate) -> dict[str, float | None]:
    return {"lexical": one.lexical_score, "dense": one.dense_score, "fused": one.fused_score,
            "rerank": one.rerank_score}
