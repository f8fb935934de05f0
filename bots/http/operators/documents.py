"""Sources and documents, who may read them, and why."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from bots.http.caller import Caller
from bots.http.operators.backend import Administrators
from bots.http.operators.mistakes import MISTAKES, refusal
from bots.http.page.browser import BrowserPages

Words = Annotated[str, Query(max_length=2000)]


def add_documents(pages: APIRouter, administrators: Administrators, browser: BrowserPages, who: object) -> None:
    @pages.get("/sources")
    def sources(request: Request, caller: Annotated[Caller, who]) -> Response:
        return browser.page(request, caller, "operate/sources.html", sources=administrators.documents.sources())

    @pages.get("/documents")
    def documents(
        request: Request, caller: Annotated[Caller, who], source: Words, state: Words = "", after: Words = ""
    ) -> Response:
        found = administrators.documents.documents(source, state, after)
        return browser.page(request, caller, "operate/documents.html", source=source, state=state, **found)

    @pages.get("/access")
    def access(
        request: Request, caller: Annotated[Caller, who], document: Words = "", person: Words = ""
    ) -> Response:
        """Of a document and a person why; of a document alone, who."""
        named, asked = document.strip(), person.strip()
        looks = administrators.documents
        shown: dict[str, Any] = {"document": document, "person": person}
        try:
            found = looks.access(asked, named) if named and asked else None
            readers = looks.readers(named) if named and not asked else None
        except MISTAKES as error:
            return browser.page(request, caller, "operate/access.html", **shown, found=None, readers=None,
                                **refusal(error))
        return browser.page(request, caller, "operate/access.html", **shown, found=found, readers=readers, refused="")

    @pages.get("/person")
    def person(
        request: Request, caller: Annotated[Caller, who], person: Words = "", source: Words = "", after: Words = ""
    ) -> Response:
        shown: dict[str, Any] = {"person": person.strip(), "source": source}
        try:
            found = administrators.documents.person(person.strip(), source, after) if person.strip() else None
        except MISTAKES as error:
            return browser.page(request, caller, "operate/person.html", **shown, found=None, **refusal(error))
        return browser.page(request, caller, "operate/person.html", **shown, found=found, refused="")
