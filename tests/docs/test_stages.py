"""docs/answers.md names the stages whose times an answer may have."""

import re
from pathlib import Path

from vouch.retrieval.recipe.step import PHASES

ROOT = Path(__file__).resolve().parents[2]
ENTERED = re.compile(r"\bwith (?:stage|watch)\(\"(\w+)\"\)")


def test_every_stage_is_named() -> None:
    entered = {name for file in (ROOT / "vouch" / "correction").rglob("*.py")
               for name in ENTERED.findall(file.read_text(encoding="utf-8"))}
    told = (ROOT / "docs" / "answers.md").read_text(encoding="utf-8").split("`timings_ms` | ")[1].split(" |")[0]
    named = set(re.findall(r"[a-z]+", told))
    assert len(entered) > 5 and entered | {*PHASES, "total"} <= named
