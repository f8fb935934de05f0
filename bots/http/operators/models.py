"""Models, what their gates said, and which of them serve."""

from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from bots.http.identity.caller import Caller
from bots.http.operator_backend import Administrators
from bots.http.operators.documents import Words
from bots.http.page.browser import MISTAKES, BrowserPages, Fields, refusal
from vouch.errors import NotFound, Usage


def add_models(pages: APIRouter, administrators: Administrators, browser: BrowserPages, who: object) -> None:
    def _listed(request: Request, caller: Caller, **told: Any) -> Response:
        models = administrators.models
        return browser.page(request, caller, "operate/models.html", models=models.rows()[::-1], moves=models.moves(),
                            put_back=models.put_back(), **told)

    @pages.get("/models")
    def listed(request: Request, caller: Annotated[Caller, who]) -> Response:
        return _listed(request, caller)

    @pages.get("/models/model")
    def model(request: Request, caller: Annotated[Caller, who], name: Words) -> Response:
        """Its gates, and the form that lets it serve."""
        return browser.page(request, caller, "operate/model.html", model=administrators.models.show(name), beside="",
                            early=False)

    @pages.post("/models/promote")
    def promote(
        request: Request, caller: Annotated[Caller, who], fields: Annotated[Fields, browser.filled]
    ) -> Response:
        name, beside, early = fields.get("name", ""), fields.get("beside", "").strip(), fields.get("early") == "yes"
        try:
            administrators.models.promote(name, caller.tag, beside=beside or None, early=early)
        except MISTAKES as error:
            problem = {**refusal(error), **({"status": 409} if isinstance(error, Usage) else {})}
            try:
                row = administrators.models.show(name)
            except NotFound:
                return _listed(request, caller, **problem)
            return browser.page(request, caller, "operate/model.html", model=row, beside=beside, early=early, **problem)
        return RedirectResponse("/operate/models", 303)

    @pages.get("/models/rollback")
    def confirm(request: Request, caller: Annotated[Caller, who], kind: Words) -> Response:
        after = administrators.models.way_back(kind)
        return browser.page(request, caller, "operate/model_back.html", kind=kind, after=after)

    @pages.post("/models/rollback")
    def roll_back(
        request: Request, caller: Annotated[Caller, who], fields: Annotated[Fields, browser.filled]
    ) -> Response:
        kind = fields.get("kind", "")
        try:
            administrators.models.roll_back(kind, caller.tag)
        except MISTAKES as error:
            try:
                after = administrators.models.way_back(kind)
            except MISTAKES:
                return _listed(request, caller, **refusal(error))
            return browser.page(request, caller, "operate/model_back.html", kind=kind, after=after, **refusal(error))
        return RedirectResponse("/operate/models", 303)
