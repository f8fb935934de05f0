"""Sources and documents: who may read them and why, that they changed, and documents that are uploaded."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import JSONResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from bots.http.api.forms import Announced, Changed, Text
from bots.http.identity.caller import Caller
from bots.http.identity.identities import Identities
from bots.http.operator_backend import Administrators
from bots.http.page.browser import MISTAKES, BrowserPages, Fields, refusal
from bots.http.problems import documented
from bots.http.requests import caller_of
from vouch.errors import BadInput

Words = Annotated[str, Query(max_length=2000)]


def add_documents(pages: APIRouter, administrators: Administrators, browser: BrowserPages, who: object) -> None:
    @pages.get("/sources")
    def sources(request: Request, caller: Annotated[Caller, who]) -> Response:
        return browser.page(request, caller, "operate/sources.html", sources=administrators.documents.sources())

    @pages.get("/documents")
    def documents(
        request: Request, caller: Annotated[Caller, who], source: Words, state: Words = "", after: Words = ""
    ) -> Response:
        listing = administrators.documents.documents(source, state, after)
        return browser.page(request, caller, "operate/documents.html", source=source, state=state, **listing)

    @pages.get("/access")
    def access(
        request: Request, caller: Annotated[Caller, who], document: Words = "", person: Words = ""
    ) -> Response:
        """Of a document and a person why; of a document alone, who."""
        named, asked = document.strip(), person.strip()
        looks = administrators.documents
        shown: dict[str, Any] = {"document": document, "person": person}
        try:
            report = looks.access(asked, named) if named and asked else None
            readers = looks.readers(named) if named and not asked else None
        except MISTAKES as error:
            return browser.page(request, caller, "operate/access.html", **shown, found=None, readers=None,
                                **refusal(error))
        return browser.page(request, caller, "operate/access.html", **shown, found=report, readers=readers, refused="")

    @pages.get("/person")
    def person(
        request: Request, caller: Annotated[Caller, who], person: Words = "", source: Words = "", after: Words = ""
    ) -> Response:
        shown: dict[str, Any] = {"person": person.strip(), "source": source}
        try:
            readable = administrators.documents.person(person.strip(), source, after) if person.strip() else None
        except MISTAKES as error:
            return browser.page(request, caller, "operate/person.html", **shown, found=None, **refusal(error))
        return browser.page(request, caller, "operate/person.html", **shown, found=readable, refused="")


_SENT = documented(400, 401, 403, 404, 413, 415, 422, 429, 503)


def add_intake(pages: APIRouter, administrators: Administrators, browser: BrowserPages, who: object) -> None:
    @pages.get("/again")
    def confirm(request: Request, caller: Annotated[Caller, who], source: Words, path: Words = "") -> Response:
        administrators.intake.check(source)
        return browser.page(request, caller, "operate/again.html", source=source, path=path)

    @pages.post("/again")
    def again(
        request: Request, caller: Annotated[Caller, who], fields: Annotated[Fields, browser.filled]
    ) -> Response:
        paths = [line.strip() for line in fields.get("paths", "").splitlines() if line.strip()]
        source, path_lines = fields.get("source", ""), fields.get("paths", "")
        try:
            sent = administrators.intake.look_again(source, paths or None, caller.tag)
        except MISTAKES as error:
            return browser.page(request, caller, "operate/again.html", source=source, path=path_lines, **refusal(error))
        return browser.page(request, caller, "operate/announced.html", source=sent.source, paths=sent.paths)

    @pages.get("/upload")
    def form(request: Request, caller: Annotated[Caller, who]) -> Response:
        target = administrators.intake.upload_place()
        return browser.page(request, caller, "operate/upload.html", place=target, path="", replace=False, sure=False,
                            refused="")

    @pages.post("/upload")
    async def upload(request: Request, caller: Annotated[Caller, who]) -> Response:
        fields, name, data = await _with_file(request)
        browser.check(request, caller, fields.get("mark", ""))
        path = fields.get("path", "").strip()
        replace, sure = (fields.get(box) == "yes" for box in ("replace", "sure"))
        try:
            if not sure:
                raise BadInput("it was not confirmed", cure="tick the box that says who will read it")
            done = await run_in_threadpool(administrators.intake.upload, _path(path, name), data, caller.tag,
                                           replace=replace)
        except MISTAKES as error:
            target = await run_in_threadpool(administrators.intake.upload_place)
            return browser.page(request, caller, "operate/upload.html", place=target, path=path, replace=replace,
                                sure=sure, **refusal(error))
        return browser.page(request, caller, "operate/uploaded.html", done=done)


def build_changes(administrators: Administrators, identities: Identities) -> APIRouter:
    """What programs call when documents of a source changed."""
    api = APIRouter(prefix="/v1")
    who = Depends(caller_of(identities))

    @api.post("/sources/{name}/changed", response_model=Announced, status_code=202, responses=_SENT)
    def changed(
        name: Annotated[Text, Path(min_length=1, max_length=200, description="Of the source.")], body: Changed,
        caller: Annotated[Caller, who],
    ) -> Response:  # fmt: skip
        """Say that documents of a source changed: 202 once that is on the log. A worker looks at them when the source
        is quiet.

        For operators, and for those of VOUCH_HTTP__ANNOUNCERS. A source that is not there is not told apart from one
        that the caller may not speak for.
        """
        sent = administrators.intake.changed(name, body.paths, caller.tag)
        paths = None if sent.paths is None else list(sent.paths)
        return JSONResponse({"source": sent.source, "paths": paths, "at": sent.at.isoformat()}, 202)

    return api


async def _with_file(request: Request) -> tuple[Fields, str, bytes]:
    """The fields of a form, and the name and contents of the one file in it. Raises BadInput."""
    fields: Fields = {}
    name, data = "", b""
    try:
        async with request.form(max_files=1, max_fields=10) as form:
            for key, value in form.multi_items():
                if key in fields or (isinstance(value, UploadFile) and name):
                    raise BadInput("a field of the form came twice", cure="open the page again")
                if isinstance(value, UploadFile):
                    name, data = value.filename or "", await value.read()
                else:
                    fields[key] = value
    except UnicodeError as error:                       # in a charset that it names itself
        raise BadInput("the form cannot be read", cure="open the page again") from error
    return fields, name, data


def _path(given: str, name: str) -> str:
    """Where the document goes: as it is said, or by its own name, in the folder if one is said."""
    own = name.replace("\\", "/").rpartition("/")[2]
    return f"{given}{own}" if not given or given.endswith("/") else given
