"""What runs and what waits, messages that could not be handled, and what operators did."""

from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from bots.http.caller import Caller
from bots.http.operators.backend import Administrators
from bots.http.operators.documents import Words
from bots.http.operators.mistakes import MISTAKES, refusal
from bots.http.page.browser import BrowserPages, Fields
from vouch.errors import NotFound, Unavailable


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
            one = administrators.dead_one(message)
        except NotFound:
            return _status(request, caller, **told)
        return browser.page(request, caller, "operate/replay.html", one=one, **told)

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

    @pages.get("/acts")
    def acts(request: Request, caller: Annotated[Caller, who]) -> Response:
        return browser.page(request, caller, "operate/acts.html", acts=administrators.acts())
