"""docs/http.md: its table of requests is that of openapi.json, and its example with curl does what it says."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from homes.memory import folder_in_memory
from http_scene.http_place import HEADER, SECRET, http_place

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "http.md").read_text(encoding="utf-8")
ADDRESS = "VOUCH=http://127.0.0.1:8080\n"
PROOF = "PROOF=()"
OF_ANA = f'PROOF=(-H "{HEADER}: ana" -H "X-Vouch-Proxy-Secret: {SECRET}")'
PROBLEM = "urn:vouch:problem"


def example(*, votes: bool = True) -> str:
    found = re.search(r"```bash\n(VOUCH=.*?)```.*?```bash\n(.*?)```", PAGE, re.DOTALL)
    assert found and found[1].startswith(ADDRESS) and PROOF in found[1]
    return found[1].removeprefix(ADDRESS) + (found[2] if votes else "")


def run(script: str, folder: Path) -> str:
    """What it prints in a shell where nothing is set."""
    done = subprocess.run(["bash", "-c", f"set -euo pipefail\n{script}"], cwd=folder, capture_output=True, text=True,
                          timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.skipif(shutil.which("curl") is None or shutil.which("bash") is None, reason="needs curl and bash")
def test_the_example_asks_follows_looks_searches_and_votes(tmp_path: Path) -> None:
    with folder_in_memory() as folder, http_place(folder) as place:
        alone = run(f"VOUCH={place.address}\n{example(votes=False)}", tmp_path)       # as it stands, with no token
        printed = run(f"VOUCH={place.address}\n{example().replace(PROOF, OF_ANA)}", tmp_path)
    assert "thirty days" in alone and '"path":"leave.md"' in alone and PROBLEM not in alone
    told, last = printed.split("event: answer\n")
    assert set(re.findall(r"^event: (\w+)", told, re.MULTILINE)) <= {"stage", "sentence"}
    streamed, _, rest = last.partition("\n")
    answer = json.loads(streamed.removeprefix("data: "))["answer"]
    assert "thirty days" in answer and rest.strip().startswith(answer)        # the same when looked at
    assert '"path":"leave.md"' in rest and '"vote":"up"' in rest and PROBLEM not in rest


def in_table(page: str) -> set[str]:
    """Method and path of each request in the table of the API, parameters without their names."""
    table = page.split("\n## The API\n")[1].split("\n## ")[0]
    cells = re.findall(r"^\| (`(?:GET|POST) [^|]+) \|", table, re.MULTILINE)
    return {_unnamed(one) for cell in cells for one in re.findall(r"`((?:GET|POST) /[^`]+)`", cell)}


def _unnamed(request: str) -> str:
    return re.sub(r"\{[^}]+\}", "{}", request)


def in_document() -> set[str]:
    paths = json.loads((DOCS / "openapi.json").read_text(encoding="utf-8"))["paths"]
    return {_unnamed(f"{method.upper()} {path}") for path, operations in paths.items() for method in operations}


def test_the_table_has_each_request_that_openapi_json_describes_and_no_other() -> None:
    assert in_table(PAGE) - {"POST /mcp"} == in_document()      # whose protocol describes itself
    row = "| `GET /v1/documents` |"
    assert row in PAGE and in_table(PAGE.replace(row, "| documents |")) | {"GET /v1/documents"} == in_table(PAGE)
    assert "GET /v1/documents" not in in_table(PAGE.replace(row, "| documents |"))


def test_the_example_names_each_of_the_addresses_that_programs_need() -> None:
    table = re.findall(r"^\| `(?:GET|POST) (/v1/\S+?)`", PAGE, re.MULTILINE)
    named = set(re.findall(r"\$VOUCH(/v1/\w+)", example()))
    assert named == {"/v1/ask", "/v1/search", "/v1/feedback"} and named <= set(table)
