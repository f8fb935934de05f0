"""The server for assistants: a desk that asks and, if no worker does, answers; and search."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from bots.mcp.server import build_server
from bots.mcp.tools import Tools
from cli.wiring.settings import command_settings
from services import wiring

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer


@contextmanager
def open_assistant_server(tag: str) -> "Iterator[MCPServer[Any]]":
    settings = command_settings()
    with closing(wiring.open_ask_client(settings)) as desk:
        yield build_server(Tools(desk, wiring.open_search_service(settings), tag))
