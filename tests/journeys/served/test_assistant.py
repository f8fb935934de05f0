"""`vouch mcp` as an assistant starts it: a process that speaks over standard input and output, with its models."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from http_scene.served import COMMAND, made_home
from mcp import Client, StdioServerParameters
from running.shell_blocks import blocks

EXAMPLE = next(one for one in blocks("mcp.md") if "StdioServerParameters" in one)


@pytest.mark.model
@pytest.mark.slow
def test_an_assistant_asks_for_one_person(tmp_path: Path) -> None:
    env = made_home(tmp_path, "ana", "ana@acme.test")

    async def asked(*words: str) -> Any:
        server = StdioServerParameters(command=str(COMMAND), args=["mcp", *words], env=env)
        async with Client(server) as client:
            told = await client.call_tool("ask", {"question": "How many days of leave does everybody have?"})
            listed = (await client.list_resources()).resources
            read = [await client.read_resource(one.uri) for one in listed]
            return told.structured_content, str(read)

    answer, read = asyncio.run(asked("--as", "user:ana"))
    assert "thirty days" in answer["answer"] and "thirty days" in read
    told = subprocess.run([sys.executable, "-c", EXAMPLE], env=env, capture_output=True, text=True, timeout=180,
                          check=True)
    assert told.stdout.startswith("answered") and "thirty days" in told.stdout      # what docs/mcp.md shows
    declined, read = asyncio.run(asked())
    assert read == "[]" and declined["action"] == "declined" and "thirty" not in str(declined)
