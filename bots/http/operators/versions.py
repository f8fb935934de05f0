"""Versions of the index: what changed, what the checks said, the way back, and letting ingests go on."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response

from bots.http.identity.caller import Caller
from bots.http.operator_backend import Administrators
from bots.http.page.browser import MISTAKES, BrowserPages, Fields, refusal
from vouch.errors import BadInput, NotFound

_Number = Annotated[int, Query(ge=1, le=2**31)]


def add_versions(pages: APIRouter, administrators: Administrators, browser: BrowserPages, who: object) -> None:
    def _listed(request: Request, caller: Caller, **told: Any) -> Response:
        rows, hold = administrators.versions()[::-1], administrators.hold()
        return browser.page(request, caller, "operate/versions.html", versions=rows, hold=hold, **told)

    def _asked_again(request: Request, caller: Caller, number: int, *, hide: bool, **told: Any) -> Response:
        """With the form, or where there is no such version with those that there are."""
        try:
            asked = _before(administrators, number)
        except NotFound:
            return _listed(request, caller, **told)
        return browser.page(request, caller, "operate/rollback.html", **asked, hide=hide, **told)

    @pages.get("/versions")
    def versions(request: Request, caller: Annotated[Caller, who]) -> Response:
        return _listed(request, caller)

    @pages.get("/versions/version")
    def version(request: Request, caller: Annotated[Caller, who], number: _Number) -> Response:
        return browser.page(request, caller, "operate/version.html", version=administrators.version(number))

    @pages.get("/versions/difference")
    def difference(request: Request, caller: Annotated[Caller, who], older: _Number, newer: _Number) -> Response:
        changes = administrators.difference(older, newer)
        return browser.page(request, caller, "operate/difference.html", difference=changes)

    @pages.get("/versions/rollback")
    def confirm(request: Request, caller: Annotated[Caller, who], number: _Number) -> Response:
        return browser.page(request, caller, "operate/rollback.html", **_before(administrators, number), hide=False)

    @pages.post("/versions/rollback")
    def roll_back(
        request: Request, caller: Annotated[Caller, who], fields: Annotated[Fields, browser.filled]
    ) -> Response:
        number, hide = fields.get("number", ""), fields.get("hide") == "yes"
        if not number.isascii() or not number.isdigit() or len(number) > 9:
            wrong = BadInput("a version is a number", cure="choose one of the list")
            return _listed(request, caller, **refusal(wrong))
        try:
            done = administrators.roll_back(int(number), caller.tag, hide=hide)
        except MISTAKES as error:
            return _asked_again(request, caller, int(number), hide=hide, **refusal(error))
        return browser.page(request, caller, "operate/rolled_back.html", done=done, number=number)

    @pages.get("/versions/release")
    def confirm_release(request: Request, caller: Annotated[Caller, who]) -> Response:
        return browser.page(request, caller, "operate/release.html", hold=administrators.hold())

    @pages.post("/versions/release")
    def release(
        request: Request, caller: Annotated[Caller, who], fields: Annotated[Fields, browser.filled]
    ) -> Response:
        try:
            administrators.release(caller.tag)
        except MISTAKES as error:
            return browser.page(request, caller, "operate/release.html", hold=administrators.hold(), **refusal(error))
        return RedirectResponse("/operate/versions", 303)


def _before(administrators: Administrators, number: int) -> dict[str, Any]:
    """What is shown before one goes back to a version. Raises NotFound if it is none to go back to."""
    rows = administrators.versions()
    if number not in [row["version"] for row in rows if row["state"] == "published"]:
        raise NotFound(f"there is no version {number} to go back to", cure="open the list of versions again")
    current = next((row["version"] for row in rows if row["current"]), None)
    return {"number": number, "wider": administrators.wider(number),
            "difference": administrators.difference(current, number) if current else None}
