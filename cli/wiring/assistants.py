"""The server for assistants: a desk that asks and, if no worker does, answers; and search."""

from contextlib import closing

from bots.mcp.server import serve
from bots.mcp.tools import OneAtATime, Tools
from cli.wiring.settings import command_settings
from services import wiring


def serve_assistant(tag: str) -> None:
    """Until the assistant closes our standard input."""
    settings = command_settings()
    with closing(wiring.open_ask_client(settings)) as desk:
        serve(Tools(OneAtATime(desk), wiring.open_search_service(settings), tag))
