"""The form that asks: for whom, and how it comes back where it could not be taken, with all that was filled in."""

from fastapi import Request
from fastapi.responses import Response

from bots.http.api.forms import MOST_READERS
from bots.http.identity.caller import Caller
from bots.http.page.browser import NOT_KNOWN, BrowserPages, Fields
from bots.http.problems import headers_of, told_error
from vouch.access import parse_tag
from vouch.errors import BadAccess, BadInput, Denied, NotFound, Usage, VouchError
from vouch.messages import MOST_STEPS


def readers_of(caller: Caller, added: str) -> tuple[str, ...]:
    """Who will see the answer: whoever asks, and whom they named. Raises BadAccess, BadInput."""
    tags = [parse_tag(word) for word in added.replace(",", " ").split()]
    if len(tags) > MOST_READERS:
        raise BadAccess(f"an answer is for {MOST_READERS} further readers at most", cure="name a group")
    return tuple(dict.fromkeys((caller.tag, *tags)))


def steps_of(chosen: str) -> int | None:
    """How many further steps it may take; None: as is set. Raises Usage."""
    if chosen and chosen not in map(str, range(MOST_STEPS + 1)):
        raise Usage(f"a question may take 0 to {MOST_STEPS} further steps", cure="choose one of these")
    return int(chosen) if chosen else None


def form_again(
    browser: BrowserPages, request: Request, caller: Caller, fields: Fields, error: VouchError
) -> Response:
    """What is wrong stands beside its field. What it cannot follow up on, it does not name any more."""
    filled = dict(fields, follows="") if isinstance(error, Denied | NotFound) else fields
    return _shown(browser, request, caller, filled, error)


def form_refused(
    browser: BrowserPages, request: Request, caller: Caller, fields: Fields, error: VouchError
) -> Response:
    """It was not read. Where nobody knew who sent it, its mark may be right, and the page tells of nobody."""
    unknown = {"mark": fields.get("mark", ""), "known": False} if isinstance(error, NOT_KNOWN) else {}
    return _shown(browser, request, caller, fields, error, **unknown)


def _shown(
    browser: BrowserPages, request: Request, caller: Caller, filled: Fields, error: VouchError, **more: object
) -> Response:
    told = told_error(request, error)
    made = browser.page(request, caller, "ask.html", told.status, filled=filled, problem=told, wrong_at=_field(error),
                        **more)
    made.headers.update(headers_of(told))
    return made


def _field(error: VouchError) -> str:
    """Empty where it is of none."""
    if isinstance(error, BadAccess):
        return "audience"
    return "question" if isinstance(error, BadInput) else ""
