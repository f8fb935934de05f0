"""How an answer was made: the page for whoever asked, and for operators."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from bots.http.api.forms import Named, Text
from bots.http.backend import Questions, Traces
from bots.http.identity.caller import Caller
from bots.http.load import Slots
from bots.http.operator_backend import Administrators
from bots.http.page.browser import BrowserPages
from vouch.answering.spending import told_cost
from vouch.errors import NotFound

SHOWN = 50                              # candidates on one page
PARTS = 3                               # of a score, in the list of candidates
_ENDED = {                              # after "They ended because"
    "": "there were no more", "final": "the planner had enough", "stop": "the planner had nothing more to try",
    "covered": "every part that was searched for had its evidence",
    "budget": "what they may cost was used up", "error": "something failed",
}  # fmt: skip


def build_tracing(
    traces: Traces, questions: Questions, administrators: Administrators, browser: BrowserPages, lookups: Slots
) -> APIRouter:
    pages, who = APIRouter(include_in_schema=False), browser.who

    async def traced(named: str, caller: Caller) -> dict[str, Any]:
        operates = await run_in_threadpool(administrators.is_one, caller.tag)
        return await lookups.run(caller.counted_as, lambda: traces.trace(named, [caller.tag], operates=operates))

    @pages.get("/answers/{named}/trace")
    async def trace(
        named: Named, request: Request, caller: Annotated[Caller, who],
        start: Annotated[int, Query(alias="from", ge=1, le=100_000)] = 1,
    ) -> Response:
        if questions.is_asker(named, caller.tag) and not await run_in_threadpool(questions.is_sent, named):
            return RedirectResponse(f"/answers/{named}", 303)
        record = await traced(named, caller)
        rows = record["candidates"]
        return browser.page(
            request, caller, "trace.html", trace=record, start=start, rows=rows[start - 1 : start - 1 + SHOWN],
            following=start + SHOWN if len(rows) >= start + SHOWN else None, span=_span(record["timings"]),
            ended=_ENDED, parts=PARTS, spent=told_cost(record.get("tokens", {})),
        )  # fmt: skip

    @pages.get("/answers/{named}/trace/{chunk_id}")
    async def passage(
        named: Named, chunk_id: Annotated[Text, Path(max_length=64)], request: Request, caller: Annotated[Caller, who]
    ) -> Response:
        """One candidate with its features and what each of them added."""
        record = await traced(named, caller)
        candidate = next((candidate for candidate in record["candidates"] if candidate["chunk_id"] == chunk_id), None)
        if candidate is None:
            raise NotFound("the answer has no such passage, or you may not read it", cure="open the trace again")
        return browser.page(request, caller, "trace_passage.html", trace=record, one=candidate)

    return pages


def _span(timings: list[dict[str, Any]]) -> float:
    """Milliseconds that the picture of the stages is wide."""
    return max((one["since"] + one["ms"] for one in timings), default=0.0) or 1.0
