"""What a page that waits is told while its answer is made: the events of the API, as pieces of HTML."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header, Path, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from bots.http.arrivals import Arrivals
from bots.http.backend import Questions
from bots.http.caller import Caller
from bots.http.events import MEDIA_TYPE, Told, frame, told
from bots.http.load import OpenResponse, Streams
from bots.http.news import News
from bots.http.page.browser import BrowserPages

_EACH, _ALL = 8, 50                     # of the connections that the API's streams leave


def build_live(
    questions: Questions, news: News, browser: BrowserPages, arrivals: Arrivals
) -> APIRouter:
    pages, streams = APIRouter(include_in_schema=False), Streams(_EACH, _ALL)

    @pages.get("/answers/{named}/events")
    async def live(
        named: Annotated[str, Path(max_length=200)], caller: Annotated[Caller, browser.who], request: Request,
        last_event_id: Annotated[int, Header(ge=0, le=1_000_000)] = 0,
    ) -> Response:
        """`stage`, `anew`, `sentence`, then `answer` or `problem`, whose page the browser then asks for."""
        await run_in_threadpool(questions.look, named, caller.tag)
        happened = told(questions, news, arrivals, named, caller.tag, last_event_id, acts_for=caller.acts_for)
        return OpenResponse(streams, caller.counted_as, _pieces(happened, browser), media_type=MEDIA_TYPE,
                            headers={"X-Accel-Buffering": "no"})

    return pages


async def _pieces(happened: AsyncIterator[Told], browser: BrowserPages) -> AsyncIterator[bytes]:
    """Words of the answer and of errors are left to its page, which looks anew who may read them."""
    async for one in happened:
        if one.kind == "stage":
            if not one.data.get("done"):
                yield frame("anew", "-")
            yield frame("stage", browser.piece("live/stages.html", **{"done": (), **one.data}), one.number)
        elif one.kind == "sentence":
            yield frame("sentence", browser.piece("live/sentence.html", **one.data), one.number)
        elif one.kind == "alive":
            yield frame()
        else:
            yield frame(one.kind, "-")
