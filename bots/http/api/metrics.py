"""GET /metrics: the page that Prometheus reads, for operators and for whoever has its token."""

import hmac
from collections.abc import Callable

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from bots.http.identity.identities import Identities
from bots.http.load import Slots
from bots.http.operator_backend import Administrators
from bots.http.problems import documented
from bots.http.requests import credentials_of
from vouch.errors import Denied

PATH = "/metrics"
Page = Callable[[], tuple[str, str]]
"""Its content type, and its text."""


def build_metrics(page: Page, token: str, identities: Identities, administrators: Administrators) -> APIRouter:
    """With an empty `token` there are operators alone."""
    metrics, looks = APIRouter(), Slots(1, 8, 9)

    @metrics.get(PATH, response_class=Response, responses={
        200: {"description": "Text for Prometheus", "content": {"text/plain": {"schema": {"type": "string"}}}},
        **documented(401, 403, 429, 503),
    })
    async def shown(request: Request) -> Response:
        """What this process counted, and how things stand. It tells of all documents, by numbers."""
        await run_in_threadpool(allowed, request)
        kind, text = await looks.run("", page)
        return Response(text, media_type=kind)

    def allowed(request: Request) -> None:
        scheme, _, proof = request.headers.get("authorization", "").partition(" ")
        if token and scheme.lower() == "bearer" and hmac.compare_digest(proof.encode(errors="replace"), token.encode()):
            return
        if not administrators.is_one(identities.caller(credentials_of(request)).tag):
            raise Denied("only operators see metrics", cure="VOUCH_HTTP__OPERATORS names their group; programs send "
                         "VOUCH_HTTP__METRICS_TOKEN")

    return metrics
