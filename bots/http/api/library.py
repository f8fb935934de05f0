"""What the API looks up: passages, documents, versions, one's own questions, and who asks."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import JSONResponse, Response

from bots.http.api.following import Beyond
from bots.http.api.forms import (
    Document,
    Documents,
    History,
    Me,
    Results,
    Search,
    Shown,
    Text,
    Versions,
    as_json,
)
from bots.http.backend import Library, Questions
from bots.http.identity.caller import Caller
from bots.http.identity.identities import Identities
from bots.http.load import Slots
from bots.http.operator_backend import Administrators
from bots.http.problems import documented
from bots.http.requests import Wanted, caller_of, cut, next_of
from vouch.access import PUBLIC
from vouch.errors import Denied

_LOOK = documented(401, 403, 404, 422, 429, 503)
_SENT = documented(400, 401, 403, 404, 413, 415, 422, 429, 503)


def build_library_api(
    questions: Questions, library: Library, administrators: Administrators, identities: Identities, lookups: Slots
) -> APIRouter:
    api = APIRouter(prefix="/v1")
    who = Depends(caller_of(identities))

    @api.post("/search", response_model=Results, responses=_SENT)
    async def search(body: Search, caller: Annotated[Caller, who]) -> Response:
        """Search what this reader may read, without an answer."""
        results = await lookups.run(caller.counted_as, library.search, body.query, [caller.tag], body.top, body.mode,
                                    body.filters)
        return _json(Results, results)

    @api.get("/chunks/{chunk_id}", response_model=Shown, responses=documented(400, 401, 403, 422, 429, 503))
    async def chunk(
        chunk_id: Annotated[str, Path(pattern="^[0-9a-f]{6,32}$", description="Its id, or the first digits of it.")],
        caller: Annotated[Caller, who],
        around: Annotated[int, Query(ge=0, le=10, description="Chunks before and after.")] = 1,
    ) -> Response:
        """A passage between its neighbors. Unknown and hidden ones are not told apart."""
        return _json(Shown, await lookups.run(caller.counted_as, library.show, chunk_id, [caller.tag], around))

    @api.get("/documents", response_model=Documents, responses=documented(401, 422, 429, 503))
    async def documents(request: Request, caller: Annotated[Caller, who], page: Beyond) -> Response:
        """What this reader may read, by source and path, in pages."""
        listed = dict(await lookups.run(caller.counted_as, library.documents, [caller.tag], page.place, page.limit))
        more, rows = listed.pop("more"), listed["documents"]
        return _json(Documents, {**listed, "next": page.next_of(rows[-1], request) if more else None})

    @api.get("/documents/{source}/{path:path}", response_model=Document, responses=_LOOK)
    async def document(
        source: Text, path: Text, request: Request, caller: Annotated[Caller, who], page: Wanted,
    ) -> Response:  # fmt: skip
        """A document, as its passages in order, in pages. Unknown and hidden ones are not told apart."""
        contents = dict(await lookups.run(
            caller.counted_as, library.document, source, path, [caller.tag], page.first, page.limit))
        return _json(Document, {"next": next_of(contents.pop("count"), page, request), **contents})

    @api.get("/versions", response_model=Versions, responses=documented(401, 403, 422, 429, 503))
    def versions(request: Request, caller: Annotated[Caller, who], page: Wanted) -> Response:
        """The versions of the index, in pages, for operators: they tell how many documents changed."""
        if not administrators.is_one(caller.tag):
            raise Denied("only operators see versions", cure="VOUCH_HTTP__OPERATORS names their group")
        rows, more = cut(administrators.versions(), page, request)
        return _json(Versions, {"versions": rows, "next": more})

    @api.get("/questions", response_model=History, responses=documented(401, 422, 429, 503))
    async def history(request: Request, caller: Annotated[Caller, who], page: Wanted) -> Response:
        """The last hundred that one asked here, newest first, in pages. Nobody is known by asking as the public."""
        own = [] if caller.tag == PUBLIC else await lookups.run(
            caller.counted_as, questions.history, caller.tag, caller.acts_for)
        rows, more = cut(own, page, request)
        return _json(History, {"questions": rows, "next": more})

    @api.get("/me", response_model=Me, responses=documented(401, 429))
    def me(caller: Annotated[Caller, who]) -> Response:
        """Who the service takes the caller for."""
        return _json(Me, {"reader": caller.tag, "way": caller.way})

    return api


def _json(kind: Any, row: dict[str, Any]) -> Response:
    return JSONResponse(as_json(kind, row))
