"""Errors as problem details (RFC 9457), made from the one tree of errors.

What a reader is told of a failure inside is no more than that it failed: the
cause may name documents that they may not see. It is logged with the request's id.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from vouch.errors import (
    BadInput,
    Busy,
    Conflict,
    Denied,
    Guarded,
    Held,
    NotFound,
    NothingIngested,
    Overloaded,
    Unavailable,
    Unidentified,
    Usage,
    VouchError,
)
from vouch.invalid import problems

MEDIA_TYPE = "application/problem+json"
STATUS: Mapping[type[VouchError], int] = {
    Usage: 400, Unidentified: 401, Denied: 403, NotFound: 404, BadInput: 422, Held: 409, Guarded: 429, Conflict: 409,
    Busy: 503, Unavailable: 503, VouchError: 500,
}  # fmt: skip
_TITLES = {
    400: "The request cannot be done", 401: "Who asks is not known", 403: "Not allowed", 404: "Not found",
    405: "Another method is needed", 409: "In conflict with what is there", 413: "Too large",
    415: "Another content type is needed", 421: "Not this host", 422: "The request cannot be understood",
    429: "Too many requests", 431: "Headers too large", 500: "Failed", 503: "Not available now",
}  # fmt: skip
_INSIDE = "something failed inside vouch"
_DESCRIBED = "/v1/openapi.json describes each request"
_CURES = {
    403: "send it from a page of this service, or from a program without Origin and Sec-Fetch-Site",
    404: "check the address; /v1/openapi.json lists those of the API",
    405: "send it with a method that the header Allow names",
    408: "send the whole body at once; try again on a better connection",
    413: "send less at a time; VOUCH_HTTP__BODY_BYTES and VOUCH_HTTP__UPLOAD_BYTES say how much is taken",
    415: "send the header Content-Type: application/json",
    421: "use a name that VOUCH_HTTP__HOSTS lists, or have yours added to it",
    431: "send fewer or shorter headers and cookies, and a shorter address",
    500: "try again in a moment; whoever runs the service finds the request's number in its log",
    503: "try again in a moment",
}  # fmt: skip
_BODIES = {
    "/v1/ask": '{"question": "…"}', "/v1/search": '{"query": "…"}',
    "/v1/feedback": '{"answer_id": "…", "vote": "up"}',
}  # fmt: skip
_RETRY = {429: "60", 503: "5"}
_TOLD = (NothingIngested, Overloaded)  # though they are no fault of the request
_log = logging.getLogger(__name__)


class Problem(BaseModel):
    """A problem as RFC 9457 describes it, with what to do about it."""

    type: Annotated[str, Field(description="`urn:vouch:problem:` and the kind of error.")]
    title: str
    status: int
    detail: Annotated[str, Field(description="What is wrong, in words for people.")]
    cure: Annotated[str, Field(min_length=1, description="What to do about it.")]
    request_id: Annotated[str, Field(description="What the log of the service calls this request.")] = ""


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Of an operation, for the OpenAPI document."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": _TITLES[status], "content": content} for status in statuses}


def status_of(error: VouchError) -> int:
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


def problem(error: VouchError, request_id: str) -> Problem:
    status = status_of(error)
    told = status < 500 or isinstance(error, _TOLD)
    kind = type(error).__name__ if told else STATUS_KINDS.get(status, "Failed")
    detail, cure = (error.cause, error.cure or _DESCRIBED) if told else (_INSIDE, "try again in a moment")
    return Problem(type=_urn(kind), title=_TITLES[status], status=status, detail=detail, cure=cure,
                   request_id=request_id)


STATUS_KINDS = {500: "Failed", 503: "Unavailable"}


def plain_problem(status: int, detail: str, request_id: str = "", cure: str = "") -> Problem:
    """Of the protocol itself."""
    title = _TITLES.get(status, "Not done")
    cure = cure or _CURES.get(status, _DESCRIBED)
    return Problem(type="about:blank", title=title, status=status, detail=detail, cure=cure, request_id=request_id)


def for_readers(told: Problem) -> Problem:
    """For people: what only whoever runs the service can do is left out, such as a setting."""
    cures = [cure for cure in told.cure.split("; ") if "VOUCH_" not in cure]
    return told.model_copy(update={"cure": "; ".join(cures) or ("ask who runs vouch" if told.cure else "")})


def response(told: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """For programs."""
    return JSONResponse(told.model_dump(), told.status, headers_of(told, headers), MEDIA_TYPE)


def headers_of(told: Problem, headers: Mapping[str, str] | None = None) -> dict[str, str]:
    extra = dict(headers or {})
    if told.status in _RETRY:
        extra.setdefault("Retry-After", _RETRY[told.status])
    if told.status == 401:
        extra.setdefault("WWW-Authenticate", "Bearer")
    return extra


def request_id(request: Request) -> str:
    return str(request.scope.get("vouch.request_id", ""))


def told_error(request: Request, error: VouchError) -> Problem:
    """For whoever asked; what failed inside goes to the log instead."""
    told = problem(error, request_id(request))
    if told.status >= 500 and not isinstance(error, _TOLD):
        _log.warning("http: request %s: %s: %s", told.request_id, type(error).__name__, error)
    return told


Show = Callable[[Request, Problem, Mapping[str, str] | None], Response]


def add_handlers(app: FastAPI, show: Show) -> None:
    """Every error is answered with a problem, in the form that `show` gives it."""

    async def ours(request: Request, error: Exception) -> Response:
        assert isinstance(error, VouchError)
        return show(request, told_error(request, error), None)

    async def invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        status, detail, cure = _of_input(request, error.errors())
        return show(request, plain_problem(status, detail, request_id(request), cure), None)

    async def of_protocol(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        words = {404: _of_address, 405: _of_method}.get(error.status_code)
        told = words(request, error) if words else (str(error.detail), "")
        return show(request, plain_problem(error.status_code, told[0], request_id(request), told[1]), error.headers)

    async def unexpected(request: Request, error: Exception) -> Response:
        _log.error("http: request %s failed: %s", request_id(request), type(error).__name__, exc_info=error)
        return show(request, plain_problem(500, _INSIDE, request_id(request)), None)

    app.add_exception_handler(VouchError, ours)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, of_protocol)
    app.add_exception_handler(Exception, unexpected)


def _of_method(request: Request, error: HTTPException) -> tuple[str, str]:
    """What is wrong with the method, and the request as it should be sent."""
    path, allowed = request.url.path, (error.headers or {}).get("Allow", "")
    body = f" with a JSON body {_BODIES[path]}" if path in _BODIES else ""
    return f"{path} is not for {request.method}", f"send {allowed} {path}{body}" if allowed else ""


def _of_address(request: Request, error: HTTPException) -> tuple[str, str]:
    if request.url.path == "/mcp":
        return "assistants may not ask here", "VOUCH_HTTP__MCP=true lets them"
    return "there is nothing at this address", ""


def _of_input(request: Request, mistakes: Sequence[Any]) -> tuple[int, str, str]:
    """Programs such as curl send a form unless told otherwise, whatever the body holds."""
    if any(one["type"] == "json_invalid" for one in mistakes):
        return 400, "the body is not JSON", ""
    if not _is_json(request) and any(tuple(one["loc"]) == ("body",) and one["type"] != "missing" for one in mistakes):
        return 415, "the body is not sent as JSON", ""
    is_tag = any("is not an access tag" in one["msg"] for one in mistakes)
    return 422, problems(list(mistakes)), "write public, user:NAME or group:NAME" if is_tag else ""


def _is_json(request: Request) -> bool:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


def _urn(kind: str) -> str:
    words = "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in kind)
    return f"urn:vouch:problem:{words.lstrip('-')}"
