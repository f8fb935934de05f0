"""`vouch mcp` as an assistant starts it: a process that speaks over standard input and output, with its models."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from running.shell_blocks import blocks

EXAMPLE = next(one for one in blocks("mcp.md") if "StdioServerParameters" in one)
COMMAND = str(Path(sys.executable).with_name("vouch"))


@pytest.mark.model
@pytest.mark.slow
def test_an_assistant_asks_for_one_person(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "leave.md").write_text("# Leave\n\nEverybody has thirty days of leave a year.\n")
    (docs / "access.yaml").write_text('rules:\n  - {match: "**", allow: ["user:ana", "user:ana@acme.test"]}\n')
    (tmp_path / "people.yaml").write_text("people:\n  ana: {groups: []}\n  ana@acme.test: {groups: []}\n")
    env = {name: value for name, value in os.environ.items() if not name.startswith("VOUCH_")}
    env["VOUCH_HOME"] = str(tmp_path / "home")
    for words in (["source", "add", "docs", "--kind", "folder", "--path", docs],
                  ["directory", "load", tmp_path / "people.yaml"], ["ingest"]):
        subprocess.run([COMMAND, *map(str, words)], env=env, capture_output=True, timeout=180, check=True)

    async def asked(*words: str) -> Any:
        server = StdioServerParameters(command=COMMAND, args=["mcp", *words], env=env)
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
