"""The whole service as an ASGI application."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from threading import Event, Thread

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import JSONResponse, Response
from starlette.types import ASGIApp

from bots.http.answer_polling import Arrivals
from bots.http.api.asking import build_asking_api
from bots.http.api.assistants import PATH, Assistants
from bots.http.api.forms import Health
from bots.http.api.library import build_library_api
from bots.http.api.metrics import PATH as METRICS
from bots.http.api.metrics import Page, build_metrics
from bots.http.backend import Library, Progress, Questions, Standing, Traces
from bots.http.events import News
from bots.http.identity.bearer import WELL_KNOWN, Resource, build_resource
from bots.http.identity.caller import NOBODY_KNOWN, cookie_names
from bots.http.identity.identities import Identities
from bots.http.identity.local import LocalSessions
from bots.http.identity.oidc.sessions import COOKIE as PERSON
from bots.http.identity.oidc.sign_in import SignIn
from bots.http.load import Slots, Streams
from bots.http.middleware import Gate, Limits
from bots.http.operator_backend import Administrators
from bots.http.operators.documents import build_changes
from bots.http.operators.pages import build_operator_pages
from bots.http.page import assets
from bots.http.page.asking import build_asking, build_live, build_reading
from bots.http.page.browser import BrowserPages
from bots.http.page.rendering import Rendering
from bots.http.page.returning import wanted_page
from bots.http.page.signing import LOGOUT, build_signing
from bots.http.page.tracing import build_tracing
from bots.http.problems import Problem, add_handlers, response
from bots.http.requests import credentials_of
from bots.http.waiting import Waits
from vouch.errors import Guarded, Unidentified

LOOKUPS, WAITING, EACH = 4, 32, 18      # searches and passages: health and answers need threads too
STREAMS_EACH, STREAMS = 8, 100          # and waits: half of all connections are left for other requests
_FOR_PROGRAMS = ("/v1/", PATH, METRICS, "/healthz", "/readyz", WELL_KNOWN, LOGOUT)


@dataclass(frozen=True, slots=True)
class Service:
    """What the application works with."""

    questions: Questions
    progress: Progress
    library: Library
    traces: Traces
    administrators: Administrators
    standing: Standing
    identities: Identities
    local: LocalSessions | None         # the one of `identities`, where it is among them
    key: bytes                          # of marks that pages carry
    sign_in: SignIn | None = None       # its sessions are among `identities`
    resource: Resource | None = None    # what it is to programs, where tokens are taken
    secure_cookies: bool = False
    assistants: bool = False            # may ask too, by their own protocol
    metrics: Page | None = None
    metrics_token: str = ""
    stopping: Event = field(default_factory=Event)      # once it is set nobody is kept waiting
    load: Callable[[], object] | None = None            # what takes long; raises nothing


def build_app(service: Service, limits: Limits) -> ASGIApp:
    def may_upload(request: Request) -> bool:
        try:
            return service.administrators.is_one(service.identities.caller(credentials_of(request)).tag)
        except (Unidentified, Guarded):
            return False                # the page tells why

    app = build_fastapi(service)
    return Gate(app, limits, app.state.refused, may_upload)


def build_fastapi(service: Service) -> FastAPI:
    """The service and all that it holds is in `app.state.service`, the form of refusals in `app.state.refused`."""
    lookups, arrivals = Slots(LOOKUPS, WAITING, EACH), Arrivals(service.questions, service.stopping.is_set)
    news, streams = News(service.progress), Streams(STREAMS_EACH, STREAMS)
    waits = Waits(arrivals, service.questions, streams)
    assistants = Assistants(
        service.questions, waits, service.library, service.identities, lookups
    ) if service.assistants else None
    app = FastAPI(
        title="vouch", version="1", summary="Answers from a company's own documents, cited, and only from what every "
        "reader may see.", docs_url=None, redoc_url=None, openapi_url="/v1/openapi.json", redirect_slashes=False,
        lifespan=_lifespan(service.load, assistants),
    )  # fmt: skip
    app.state.service = service
    show = Rendering(signs_in=service.sign_in is not None).problem

    def refused(request: Request, told: Problem, headers: Mapping[str, str] | None) -> Response:
        path, resource = request.url.path, service.resource
        if path == PATH and told.status == 401 and resource is not None:
            return response(told, {**(headers or {}), **resource.challenge(path)})
        if path.startswith(_FOR_PROGRAMS):
            return response(told, headers)
        signed_in = not credentials_of(request).cookies.keys().isdisjoint(cookie_names(PERSON))
        waits = path.startswith("/answers/") and path.count("/") == 2       # for an answer that is to come, perhaps
        return show(told, headers, wanted=wanted_page(request), signed_in=signed_in, waits=waits, **_known(request))

    app.state.refused = refused
    add_handlers(app, refused)
    app.include_router(build_asking_api(service.questions, arrivals, news, service.identities, streams, waits))
    app.include_router(build_library_api(
        service.questions, service.library, service.administrators, service.identities, lookups
    ))
    app.include_router(build_changes(service.administrators, service.identities))
    app.include_router(_health())
    if service.metrics is not None:
        app.include_router(build_metrics(service.metrics, service.metrics_token, service.identities,
                                         service.administrators))
    browser = BrowserPages(service.identities, service.key, secure=service.secure_cookies,
                           signs_in=service.sign_in is not None,
                           operates=lambda reader: service.administrators.is_one(reader))
    app.include_router(build_asking(service.questions, waits, browser, lookups))
    app.include_router(build_reading(service.questions, service.library, service.traces, browser, lookups))
    app.include_router(build_tracing(service.traces, service.questions, service.administrators, browser, lookups))
    app.include_router(build_live(service.questions, news, browser, arrivals))
    app.include_router(build_operator_pages(service.administrators, browser))
    app.include_router(build_signing(service.local, service.sign_in, browser))
    app.include_router(assets.router())
    if service.resource is not None:
        app.include_router(build_resource(service.resource, [] if assistants is None else [PATH]))
    if assistants is not None:
        app.router.routes.append(assistants.route)
    _describe_problems(app)
    return app


def _known(request: Request) -> dict[str, object]:
    """What the head of a page tells of somebody who was identified before the request was refused."""
    caller = getattr(request.state, "caller", NOBODY_KNOWN)
    return {} if caller.way == "none" else {"caller": caller, "operates": getattr(request.state, "operates", False)}


def _lifespan(
    load: Callable[[], object] | None, assistants: Assistants | None
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    """It begins to load, once, and does not wait for that, so that /readyz can say meanwhile what is missing."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        if load is not None:
            Thread(target=load, name="load", daemon=True).start()
        if assistants is None:
            yield
            return
        async with assistants.lifespan():
            yield

    return lifespan


def _health() -> APIRouter:
    health, looks = APIRouter(), Slots(1, 0, 1)       # it reads the disk or a server, and never waits for a search
    looking: asyncio.Task[Sequence[str]] | None = None

    def standing(request: Request) -> Standing:
        service: Service = request.app.state.service
        return service.standing

    def told(wrong: list[str]) -> Response:
        return JSONResponse({"well": not wrong, "wrong": wrong}, 503 if wrong else 200)

    @health.head("/healthz", include_in_schema=False)
    @health.get("/healthz", response_model=Health, responses={503: {"model": Health}})
    async def healthz(request: Request) -> Response:
        """Whether the process works. It needs no identity."""
        return told(list(standing(request).sick()))

    @health.head("/readyz", include_in_schema=False)
    @health.get("/readyz", response_model=Health, responses={503: {"model": Health}})
    async def readyz(request: Request) -> Response:
        """Whether questions can be answered now: red until the models are loaded. It needs no identity."""
        nonlocal looking
        if looking is None or looking.done():           # one look for all who ask meanwhile: strangers may be many
            looking = asyncio.create_task(looks.run("", standing(request).unready))
        return told(list(await asyncio.shield(looking)))

    return health


def _describe_problems(app: FastAPI) -> None:
    """Problems are in the OpenAPI document, though no operation returns one as its model."""
    made = app.openapi

    def openapi() -> dict[str, object]:
        document = made()
        document["components"]["schemas"].setdefault("Problem", Problem.model_json_schema())
        return document

    app.openapi = openapi  # type: ignore[method-assign]
