"""How good answers are: reports of evaluations, votes, drift, and what people asked in vain."""

from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from bots.http.identity.caller import Caller
from bots.http.operator_backend import Administrators
from bots.http.operators.documents import Words
from bots.http.page.browser import MISTAKES, BrowserPages, Fields, refusal


def add_quality(pages: APIRouter, administrators: Administrators, browser: BrowserPages, who: object) -> None:
    def _gaps(
        request: Request, caller: Caller, found: dict[str, Any] | None, *, now: bool = False, **told: Any
    ) -> Response:
        """What was found `now` is kept nowhere: a look has only the newest report to show instead."""
        finds = administrators.quality.finds_gaps
        return browser.page(request, caller, "operate/gaps.html", found=found, finds=finds, now=now, **told)

    @pages.get("/quality")
    def overview(request: Request, caller: Annotated[Caller, who]) -> Response:
        reports, votes = administrators.quality.reports(), administrators.quality.votes()
        return browser.page(request, caller, "operate/quality.html", reports=reports, votes=votes,
                            put_back=administrators.models.put_back())

    @pages.get("/quality/report")
    def report(request: Request, caller: Annotated[Caller, who], name: Words) -> Response:
        return browser.page(request, caller, "operate/report.html", report=administrators.quality.report(name))

    @pages.get("/quality/picture.svg")
    def picture(caller: Annotated[Caller, who], report: Words, name: Words) -> Response:
        return _svg(administrators.quality.picture(report, name))

    @pages.get("/quality/votes.svg")
    def votes(caller: Annotated[Caller, who]) -> Response:
        return _svg(administrators.quality.votes_picture())

    @pages.get("/quality/drift")
    def drift(request: Request, caller: Annotated[Caller, who]) -> Response:
        return browser.page(request, caller, "operate/drift.html", drift=administrators.quality.drift())

    @pages.get("/quality/drift.svg")
    def drift_picture(caller: Annotated[Caller, who]) -> Response:
        return _svg(administrators.quality.drift_picture())

    @pages.get("/quality/gaps")
    def gaps(request: Request, caller: Annotated[Caller, who]) -> Response:
        """As the newest report has them; documents as this operator may read them."""
        return _gaps(request, caller, administrators.quality.gaps(caller.tag))

    @pages.post("/quality/gaps")
    def gaps_now(
        request: Request, caller: Annotated[Caller, who], fields: Annotated[Fields, browser.filled]
    ) -> Response:
        """As of now: work for the models, which no link and no page of another site begins."""
        try:
            return _gaps(request, caller, administrators.quality.find_gaps(caller.tag), now=True)
        except MISTAKES as error:
            return _gaps(request, caller, administrators.quality.gaps(caller.tag), **refusal(error))


def _svg(text: str) -> Response:
    """It runs nothing and loads nothing, also where it is opened by itself."""
    return Response(text, media_type="image/svg+xml", headers={"Content-Security-Policy": "default-src 'none'"})
