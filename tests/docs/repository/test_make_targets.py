"""Targets of the Makefile do what the pages say that they do."""

import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration
ROOT = Path(__file__).resolve().parents[3]


def made(*words: str) -> str:
    return subprocess.run(["make", "-s", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_the_tests_of_slack_run_everywhere_by_a_target_of_their_own() -> None:
    told = made("-n", "slack-everywhere")
    assert "VOUCH_SLACK_EVERYWHERE=1" in told and "VOUCH_REQUIRE_SERVICES=1" in told and "tests/bots/slack" in told
    assert "make slack-everywhere" in made("help")
