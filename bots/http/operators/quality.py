"""How good answers are: reports of evaluations, votes, drift, and what people asked in vain."""

from typing import Annotated

from fastapi import APIRouter, Request
from fastapi.responses import Response

from bots.http.identity.caller import Caller
from bots.http.operator_backend import Administrators
from bots.http.operators.documents import Words
from bots.http.page.browser import BrowserPages


def add_quality(pages: APIRouter, administrators: Administrators, browser: BrowserPages, who: object) -> None:
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
    def gaps(request: Request, caller: Annotated[Caller, who], now: Words = "") -> Response:
        """As the newest report has them, or as of now; documents as this operator may read them."""
        quality = administrators.quality
        gap_report = quality.find_gaps(caller.tag) if now == "yes" else quality.gaps(caller.tag)
        return browser.page(request, caller, "operate/gaps.html", found=gap_report, finds=quality.finds_gaps)


def _svg(text: str) -> Response:
    """It runs nothing and loads nothing, also where it is opened by itself."""
    return Response(text, media_type="image/svg+xml", headers={"Content-Security-Policy": "default-src 'none'"})
