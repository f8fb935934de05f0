"""Pages for operators alone; each act asks for confirmation and is noted."""

from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi.responses import RedirectResponse, Response

from bots.http.caller import Caller
from bots.http.operators.backend import Administrators
from bots.http.operators.documents import add_documents
from bots.http.operators.intake import add_intake
from bots.http.operators.models import add_models
from bots.http.operators.quality import add_quality
from bots.http.operators.running import add_running
from bots.http.operators.versions import add_versions
from bots.http.page.browser import BrowserPages
from vouch.errors import Denied, NotFound


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
    add_running(pages, administrators, browser, who)

    @pages.get("")
    def first(caller: Annotated[Caller, who]) -> Response:
        return RedirectResponse("/operate/status", 303)

    @pages.get("/{rest:path}")
    def nothing(rest: str, caller: Annotated[Caller, who]) -> Response:
        raise NotFound("there is no such page", cure="open /operate/status")

    return pages
