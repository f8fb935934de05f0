"""Pages for operators alone: the way in to all of them, and what runs, waits, could not be handled and was done."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import RedirectResponse, Response

from bots.http.identity.caller import Caller
from bots.http.operator_backend import Administrators
from bots.http.operators.documents import Words, add_documents, add_intake
from bots.http.operators.labels import add_labels
from bots.http.operators.models import add_models
from bots.http.operators.quality import add_quality
from bots.http.operators.versions import add_versions
from bots.http.page.browser import MISTAKES, BrowserPages, Fields, refusal
from vouch.errors import Denied, NotFound, Unavailable

Before = Annotated[int | None, Query(ge=1, le=2**31)]       # of a list, the last one on the page before


def add_running(pages: APIRouter, administrators: Administrators, browser: BrowserPages, who: object) -> None:
    def _status(request: Request, caller: Caller, **told: Any) -> Response:
        """Also while the log is down: that is when one looks."""
        try:
            dead = administrators.dead()
        except Unavailable:
            dead = None
        return browser.page(request, caller, "operate/status.html", now=administrators.status(), dead=dead, **told)

    @pages.get("/status")
    def status(request: Request, caller: Annotated[Caller, who]) -> Response:
        return _status(request, caller)

    @pages.get("/runs")
    def runs(request: Request, caller: Annotated[Caller, who]) -> Response:
        return browser.page(request, caller, "operate/runs.html", runs=administrators.runs(),
                            ingests=administrators.ingests(), trainings=administrators.trainings())

    def _asked_again(request: Request, caller: Caller, message: str, **told: Any) -> Response:
        """With the message, or where it is gone with those that are left."""
        try:
            row = administrators.dead_one(message)
        except NotFound:
            return _status(request, caller, **told)
        return browser.page(request, caller, "operate/replay.html", one=row, **told)

    @pages.get("/dead/replay")
    def confirm(request: Request, caller: Annotated[Caller, who], message: Words) -> Response:
        return browser.page(request, caller, "operate/replay.html", one=administrators.dead_one(message))

    @pages.post("/dead/replay")
    def replay(
        request: Request, caller: Annotated[Caller, who], fields: Annotated[Fields, browser.filled]
    ) -> Response:
        message = fields.get("message", "")
        try:
            administrators.replay(message, caller.tag)
        except MISTAKES as error:
            return _asked_again(request, caller, message, **refusal(error))
        return RedirectResponse("/operate/status", 303)

    @pages.get("/answers")
    def answers(request: Request, caller: Annotated[Caller, who], before: Words = "") -> Response:
        return browser.page(request, caller, "operate/answers.html", **administrators.answers(before))

    @pages.get("/acts")
    def acts(request: Request, caller: Annotated[Caller, who], before: Before = None) -> Response:
        return browser.page(request, caller, "operate/acts.html", **administrators.acts(before))


def build_operator_pages(administrators: Administrators, browser: BrowserPages) -> APIRouter:
    """Everybody else is told the same of each of these addresses, whether something is there or not."""

    def operator(caller: Annotated[Caller, browser.who]) -> Caller:
        if not administrators.is_one(caller.tag):
            raise Denied("this page is for operators", cure="VOUCH_HTTP__OPERATORS names their group")
        return caller

    who = Depends(operator)
    pages = APIRouter(prefix="/operate", include_in_schema=False)
    add_versions(pages, administrators, browser, who)
    add_documents(pages, administrators, browser, who)
    add_intake(pages, administrators, browser, who)
    add_quality(pages, administrators, browser, who)
    add_models(pages, administrators, browser, who)
    add_labels(pages, administrators, browser, who)
    add_running(pages, administrators, browser, who)

    @pages.get("")
    def first(caller: Annotated[Caller, who]) -> Response:
        return RedirectResponse("/operate/status", 303)

    @pages.get("/{rest:path}")
    def nothing(rest: str, caller: Annotated[Caller, who]) -> Response:
        raise NotFound("there is no such page", cure="open /operate/status")

    return pages
