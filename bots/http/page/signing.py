"""In by a link that works once or by the provider, and out again."""

import re
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import RedirectResponse, Response

from bots.http.identity.caller import Caller
from bots.http.identity.local import COOKIE as LOCAL
from bots.http.identity.local import LIFE_S, LocalSessions
from bots.http.identity.oidc.logout import Logouts
from bots.http.identity.oidc.sessions import COOKIE as PERSON
from bots.http.identity.oidc.sign_in import COOKIE as BEGUN
from bots.http.identity.oidc.sign_in import WAIT_S, SignIn, begun_cookie
from bots.http.page.browser import BrowserPages, Fields, fields_of
from bots.http.page.returning import local_page
from bots.http.requests import credentials_of
from vouch.errors import BadInput, Denied, NotFound, Unidentified, Usage

CALLBACK, LOGOUT = "/sign-in/callback", "/backchannel-logout"
_AT_ONCE = 4                            # sign-ins that one browser begins: all its cookies have 16 KB
_ONE = re.compile(r"[A-Za-z0-9_-]+")    # what tells cookies of sign-ins apart; a name that was planted may hold more
_Words = Annotated[str, Query(max_length=4000)]


def build_signing(local: LocalSessions | None, sign_in: SignIn | None, browser: BrowserPages) -> APIRouter:
    pages = APIRouter(include_in_schema=False)

    @pages.get("/enter")
    def enter(request: Request, token: str = "") -> Response:
        """With the link that `vouch serve --as` prints. Only what is refused counts: other users of the machine have
        the same address, and none of them keeps the right link out."""
        if local is None:
            browser.count(request)
            raise NotFound("nobody signs in by a link here", cure="vouch serve --as user:NAME prints one")
        response = RedirectResponse("/", 303)
        try:
            session = local.enter(token, request.client.host if request.client else "")
        except Unidentified:
            if not _is_in(local, request):
                browser.count(request)
                raise
            return response                                 # opened twice, by the browser that is in already
        browser.put(response, local.cookie, session, LIFE_S)
        return response

    @pages.get("/sign-in", dependencies=[browser.counted])
    def begin(request: Request, to: _Words = "/") -> Response:
        """`to`: the page that is wanted; without it, or for what is no page of this service, it is the first."""
        begun = _known(sign_in).start(local_page(to))
        response = RedirectResponse(begun.address, 303)
        others = _begun(browser, request)
        for name in others if len(others) >= _AT_ONCE else ():
            browser.drop(response, name)
        browser.put(response, browser.called(begun.name), begun.cookie, WAIT_S, from_elsewhere=True)
        return response

    @pages.get(CALLBACK, dependencies=[browser.counted])
    def finish(request: Request, state: _Words = "", code: _Words = "", error: _Words = "") -> Response:
        """Where the provider sends the browser. It leads to the page of this service that was
        wanted, and nowhere else."""
        known = _known(sign_in)
        name = begun_cookie(state)
        cookie = credentials_of(request).cookies.get(browser.called(name), "")
        session, wanted = known.finish(cookie, state, code, error)
        response = RedirectResponse(local_page(wanted), 303)
        browser.put(response, known.sessions.cookie, session, known.sessions.seconds, from_elsewhere=True)
        browser.drop(response, name)
        return response

    @pages.post("/leave")
    def leave(
        request: Request, caller: Annotated[Caller, browser.who], fields: Annotated[Fields, browser.filled]
    ) -> Response:
        if local is not None and caller.way == "local":
            local.leave(caller.session)
        elif sign_in is not None and caller.way == "oidc":
            sign_in.sessions.end(caller.session)
        else:
            raise Denied("there is no session to end here", cure="sign out where you signed in")
        response = browser.plain("left.html", by_provider=caller.way == "oidc")
        browser.leave(response, LOCAL, PERSON, *_begun(browser, request))
        return response

    @pages.post(LOGOUT, dependencies=[browser.counted])
    def logged_out(token: Annotated[str, Depends(_logout_token)]) -> Response:
        """The provider itself says that somebody has signed out there; no browser does."""
        Logouts(_known(sign_in)).take(token)
        return Response()

    return pages


def _begun(browser: BrowserPages, request: Request) -> list[str]:
    """The cookies of sign-ins that this browser has begun."""
    lead = browser.called(f"{BEGUN}_")
    found = (name.removeprefix(lead) for name in credentials_of(request).cookies if name.startswith(lead))
    return [f"{BEGUN}_{one}" for one in found if _ONE.fullmatch(one)]


def _is_in(local: LocalSessions, request: Request) -> bool:
    try:
        return local.caller(credentials_of(request)) is not None
    except Unidentified:
        return False


async def _logout_token(request: Request) -> str:
    try:
        return (await fields_of(request)).get("logout_token", "")
    except BadInput as error:
        raise Usage("the form cannot be read", cure="send a form with one logout_token") from error


def _known(sign_in: SignIn | None) -> SignIn:
    if sign_in is None:
        raise NotFound("nobody signs in here with a provider", cure="VOUCH_HTTP__OIDC_ISSUER names one")
    return sign_in
