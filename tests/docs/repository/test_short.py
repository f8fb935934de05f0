"""`make test` runs every test in Slack, over one transport where only that differs."""

import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration
ROOT = Path(__file__).resolve().parents[3]
ONE = "tests/bots/slack/asking/test_personal.py"


def collected(short: str) -> dict[str, set[str]]:
    """By test the forms of it."""
    told = subprocess.run([sys.executable, "-m", "pytest", "--collect-only", "-v", "--no-header", ONE], cwd=ROOT,
                          env={**os.environ, "VOUCH_TESTS_SHORT": short}, capture_output=True, text=True,
                          check=True).stdout
    found: dict[str, set[str]] = defaultdict(set)
    for line in told.split("\n"):
        if "<Function " in line:
            name, _, form = line.strip().removeprefix("<Function ").removesuffix(">").partition("[")
            found[name].add(form)
    return found


def test_no_test_is_left_out_and_each_that_is_repeated_runs_once() -> None:
    whole, short = collected("0"), collected("1")
    assert whole.keys() == short.keys() and len(whole) > 5
    assert any(len(short[name]) < len(forms) for name, forms in whole.items())
    for name, forms in whole.items():
        assert short[name] <= forms and short[name]
        everywhere = any("Kafka" in form for form in forms)
        assert len(short[name]) in ((len(forms),) if everywhere else (len(forms), len(forms) / 2))
