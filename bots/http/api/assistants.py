"""Assistants over HTTP: the Model Context Protocol at /mcp, for whoever each request proves to be.

It is part of the service, and not a process of its own, so that identities, hosts, limits and models are the same ones.
No session is kept: whoever loses a right, or their sign-in, loses it at once, also while a call waits.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from bots.http.backend import Library, Questions
from bots.http.identity.caller import Caller
from bots.http.identity.identities import Identities
from bots.http.load import Slots
from bots.http.requests import caller_of, credentials_of
from bots.http.waiting import Waits
from bots.mcp.tools import Tools
from vouch.errors import Overloaded
from vouch.filters import Filters

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

T = TypeVar("T")
PATH = "/mcp"
WAIT_S = 100.0                          # for one answer
_CALLER, _PROVE, _RECEIVE = "vouch.caller", "vouch.prove", "vouch.receive"


class ServiceDesk:
    """Implements the Desk of `bots.mcp.tools`: questions by the log, look-ups in the slots that all share."""

    def __init__(
        self, questions: Questions, waits: Waits, lookups: Slots, caller: Caller, prove: Callable[[], object],
        receive: Receive,
    ) -> None:  # fmt: skip
        """`prove` and `receive` are of the call's request: whether it is still the caller's, and when the assistant
        has gone."""
        self._questions = questions
        self._waits = waits
        self._prove, self._receive = prove, receive
        self._lookups = lookups
        self._caller = caller

    async def ask(self, question: str, tag: str, filters: Filters) -> dict[str, Any]:
        """Raises Overloaded if the answer takes too long, or if the caller waits for too many already."""
        asked = await run_in_threadpool(self._questions.ask, question, (tag,), filters=filters,
                                        stranger=self._caller.address)
        answer = await self._waits.answer(self._receive, self._caller, self._prove, asked, WAIT_S, new=True)
        if answer is None:
            raise Overloaded("the answer takes longer than usual", cure="ask again in a minute")
        return dict(answer)

    async def run(self, tag: str, work: Callable[[], T]) -> T:
        return await self._lookups.run(self._caller.counted_as, work)


class Assistants:
    """An ASGI endpoint. For one event loop, inside `lifespan`."""

    def __init__(
        self, questions: Questions, waits: Waits, library: Library, identities: Identities, lookups: Slots
    ) -> None:
        from mcp.server.transport_security import TransportSecuritySettings

        from bots.mcp.server import build_server

        def tools_of(context: Any) -> Tools:
            """Of whoever makes this very request; there is none without them."""
            scope = context.request.scope
            caller: Caller = scope[_CALLER]
            desk = ServiceDesk(questions, waits, lookups, caller, scope[_PROVE], scope[_RECEIVE])
            return Tools(desk, library, caller.tag)

        # Of POST alone: nothing is sent that was not asked for.
        self.route = Route(PATH, endpoint=self, methods=["POST"], include_in_schema=False)
        self._identities, self._caller = identities, caller_of(identities)
        self._server: MCPServer[Any] = build_server(tools_of)
        self._server.streamable_http_app(       # foreign names and pages are refused before, by bots.http.middleware
            stateless_http=True, json_response=True,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["route"] = self.route     # for the log, as routes of FastAPI do
        request = Request(scope)
        caller = await self._caller(request)
        scope[_RECEIVE], scope[_CALLER] = receive, caller
        scope[_PROVE] = partial(self._identities.prove, credentials_of(request), caller.tag)
        await self._server.session_manager.handle_request(scope, receive, send)

    def lifespan(self) -> AbstractAsyncContextManager[None]:
        return self._server.session_manager.run()
