"""The API: /v1. Every operation first asks who the caller is."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Query, Request
from fastapi.responses import JSONResponse, Response
from starlette.concurrency import run_in_threadpool

from bots.http.backend import Administrators, Library, Progress, Questions
from bots.http.caller import Caller
from bots.http.events import MEDIA_TYPE, events
from bots.http.forms import (
    Counted,
    Document,
    Me,
    Pending,
    Question,
    Results,
    Search,
    Shown,
    Text,
    Versions,
    Vote,
    as_json,
)
from bots.http.identity.identities import Identities
from bots.http.load import OpenResponse, Slots, Streams
from bots.http.problems import documented, request_id
from bots.http.requests import caller_of, waited_for
from vouch.answering.answer import Answer
from vouch.errors import Denied

_LOOK = documented(401, 403, 404, 422, 503)
_SENT = documented(400, 401, 403, 404, 413, 422, 429, 503)
_STREAMS_EACH, _STREAMS = 8, 100        # half of all connections are left for other requests
Named = Annotated[Text, Path(min_length=1, max_length=200, description="Id of an answer or of a question.")]


def build_api(
    questions: Questions, progress: Progress, library: Library, administrators: Administrators, identities: Identities,
    lookups: Slots,
) -> APIRouter:  # fmt: skip
    api = APIRouter(prefix="/v1")
    who = Depends(caller_of(identities))
    streams = Streams(_STREAMS_EACH, _STREAMS)

    @api.post("/ask", response_model=Answer, responses={202: {"model": Pending}, **_SENT})
    async def ask(
        body: Question, caller: Annotated[Caller, who],
        idempotency_key: Annotated[str | None, Header(max_length=200, pattern=r"^[\x21-\x7e]+$")] = None,
    ) -> Response:
        """Answer a question: 200 with the answer or the decline, or 202 with an address if it takes longer than `wait`.

        A repeat with the same Idempotency-Key, words and audience is the same question and gets the same answer.
        """
        readers = tuple(dict.fromkeys((caller.tag, *body.audience)))
        question_id = await run_in_threadpool(questions.ask, body.question, readers, idempotency_key)
        answer = await waited_for(questions, question_id, caller.tag, body.wait)
        return _pending(question_id) if answer is None else JSONResponse(dict(answer))

    @api.get("/answers/{named}", response_model=Answer, responses={202: {"model": Pending}, **_LOOK})
    def answer(named: Named, caller: Annotated[Caller, who]) -> Response:
        """An answer that was made for this reader, if they may still read all it was made from; 202 while it is made.

        An answer made for others is not told apart from one that does not exist.
        """
        found = questions.look(named, caller.tag)
        return _pending(named) if found is None else JSONResponse(dict(found))

    @api.get("/answers/{named}/events", response_class=Response, responses={
        200: {"description": "Server-sent events", "content": {MEDIA_TYPE: {"schema": {"type": "string"}}}}, **_LOOK,
        **documented(429),
    })
    async def told(
        named: Named, request: Request, caller: Annotated[Caller, who],
        last_event_id: Annotated[int, Header(ge=0, le=1_000_000)] = 0,
    ) -> Response:
        """How far a question is: `stage` and `sentence` as they come, then `answer` or `problem`, which is the last.

        Only the asker is told of stages and sentences. No sentence is final before the answer: a second stage
        `retrieve` begins anew.
        """
        await run_in_threadpool(questions.look, named, caller.tag)     # for its refusals, before anything is sent
        stream = events(questions, progress, named, caller.tag, last_event_id, request_id(request))
        return OpenResponse(streams, caller.tag, stream, media_type=MEDIA_TYPE, headers={"X-Accel-Buffering": "no"})

    @api.post("/search", response_model=Results, responses=_SENT)
    async def search(body: Search, caller: Annotated[Caller, who]) -> Response:
        """Search what this reader may read, without an answer."""
        found = await lookups.run(caller.tag, library.search, body.query, [caller.tag], body.top, body.mode)
        return _json(Results, found)

    @api.get("/chunks/{chunk_id}", response_model=Shown, responses=documented(400, 401, 403, 422, 503))
    async def chunk(
        chunk_id: Annotated[str, Path(pattern="^[0-9a-f]{6,32}$", description="Its id, or the first digits of it.")],
        caller: Annotated[Caller, who],
        around: Annotated[int, Query(ge=0, le=10, description="Chunks before and after.")] = 1,
    ) -> Response:
        """A passage between its neighbours. Unknown and hidden ones are not told apart."""
        return _json(Shown, await lookups.run(caller.tag, library.show, chunk_id, [caller.tag], around))

    @api.get("/documents/{source}/{path:path}", response_model=Document, responses=documented(401, 403, 404, 422, 503))
    async def document(source: Text, path: Text, caller: Annotated[Caller, who]) -> Response:
        """A document, as its passages in order. Unknown and hidden ones are not told apart."""
        return _json(Document, await lookups.run(caller.tag, library.document, source, path, [caller.tag]))

    @api.post("/feedback", response_model=Counted, status_code=202, responses=_SENT)
    def feedback(body: Vote, caller: Annotated[Caller, who]) -> Response:
        """Vote on an answer that this reader may see. One vote per person and answer; the last counts."""
        questions.vote(body.answer_id, caller.tag, body.vote, body.reason, body.category)
        return JSONResponse({"answer_id": body.answer_id, "vote": body.vote}, 202)

    @api.get("/versions", response_model=Versions, responses=documented(401, 403, 503))
    def versions(caller: Annotated[Caller, who]) -> Response:
        """The versions of the index, for operators: they tell how many documents changed."""
        if not administrators.is_one(caller.tag):
            raise Denied("only operators see versions", cure="VOUCH_HTTP__OPERATORS names their group")
        return _json(Versions, {"versions": administrators.versions()})

    @api.get("/me", response_model=Me, responses=documented(401))
    def me(caller: Annotated[Caller, who]) -> Response:
        """Who the service takes the caller for."""
        return _json(Me, {"reader": caller.tag, "way": caller.way})

    return api


def _json(kind: Any, row: dict[str, Any]) -> Response:
    return JSONResponse(as_json(kind, row))


def _pending(named: str) -> Response:
    place = f"/v1/answers/{named}"
    return JSONResponse({"question_id": named, "answer_at": place}, 202, {"Location": place, "Retry-After": "1"})
