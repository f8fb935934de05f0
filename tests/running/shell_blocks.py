"""The blocks of commands in a page of the docs, and the settings that a shell makes of them."""

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

_ROOT = Path(__file__).parents[2]


def blocks(name: str) -> list[str]:
    """What stands between fences in the page, in order."""
    text = (_ROOT / "docs" / name).read_text(encoding="utf-8")
    return re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def exported(block: str, folder: Path) -> Mapping[str, str]:
    """The settings of vouch that the block exports, run by a shell in the folder; its commands are not run."""
    script = f"set -eu\nvouch() {{ :; }}\npip() {{ :; }}\n{block}\nenv -0"
    done = subprocess.run(["bash", "-c", script], cwd=folder, env={"PATH": "/usr/bin:/bin"}, capture_output=True,
                          text=True, check=True, timeout=30)
    pairs = (one.partition("=") for one in done.stdout.split("\0"))
    return {name: value for name, _, value in pairs if name.startswith("VOUCH_")}
