"""`vouch slack` against the loopback Slack."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from slack_company import MANIFEST

from bots.slack.simulator import SlackServer
from bots.slack.simulator.server import APP_TOKEN, BOT_TOKEN

Vouch = Callable[..., tuple[int, str, str]]


@pytest.fixture
def slack() -> Iterator[SlackServer]:
    with SlackServer() as started:
        yield started


def settings(slack: SlackServer, **changes: str) -> dict[str, str]:
    return {"VOUCH_SLACK__API_URL": slack.url, "VOUCH_SLACK__BOT_TOKEN": BOT_TOKEN,
            "VOUCH_SLACK__APP_TOKEN": APP_TOKEN} | changes


def test_the_doctor_finds_all_well(vouch: Vouch, slack: SlackServer) -> None:
    slack.workspace.channel("C1", "lobby", [])
    code, out, _ = vouch("slack", "doctor", **settings(slack))
    assert code == 0 and out.count("ok ") == 6 and "1 channel" in out and BOT_TOKEN not in out


def test_the_doctor_names_what_is_wrong_and_the_cure(vouch: Vouch, slack: SlackServer) -> None:
    slack.api.scopes -= {"users:read.email"}
    code, out, err = vouch("slack", "doctor", "--json", **settings(slack, VOUCH_SLACK__APP_TOKEN="xapp-no"))
    rows = {row["check"]: row for row in map(json.loads, out.splitlines())}
    assert code == 10 and "2 checks failed" in err
    assert "users:read.email" in rows["scopes"]["found"] and rows["scopes"]["cure"]
    assert [name for name, row in rows.items() if not row["sound"]] == ["scopes", "connection"]


def test_a_wrong_token_is_named(vouch: Vouch, slack: SlackServer) -> None:
    code, out, _ = vouch("slack", "doctor", **settings(slack, VOUCH_SLACK__BOT_TOKEN="xoxb-no"))
    assert code == 10 and "invalid_auth" in out and "xoxb-no" not in out


@pytest.mark.parametrize(("changes", "said"), [
    ({"VOUCH_SLACK__BOT_TOKEN": ""}, "VOUCH_SLACK__BOT_TOKEN"),
    ({"VOUCH_SLACK__APP_TOKEN": ""}, "VOUCH_SLACK__APP_TOKEN"),
    ({"VOUCH_SLACK__MODE": "http"}, "VOUCH_SLACK__SIGNING_SECRET"),
    ({"VOUCH_SLACK__API_URL": "http://slack.example/api"}, "VOUCH_SLACK__API_URL"),
    ({"VOUCH_SLACK__PEOPLE": '{"U1": "ana"}'}, "VOUCH_SLACK__PEOPLE"),
])  # fmt: skip
def test_settings_that_lack_something_are_named(
    vouch: Vouch, slack: SlackServer, changes: dict[str, str], said: str
) -> None:
    code, _, err = vouch("slack", "run", **settings(slack, **changes))
    assert code == 2 and said in err


def test_slack_that_does_not_answer_is_an_outage(vouch: Vouch, slack: SlackServer) -> None:
    slack.fault("auth.test", "500")
    code, _, err = vouch("slack", "run", **settings(slack))
    assert code == 10 and "vouch slack doctor" in err


def test_the_manifest_is_printed(vouch: Vouch) -> None:
    code, out, _ = vouch("slack", "manifest")
    assert code == 0 and json.loads(out) == json.loads(MANIFEST.read_text())


def test_the_bot_runs_until_it_is_told_to_end_and_is_seen_meanwhile(slack: SlackServer, tmp_path: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("VOUCH_")}
    environment |= settings(slack, VOUCH_HOME=str(tmp_path / "home"))
    bot = subprocess.Popen([sys.executable, "-m", "cli.main", "slack", "run"], env=environment, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert bot.stdout is not None and bot.stdout.readline() == "slack ready: Acme, Socket Mode\n"
        slack.sockets.wait_for_app()
        ana = slack.workspace.user("U0ANA", "Ana", "ana@acme.test")
        slack.deliveries.say(ana.id, slack.workspace.direct(ana.id), "Who is on call?")
        assert slack.deliveries.log[-1].acked
        bot.send_signal(signal.SIGTERM)
        out, err = bot.communicate(timeout=20)
        assert (bot.returncode, out, err) == (0, "slack stopped\n", "")
    finally:
        bot.kill()
