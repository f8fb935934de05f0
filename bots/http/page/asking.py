"""The pages of those who ask: ask, follow and read the answer, open a citation at its place, vote, and look back."""

from collections.abc import AsyncIterator, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from bots.confidence_words import in_numbers, in_words
from bots.http.answer_polling import Arrivals
from bots.http.api.forms import LastId, Named, Text
from bots.http.backend import Library, Questions, Traces
from bots.http.events import MEDIA_TYPE, Listening, News, Told, frame, told
from bots.http.identity.caller import Caller
from bots.http.load import OpenResponse, Slots, Streams
from bots.http.page.browser import BrowserPages, Fields
from bots.http.page.marked_quotes import around, parts
from bots.http.page.question_form import form_again, form_refused, readers_of, steps_of
from bots.http.waiting import Waits
from vouch.access import PUBLIC
from vouch.errors import BadInput, NotFound, VouchError

WAIT_S = 8.0                            # a form waits so long; then a page says that the answer is being made
AROUND = 2


def build_asking(questions: Questions, waits: Waits, browser: BrowserPages, lookups: Slots) -> APIRouter:
    """Asking, voting, and what one asked before."""
    pages, who, filled = APIRouter(include_in_schema=False), browser.who, browser.filled

    @pages.get("/")
    def start(request: Request, caller: Annotated[Caller, who]) -> Response:
        return browser.page(request, caller, "ask.html")

    @pages.post("/ask")
    async def ask(request: Request) -> Response:
        caller, fields, refused = await browser.sent(request)
        if refused is not None:
            return form_refused(browser, request, caller, fields, refused)
        try:
            readers = readers_of(caller, fields.get("audience", ""))
            follows = fields.get("follows") or None
            named = await run_in_threadpool(questions.ask, fields.get("question", ""), readers, None, follows,
                                            stranger=caller.address, steps=steps_of(fields.get("steps", "")))
        except VouchError as error:
            return form_again(browser, request, caller, fields, error)
        if "hx-request" in request.headers:             # a script follows the stages on the page of the answer
            return Response(status_code=200, headers={"HX-Redirect": f"/answers/{named}"})
        await waits.answer(request.receive, caller, browser.proof(request, caller), named, WAIT_S)
        return RedirectResponse(f"/answers/{named}", 303)

    @pages.get("/questions")
    async def history(request: Request, caller: Annotated[Caller, who]) -> Response:
        """One's own questions; strangers share one name, and so have none."""
        own = [] if caller.tag == PUBLIC else await lookups.run(caller.counted_as, questions.history, caller.tag)
        return browser.page(request, caller, "history.html", questions=own)

    @pages.post("/vote")
    def vote(caller: Annotated[Caller, who], fields: Annotated[Fields, filled]) -> Response:
        named, choice = fields.get("answer", ""), fields.get("vote", "")
        body = questions.look(named, caller.tag)
        if body is None or choice not in ("up", "down"):
            raise BadInput("a vote is up or down, on an answer that is there", cure="open the page again")
        category = fields.get("category") or None if choice == "down" else None
        questions.vote(named, caller.tag, choice, fields.get("reason", "").strip() or None, category)
        return RedirectResponse(f"/answers/{body['id']}?voted=1", 303)

    return pages


def build_reading(
    questions: Questions, library: Library, traces: Traces, browser: BrowserPages, lookups: Slots
) -> APIRouter:
    """An answer, and the passages that it cites or looked at."""
    pages, who = APIRouter(include_in_schema=False), browser.who

    async def opened(
        request: Request, caller: Caller, chunk_id: str, named: str, number: int | None = None,
        cited: Mapping[str, Any] | None = None,
    ) -> Response:  # fmt: skip
        """The document at this passage, as far as the caller may read it at this moment."""
        shown = await lookups.run(caller.counted_as, library.show, chunk_id, [caller.tag], 2 * AROUND + 1)
        near, told = around(shown["passages"], shown["chunk_id"], AROUND), cited or shown
        text = parts(near.passages, tuple(cited["characters"]) if cited else (0, 0))
        return browser.page(request, caller, "passage.html", shown=shown, parts=text, near=near, named=named,
                            number=number, place=told["place"] or f"passage {shown['number']}", section=told["section"])

    @pages.get("/answers/{named}")
    async def answer(named: Named, request: Request, caller: Annotated[Caller, who], voted: str = "") -> Response:
        body = await run_in_threadpool(questions.look, named, caller.tag)
        if body is None:
            return browser.page(request, caller, "pending.html", 202, named=named)
        declined = body["action"] == "declined"
        return browser.page(
            request, caller, "answer.html", answer=body, voted=voted == "1",
            thread=await run_in_threadpool(questions.thread, named, caller.tag),
            readers=await run_in_threadpool(questions.made_for, named, caller.tag),
            looked=await lookups.run(caller.counted_as, traces.closest, named, caller.tag) if declined else {},
            confidence=in_words(body["confidence"]), numbers=in_numbers(body["confidence"]),
            traced=questions.is_asker(body["question_id"], caller.tag),
        )

    @pages.get("/answers/{named}/citations/{number}")
    async def citation(named: Named, number: int, request: Request, caller: Annotated[Caller, who]) -> Response:
        """The passage as it stands now, if this reader may read the answer and the passage at this moment."""
        cited = await run_in_threadpool(_citation, questions, named, number, caller)
        return await opened(request, caller, cited["chunk_id"], named, number, cited)

    @pages.get("/answers/{named}/passages/{chunk_id}")
    async def passage(
        named: Named, chunk_id: Annotated[Text, Path(max_length=64)], request: Request, caller: Annotated[Caller, who]
    ) -> Response:
        """A passage that was looked at, or one further on in a document, under the same checks."""
        await run_in_threadpool(questions.look, named, caller.tag)
        return await opened(request, caller, chunk_id, named)

    return pages


def _citation(questions: Questions, named: str, number: int, caller: Caller) -> dict[str, Any]:
    found = questions.look(named, caller.tag)
    cited = [one for one in (found or {}).get("citations", ()) if one["number"] == number]
    if not cited or cited[0].get("origin", "internal") != "internal":
        raise NotFound("the answer has no such citation", cure="open the answer again")
    return dict(cited[0])


_EACH, _ALL = 8, 50                     # of the connections that the API's streams leave


def build_live(
    questions: Questions, news: News, browser: BrowserPages, arrivals: Arrivals
) -> APIRouter:
    pages, streams = APIRouter(include_in_schema=False), Streams(_EACH, _ALL)

    @pages.get("/answers/{named}/events")
    async def live(
        named: Named, caller: Annotated[Caller, browser.who], request: Request, last_event_id: LastId = "",
    ) -> Response:
        """`stage`, `anew`, `sentence`, then `answer` or `problem`, whose page the browser then asks for."""
        await run_in_threadpool(questions.look, named, caller.tag)
        listening = Listening(caller.tag, browser.proof(request, caller), caller.acts_for, last_event_id)
        happened = told(questions, news, arrivals, named, listening)
        return OpenResponse(streams, caller.counted_as, _pieces(happened, browser), media_type=MEDIA_TYPE,
                            headers={"X-Accel-Buffering": "no"})

    return pages


async def _pieces(happened: AsyncIterator[Told], browser: BrowserPages) -> AsyncIterator[bytes]:
    """Words of the answer and of errors are left to its page, which looks anew who may read them."""
    async for event in happened:
        if event.kind == "stage":
            if not event.data.get("done"):
                yield frame("anew", "-")
            yield frame("stage", browser.piece("live/stages.html", **{"done": (), **event.data}), event.id)
        elif event.kind == "sentence":
            yield frame("sentence", browser.piece("live/sentence.html", **event.data), event.id)
        elif event.kind == "alive":
            yield frame()
        else:
            yield frame(event.kind, "-")
