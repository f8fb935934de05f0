"""What docs/mcp.md tells an assistant to start, and where to reach the service, is there."""

import json
from pathlib import Path
from typing import Any

import pytest
from running.cli_help import help_of
from running.shell_blocks import blocks, exported

from bots.http.api.assistants import PATH
from vouch.settings import Settings

ALONE, MANY = (json.loads(one)["mcpServers"]["vouch"] for one in blocks("mcp.md") if "mcpServers" in one)
SERVES = next(one for one in blocks("mcp.md") if "export " in one)


def test_an_assistant_starts_a_command_that_is_there() -> None:
    assert ALONE["command"].startswith("/") and ALONE["command"].endswith("/.venv/bin/vouch")
    name, *rest = ALONE["args"]
    text = help_of((name,))
    assert text and rest == ["--as", "user:ana@acme.test"] and "--as" in text
    assert any(f"vouch {' '.join(ALONE['args'])}\n" in block for block in blocks("mcp.md"))       # the same by hand


def test_it_reaches_the_service_where_it_listens_with_a_token() -> None:
    assert MANY["url"].startswith("https://") and MANY["url"].endswith(f".test{PATH}")
    assert MANY["headers"] == {"Authorization": "Bearer TOKEN"}


def test_the_setting_turns_it_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = exported(SERVES, tmp_path)
    assert given == {"VOUCH_HTTP__MCP": "true"} and not Settings().http.mcp
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert Settings().http.mcp


def test_the_table_names_the_tools_that_there_are() -> None:
    import asyncio

    from bots.mcp.server import build_server

    nobody: Any = None
    tools = asyncio.run(build_server(lambda _: nobody).list_tools())
    page = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text(encoding="utf-8")
    assert all(f"\n| `{tool.name}` | " in page for tool in tools)
