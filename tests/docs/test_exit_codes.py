"""The table of exit codes holds exactly the codes there are."""

import re
from pathlib import Path

from cli.main import INTERNAL, INTERRUPTED
from vouch.errors import VouchError

PAGE = Path(__file__).resolve().parents[2] / "docs" / "operations.md"


def codes(kind: type[VouchError]) -> set[int]:
    return {kind.exit_code}.union(*(codes(one) for one in kind.__subclasses__()))


def test_every_exit_code_is_in_the_table() -> None:
    table = PAGE.read_text(encoding="utf-8").split("## Exit codes")[1].split("\n## ")[0]
    told = {int(number) for number in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)}
    assert told == codes(VouchError) | {0, INTERNAL, INTERRUPTED}
