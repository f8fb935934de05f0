"""A page for one browser, and the forms that come back from it: their marks, and mistakes in them."""

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Literal
from urllib.parse import parse_qs

from fastapi import Depends, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from bots.http.identity.caller import NOBODY_KNOWN, Caller, cookie_name, cookie_names
from bots.http.identity.identities import Identities
from bots.http.identity.local import LIFE_S
from bots.http.page.rendering import Rendering
from bots.http.page.returning import wanted_page
from bots.http.problems import status_of
from bots.http.requests import credentials_of
from vouch.errors import (
    BadInput,
    Busy,
    Conflict,
    Denied,
    Guarded,
    NotFound,
    Unavailable,
    Unidentified,
    Usage,
    VouchError,
)

COOKIE = "vouch_browser"
_MADE = re.compile(r"[A-Za-z0-9_-]{32}")          # a cookie that `Marks.new_browser` made; others may be planted


class Marks:
    """A mark is made of the browser's own cookie and of who is signed in: it serves in no other browser or session."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    @staticmethod
    def new_browser() -> str:
        return secrets.token_urlsafe(24)

    def mark(self, browser: str, caller: Caller) -> str:
        data = json.dumps(["form", browser, caller.tag, caller.session]).encode()
        return hmac.new(self._key, data, hashlib.sha256).hexdigest()

    def check(self, given: str, browser: str | None, caller: Caller) -> None:
        """Raises Denied for a form that was not rendered for this browser and person."""
        made = self.mark(browser, caller) if browser else ""
        if not made or not hmac.compare_digest(given.encode(errors="replace"), made.encode()):
            raise Denied("the form is too old, or was not made by this service",
                         cure="open the page again; a program asks with POST /v1/ask instead")


Fields = dict[str, str]
NOT_KNOWN = (Guarded, Unavailable, Unidentified)    # why it is not known who sent a form


class BrowserPages:
    """`who` and `filled` are what routes depend on: who asks, and the fields of a form made for them; `counted` is for
    those that nobody has to be known for, and `count` does it at once."""

    def __init__(
        self, identities: Identities, key: bytes, *, secure: bool, signs_in: bool = False,
        operates: Callable[[str], bool] = lambda tag: False,
    ) -> None:  # fmt: skip
        """`key`: of the marks that forms carry. `secure`: cookies travel by https alone. `signs_in`: /sign-in is on.
        `operates`: whether pages link to those for operators."""
        self._identities = identities
        self._show, self._marks, self._secure = Rendering(signs_in=signs_in), Marks(key), secure
        self._cookie = self.called(COOKIE)
        self._seen = _seen(identities, operates)
        self.who = Depends(self._seen)
        self.filled = Depends(self._form())
        self.count = _counted(identities)
        self.counted = Depends(self.count)

    def page(self, request: Request, caller: Caller, name: str, status: int = 200, **values: Any) -> Response:
        """The page, with a mark for its forms, and the cookie that it is made for: each page lets it live on. It also
        comes with a link from elsewhere, for another one would end the forms that are open."""
        browser = credentials_of(request).cookies.get(self._cookie, "")
        if not _MADE.fullmatch(browser):
            browser = self._marks.new_browser()
        mark = self._marks.mark(browser, caller)
        known = {"mark": mark, "operates": getattr(request.state, "operates", False), "wanted": wanted_page(request)}
        made = self._show.page(name, status, caller=caller, **{**known, **values})
        self.put(made, self._cookie, browser, LIFE_S, from_elsewhere=True)
        return made

    def plain(self, name: str, **values: Any) -> Response:
        """A page for nobody in particular, without forms."""
        return self._show.page(name, **values)

    def piece(self, name: str, **values: Any) -> str:
        """A part of a page, as HTML; nothing of it depends on who reads it."""
        return self._show.piece(name, **values)

    def called(self, name: str) -> str:
        """What the cookie is called where this service listens."""
        return cookie_name(name, secure=self._secure)

    def put(self, made: Response, name: str, value: str, seconds: float, *, from_elsewhere: bool = False) -> None:
        """The cookie comes with the response; `from_elsewhere`: also when a link or redirect of another site leads
        here, though never with a form of it."""
        same: Literal["lax", "strict"] = "lax" if from_elsewhere else "strict"
        made.set_cookie(name, value, int(seconds), path="/", httponly=True, samesite=same, secure=self._secure)

    def drop(self, made: Response, name: str) -> None:
        """The browser forgets the cookie, by each of its names; it obeys only what is said as safely as it was set."""
        for one in cookie_names(name):
            made.delete_cookie(one, "/", secure=self._secure or one != name, httponly=True)

    def leave(self, made: Response, *cookies: str) -> None:
        """The browser forgets these cookies, and the one that its forms are made for."""
        for name in (*cookies, COOKIE):
            self.drop(made, name)

    def check(self, request: Request, caller: Caller, mark: str) -> None:
        """Raises Denied for a form that was not made for this browser and person."""
        self._marks.check(mark, credentials_of(request).cookies.get(self._cookie), caller)

    def proof(self, request: Request, caller: Caller) -> Callable[[], None]:
        """Raises Unidentified once the request would not be taken for this caller's any more."""
        return partial(self._identities.prove, credentials_of(request), caller.tag)

    async def sent(self, request: Request) -> tuple[Caller, Fields, VouchError | None]:
        """A form with what it was refused for, so that it can come back as it was filled in. Raises BadInput."""
        caller: Caller = NOBODY_KNOWN
        refused: VouchError | None = None
        try:
            caller = await run_in_threadpool(self._seen, request)
        except NOT_KNOWN as error:
            refused = error
        fields = _fields(await request.body())
        try:
            if refused is None:
                self.check(request, caller, fields.get("mark", ""))
        except Denied as error:
            refused = error
        return caller, fields, refused

    def _form(self) -> Any:
        async def form(request: Request, caller: Annotated[Caller, self.who]) -> Fields:
            """The fields of a form that this service made for this person. Raises BadInput, Denied."""
            fields = _fields(await request.body())
            self.check(request, caller, fields.get("mark", ""))
            return fields

        return form


async def fields_of(request: Request) -> Fields:
    """Of any form, whoever made it. Raises BadInput."""
    return _fields(await request.body())


def _seen(identities: Identities, operates: Callable[[str], bool]) -> Callable[[Request], Caller]:
    """Whether the caller operates is looked up here, in a thread: pages are made where nothing may wait."""
    def seen(request: Request) -> Caller:
        caller = request.state.caller = identities.caller(credentials_of(request))
        try:
            request.state.operates = operates(caller.tag)
        except VouchError:
            request.state.operates = False      # a page that needs the ledger tells of it
        return caller

    return seen


def _counted(identities: Identities) -> Callable[[Request], str]:
    def counted(request: Request) -> str:
        return identities.count_stranger(credentials_of(request))

    return counted


def _fields(body: bytes) -> Fields:
    """Of a form as browsers send it. Raises BadInput."""
    try:
        found = parse_qs(body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=20)
    except ValueError as error:
        raise BadInput("the form cannot be read", cure="open the page again") from error
    if any(len(values) > 1 for values in found.values()):
        raise BadInput("a field of the form came twice", cure="open the page again")
    return {name: values[0].replace("\r\n", "\n") for name, values in found.items()}


MISTAKES = (BadInput, Busy, Conflict, Guarded, NotFound, Usage)


def refusal(error: VouchError) -> dict[str, Any]:
    """For the page: its status, and why in words."""
    return {"status": 409 if isinstance(error, Guarded) else status_of(error), "refused": str(error)}
