"""`vouch slack simulate` with the demo's company, and the drawing of it in docs."""

import re
import runpy
import sys
from pathlib import Path

import pytest
from running import warm

ROOT = Path(__file__).resolve().parents[3]
PRIVATE, SHARED = "up to eight paid weeks as an exception", "up to 12 weeks of paid"
pytestmark = [pytest.mark.model, pytest.mark.slow]


def test_the_channel_looks_as_it_is_drawn(demo_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a change that is meant: make docs."""
    monkeypatch.chdir(ROOT)
    made = runpy.run_path(str(ROOT / "docs" / "make_slack.py"))["drawing"](str(demo_home.parent))
    assert made == (ROOT / "docs" / "slack_drawing.txt").read_text(encoding="utf-8")
    ben, ana = made.split("Ana in #both>")[0], made.split(":as ana")[1].split(":as ben")[0]
    assert PRIVATE in " ".join(ben.split()) and PRIVATE not in " ".join(ana.split())
    assert SHARED in " ".join(ana.split()) and "only you see this" in ben and "only you see this" not in ana
    assert "@Ana @Ben Ana would like a human" in ana and "[Approve] [Refuse]" not in ana
    assert "[Approve] [Refuse]" in made.split(":as ben")[1] and "Approved: it counts soon" in made
    approved = made.split("Approved: it counts soon")[1]
    assert "New hires write to the people team before they apply. [1]" in approved and "human-answers:" in approved


def test_over_http_too_and_what_cannot_be_done_is_said(demo_home: Path) -> None:
    script = "# a line for who reads it\n:as nobody\n/vouch How is a VPN key rotated?\n:home\n:quit\nnever read\n"
    done = warm.run(
        [sys.executable, "-m", "cli.main", "slack", "simulate", "--http", "--folder", str(demo_home.parent)],
        input=script, capture_output=True, text=True, timeout=300, check=False, cwd=ROOT,
    )
    assert done.returncode == 0 and "no: there is nobody called 'nobody'; type :who" in done.stdout, done.stderr
    assert "direct messages · Ben" in done.stdout and "never read" not in done.stdout
    home = done.stdout.split("--- the home tab of vouch · seen by Ben")[1]
    assert re.search(r"company: \d+ documents", home) and "How is a VPN key rotated?" in home
