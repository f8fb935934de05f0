"""A rebuild's Dask processes do nothing for other users of the machine, who can reach all their ports."""

import asyncio
import http.client
import os
import urllib.request
from collections.abc import Iterator
from typing import Any

import psutil
import pytest

from vouch.errors import Usage

pytestmark = pytest.mark.slow


def listening() -> set[tuple[str, int]]:
    """Where this process and its children take connections."""
    me = psutil.Process()
    return {
        (one.laddr.ip, one.laddr.port)
        for process in (me, *me.children(recursive=True)) for one in process.net_connections("tcp")
        if one.status == psutil.CONN_LISTEN
    }  # fmt: skip


def entered(place: tuple[str, int]) -> list[str]:
    """The ways by which somebody without the run's certificate gets a scheduler or worker there to answer."""
    from distributed.core import rpc
    from distributed.security import Security

    async def answers(address: str, **more: Any) -> bool:
        remote = rpc(address, timeout=2, **more)
        try:
            return bool(await asyncio.wait_for(remote.identity(), 4))
        except Exception:
            return False
        finally:
            await remote.close_rpc()

    host = f"{place[0]}:{place[1]}"
    stranger = Security.temporary()
    ways = {
        "tcp": asyncio.run(answers(f"tcp://{host}")),
        "tls with a certificate of one's own": asyncio.run(
            answers(f"tls://{host}", connection_args=stranger.get_connection_args("client"))),
        **{path: status(f"http://{host}{path}") == 200 for path in ("/info/main/workers.html", "/metrics", "/health")},
    }  # fmt: skip
    return [way for way, found in ways.items() if found]


def status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=2) as reply:
            return int(reply.status)
    except (OSError, http.client.HTTPException) as error:
        return int(getattr(error, "code", 0))


@pytest.fixture
def before() -> Iterator[set[tuple[str, int]]]:
    yield listening()


def test_nobody_else_gets_an_answer_from_any_port_of_a_rebuild(before: set[tuple[str, int]]) -> None:
    from flows.deployed.rebuild import _runner

    with _runner(None, 1) as runner:
        client: Any = runner.client                     # type: ignore[attr-defined]
        ports = listening() - before
        assert len(ports) >= 3                          # the scheduler, a worker and what watches it
        assert [way for port in ports for way in entered(port)] == []
        assert client.submit(os.getpid).result(30) != os.getpid()       # its own client is served


def test_plain_dask_would_serve_anybody(before: set[tuple[str, int]]) -> None:
    """The negative control."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None):
        ways = {way for port in listening() - before for way in entered(port)}
    assert {"tcp", "/health"} <= ways


@pytest.mark.parametrize("address", ["tcp://10.0.0.7:8786", "10.0.0.7:8786", "ws://10.0.0.7:8786"])
def test_a_scheduler_without_tls_is_refused_before_anything_is_done(address: str) -> None:
    from flows.deployed.rebuild import rebuild

    with pytest.raises(Usage, match="without TLS") as refused:
        rebuild.fn(scheduler=address)
    assert "tls://" in refused.value.cure
