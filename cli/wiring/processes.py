"""The processes that run until stopped: workers, senders, and the server for assistants."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

from bots.mcp.server import serve
from bots.mcp.tools import OneAtATime, Tools
from cli.wiring.settings import command_settings
from consumers.process import Process
from consumers.wiring.processes import build_sender, build_worker
from services.wiring import answering


@contextmanager
def open_worker(*, ingests: bool, sends: bool) -> Iterator[Process]:
    from flows.wiring.ingesting import build_starter

    settings = command_settings()
    starter = build_starter(settings) if ingests else None
    with closing(build_worker(settings, starter, sends=sends)) as process:
        yield process


@contextmanager
def open_sender() -> Iterator[Process]:
    with closing(build_sender(command_settings())) as process:
        yield process


def serve_assistant(tag: str) -> None:
    """Serves until the assistant closes our standard input."""
    settings = command_settings()
    with closing(answering.open_ask_client(settings)) as desk:
        serve(Tools(OneAtATime(desk), answering.open_search_service(settings), tag))
