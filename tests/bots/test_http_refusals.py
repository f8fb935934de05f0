"""What the HTTP service refuses before anything of it runs, without a socket."""

import asyncio
import json
from typing import Any

import pytest
from joserfc.jwk import KeySet, RSAKey

from bots.http.identity.jwks import Jwks
from bots.http.limits import Gate, Limits
from bots.http.problems import problem
from vouch.errors import LedgerDown, Overloaded, Unavailable


def test_a_body_that_breaks_off_reaches_nobody() -> None:
    reached: list[Any] = []
    told = iter([{"type": "http.request", "body": b"vote=up", "more_body": True}, {"type": "http.disconnect"}])

    async def app(scope: Any, receive: Any, send: Any) -> None:
        reached.append(await receive())

    async def receive() -> Any:
        return next(told)

    async def send(message: Any) -> None:
        raise AssertionError(message)

    scope: Any = {"type": "http", "method": "POST", "headers": [(b"host", b"localhost")], "raw_path": b"/vote"}
    asyncio.run(Gate(app, Limits(frozenset({"localhost"})))(scope, receive, send))
    assert reached == []


def test_old_keys_are_refused_between_two_tries() -> None:
    keys = KeySet([RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})]).as_dict(private=False)
    reads, clock = [json.dumps(keys).encode()], [0.0]

    def read() -> bytes:
        if not reads:
            raise OSError("away")
        return reads.pop()

    jwks = Jwks(read, lambda: clock[0])
    assert jwks.keys()
    for moment in (3600.0, 3601.0):         # the second comes before the place is asked again
        clock[0] = moment
        with pytest.raises(Unavailable):
            jwks.keys()


def test_overload_is_told_as_what_it_is_and_a_failure_inside_is_not() -> None:
    told = problem(Overloaded("too many searches at once", cure="try again in a moment"), "r1")
    assert (told.status, told.detail) == (503, "too many searches at once")
    hidden = problem(LedgerDown("the ledger of hr/plans.md is away"), "r1")
    assert hidden.status == 503 and "hr/plans" not in hidden.detail
