"""The example with curl in docs/http.md does what it says, run by a shell against the service."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from homes.memory import folder_in_memory
from http_scene.http_place import HEADER, SECRET, http_place

PAGE = (Path(__file__).parents[2] / "docs" / "http.md").read_text(encoding="utf-8")
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


def test_the_example_names_each_of_the_addresses_that_programs_need() -> None:
    table = re.findall(r"^\| `(?:GET|POST) (/v1/\S+?)`", PAGE, re.MULTILINE)
    named = set(re.findall(r"\$VOUCH(/v1/\w+)", example()))
    assert named == {"/v1/ask", "/v1/search", "/v1/feedback"} and named <= set(table)
