"""The whole service as an ASGI application."""

from dataclasses import dataclass

from fastapi import APIRouter, FastAPI
from fastapi.responses import JSONResponse, Response
from starlette.types import ASGIApp

from bots.http.api import build_api
from bots.http.backend import Administrators, Library, Progress, Questions, Standing
from bots.http.forms import Health
from bots.http.identity.identities import Identities
from bots.http.identity.local import LocalSessions
from bots.http.limits import Gate, Limits
from bots.http.load import Slots
from bots.http.page.rendering import Rendering
from bots.http.page.routes import build_pages
from bots.http.problems import Problem, add_handlers, response

LOOKUPS, WAITING, EACH = 4, 32, 18      # searches and passages: health and answers need threads too
_FOR_PROGRAMS = ("/v1/", "/healthz", "/readyz")


@dataclass(frozen=True, slots=True)
class Service:
    """What the application works with."""

    questions: Questions
    progress: Progress
    library: Library
    administrators: Administrators
    standing: Standing
    identities: Identities
    local: LocalSessions | None         # the one of `identities`, where it is among them
    key: bytes                          # of marks that pages carry
    secure_cookies: bool = False


def build_app(service: Service, limits: Limits) -> ASGIApp:
    return Gate(build_fastapi(service), limits)


def build_fastapi(service: Service) -> FastAPI:
    app = FastAPI(
        title="vouch", version="1", summary="Answers from a company's own documents, cited, and only from what every "
        "reader may see.", docs_url=None, redoc_url=None, openapi_url="/v1/openapi.json", redirect_slashes=False,
    )  # fmt: skip
    show = Rendering().problem
    add_handlers(app, lambda request, told, headers: (
        response(told, headers) if request.url.path.startswith(_FOR_PROGRAMS) else show(told, headers)
    ))
    lookups = Slots(LOOKUPS, WAITING, EACH)
    app.include_router(build_api(
        service.questions, service.progress, service.library, service.administrators, service.identities, lookups
    ))
    app.include_router(_health(service.standing))
    app.include_router(build_pages(
        service.questions, service.library, service.identities, service.local, service.key, lookups,
        secure=service.secure_cookies,
    ))
    _describe_problems(app)
    return app


def _health(standing: Standing) -> APIRouter:
    health, looks = APIRouter(), Slots(1, 16, 17)     # it reads the disk or a server, and never waits for a search

    def told(wrong: list[str]) -> Response:
        return JSONResponse({"well": not wrong, "wrong": wrong}, 503 if wrong else 200)

    @health.get("/healthz", response_model=Health, responses={503: {"model": Health}})
    async def healthz() -> Response:
        """Whether the process works. It needs no identity."""
        return told(list(standing.sick()))

    @health.get("/readyz", response_model=Health, responses={503: {"model": Health}})
    async def readyz() -> Response:
        """Whether questions can be answered now: red until the models are loaded. It needs no identity."""
        return told(list(await looks.run("", standing.unready)))

    return health


def _describe_problems(app: FastAPI) -> None:
    """Problems are in the OpenAPI document, though no operation returns one as its model."""
    made = app.openapi

    def openapi() -> dict[str, object]:
        document = made()
        document["components"]["schemas"].setdefault("Problem", Problem.model_json_schema())
        return document

    app.openapi = openapi  # type: ignore[method-assign]
