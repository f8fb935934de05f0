"""Questions, their answers and votes over the API."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Request
from fastapi.responses import JSONResponse, Response
from starlette.concurrency import run_in_threadpool

from bots.http.answer_polling import Arrivals
from bots.http.api.forms import Counted, LastId, Named, Pending, Question, Vote
from bots.http.backend import Questions
from bots.http.events import MEDIA_TYPE, SCHEMA, Listening, News, events
from bots.http.identity.caller import Caller
from bots.http.identity.identities import Identities
from bots.http.load import OpenResponse, Streams
from bots.http.problems import documented, request_id
from bots.http.requests import caller_of, credentials_of
from bots.http.waiting import Waits
from vouch.answering.answer import Answer
from vouch.errors import BadInput

_LOOK = documented(401, 403, 404, 422, 429, 503)
_SENT = documented(400, 401, 403, 404, 413, 415, 422, 429, 503)


def build_asking_api(
    questions: Questions, arrivals: Arrivals, news: News, identities: Identities, streams: Streams, waits: Waits
) -> APIRouter:
    api = APIRouter(prefix="/v1")
    who = Depends(caller_of(identities))

    @api.post("/ask", response_model=Answer, responses={202: {"model": Pending}, **documented(409), **_SENT})
    async def ask(
        body: Question, request: Request, caller: Annotated[Caller, who],
        idempotency_key: Annotated[str | None, Header(max_length=200, pattern=r"^[\x21-\x7e]+$")] = None,
    ) -> Response:
        """Answer a question: 200 with the answer or the decline, or 202 with an address if it takes longer than `wait`.

        202 comes at once to a caller who waits for eight answers already, and to everybody while a hundred wait.

        A repeat with the same Idempotency-Key, words, audience, filters, steps and `follows` is the same question, with
        the same answer. 409: the answer that it follows up on is still being made.
        """
        if len(set(request.headers.getlist("idempotency-key"))) > 1:
            raise BadInput("there are several values of Idempotency-Key", cure="send one")
        for_others = bool(caller.acts_for and body.audience)
        readers = tuple(dict.fromkeys(body.audience if for_others else (caller.tag, *body.audience)))
        question_id = await run_in_threadpool(
            questions.ask, body.question, readers, idempotency_key, body.follows, body.share_question, body.filters,
            asker=caller.tag if for_others else "", acts_for=caller.acts_for, stranger=caller.address, steps=body.steps)
        proof = partial(identities.prove, credentials_of(request), caller.tag)
        answer = await waits.answer(request.receive, caller, proof, question_id, body.wait, caller.acts_for,
                                    new=idempotency_key is None)
        return _pending(question_id) if answer is None else JSONResponse(dict(answer))

    @api.get("/answers/{named}", response_model=Answer, responses={202: {"model": Pending}, **_LOOK})
    def answer(named: Named, caller: Annotated[Caller, who]) -> Response:
        """An answer that was made for this reader, if they may still read all it was made from; 202 while it is made.

        An answer made for others is not told apart from one that does not exist.
        """
        answer_body = questions.look(named, caller.tag, caller.acts_for)
        return _pending(named) if answer_body is None else JSONResponse(dict(answer_body))

    @api.get("/answers/{named}/events", response_class=Response, responses={
        200: {"description": "Server-sent events", "content": {MEDIA_TYPE: {"schema": SCHEMA}}}, **_LOOK,
    })
    async def told(
        named: Named, request: Request, caller: Annotated[Caller, who],
        last_event_id: LastId = "",
    ) -> Response:
        """How far a question is: `stage` and `sentence` as they come, then `answer` or `problem`, which is the last.

        Only the asker is told of stages and sentences. No sentence is final before the answer: `anew`, or a second
        stage `retrieve`, begins anew.
        """
        # For its refusals, before anything is sent.
        await run_in_threadpool(questions.look, named, caller.tag, caller.acts_for)
        proof = partial(identities.prove, credentials_of(request), caller.tag)
        stream = events(questions, news, arrivals, named, Listening(caller.tag, proof, caller.acts_for, last_event_id),
                        request_id(request))
        return OpenResponse(streams, caller.counted_as, stream, media_type=MEDIA_TYPE,
                            headers={"X-Accel-Buffering": "no"})

    @api.post("/feedback", response_model=Counted, status_code=202, responses=_SENT)
    def feedback(body: Vote, caller: Annotated[Caller, who]) -> Response:
        """Vote on an answer that this reader may see. One vote per person and answer; the last counts."""
        questions.vote(body.answer_id, caller.tag, body.vote, body.reason, body.category)
        return JSONResponse({"answer_id": body.answer_id, "vote": body.vote}, 202)

    return api


def _pending(named: str) -> Response:
    place = f"/v1/answers/{named}"
    return JSONResponse({"question_id": named, "answer_at": place}, 202, {"Location": place, "Retry-After": "1"})
