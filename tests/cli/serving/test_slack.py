"""`vouch slack` against the loopback Slack."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from running import warm
from slack_scene.doctor import checked, settings, wrong
from slack_scene.slack_company import MANIFEST

from bots.slack.simulator import SlackServer
from bots.slack.simulator.server import BOT_TOKEN
from vouch.adapters.ledger import open_ledger

Vouch = Callable[..., tuple[int, str, str]]


@pytest.mark.usefixtures("filled")
def test_the_doctor_finds_all_well(vouch: Vouch, slack: SlackServer, home: Path) -> None:
    slack.workspace.channel("C1", "lobby", [])
    slack.workspace.user("U0ANA", "Ana", "Ana@acme.test")
    code, out, _ = vouch("slack", "doctor", **settings(slack))
    assert code == 0 and out.count("ok  ") == 8 and "1 channel" in out and BOT_TOKEN not in out
    assert "note events: none has ever come" in out and "vouch slack run" in out and "FAIL" not in out
    with closing(open_ledger(home / "ledger.sqlite")) as ledger:
        ledger.slack_events.take("Ev1", datetime(2026, 1, 2, 3, 4, tzinfo=UTC))
    code, out, _ = vouch("slack", "doctor", **settings(slack))
    assert code == 0 and out.count("ok  ") == 9 and "the last one came 2026-01-02 03:04 UTC" in out


@pytest.mark.usefixtures("filled")
def test_the_doctor_names_what_is_wrong_and_the_cure(vouch: Vouch, slack: SlackServer) -> None:
    slack.workspace.user("U0ANA", "Ana", "ana@acme.test")
    slack.api.scopes -= {"reactions:read"}
    code, rows, err = checked(vouch, slack, VOUCH_SLACK__APP_TOKEN="xapp-no")
    assert code == 10 and "2 checks failed" in err
    assert "reactions:read" in rows["scopes"]["found"] and rows["scopes"]["cure"]
    assert wrong(rows) == ["scopes", "connection"]


def test_the_doctor_sees_that_there_is_nothing_to_answer_from(vouch: Vouch, slack: SlackServer) -> None:
    _, rows, _ = checked(vouch, slack)
    assert wrong(rows) == ["documents", "people"]
    assert "vouch ingest" in rows["documents"]["cure"] and "vouch directory load" in rows["people"]["cure"]


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("account", [{"email": "ana@other.test"}, {"confirmed": False}, {"guest": True}])
def test_the_doctor_sees_that_nobody_of_the_directory_is_known(
    vouch: Vouch, slack: SlackServer, account: dict[str, Any]
) -> None:
    slack.workspace.user("U0ANA", "Ana", **({"email": "ana@acme.test"} | account))
    _, rows, _ = checked(vouch, slack)
    assert wrong(rows) == ["people"] and "VOUCH_SLACK__PEOPLE" in rows["people"]["cure"]
    assert "ana" not in json.dumps(rows["people"])
    mapped = checked(vouch, slack, VOUCH_SLACK__PEOPLE='{"U0ANA": "user:ana@acme.test"}')[1]
    assert (wrong(mapped) == []) == ("guest" not in account)


@pytest.mark.usefixtures("filled")
def test_over_http_the_doctor_wants_a_secret_and_asks_the_bot_itself(vouch: Vouch, slack: SlackServer) -> None:
    slack.workspace.user("U0ANA", "Ana", "ana@acme.test")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    http = {"VOUCH_SLACK__MODE": "http", "VOUCH_SLACK__PORT": port}
    _, rows, _ = checked(vouch, slack, **http)
    assert wrong(rows) == ["settings", "endpoint"] and "connection" not in rows
    assert "VOUCH_SLACK__SIGNING_SECRET" in rows["settings"]["cure"]
    _, rows, _ = checked(vouch, slack, VOUCH_SLACK__SIGNING_SECRET="s", **http)
    assert wrong(rows) == ["endpoint"] and "vouch slack run" in rows["endpoint"]["cure"]


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
    assert code == 10 and "slack-status.com" in err


def test_the_manifest_is_printed(vouch: Vouch) -> None:
    code, out, _ = vouch("slack", "manifest")
    assert code == 0 and json.loads(out) == json.loads(MANIFEST.read_text())
    code, out, _ = vouch("slack", "manifest", "--url", "https://vouch.acme.test")
    assert code == 0 and json.loads(out)["settings"]["socket_mode_enabled"] is False
    code, _, err = vouch("slack", "manifest", "--url", "http://vouch.acme.test")
    assert code == 5 and "https://" in err


@pytest.mark.parametrize("host", ["localhost", "vouch.localhost", "127.0.0.2:8443", "[::1]", "0.0.0.0"])
def test_no_manifest_is_for_an_address_of_this_machine(vouch: Vouch, host: str) -> None:
    code, out, err = vouch("slack", "manifest", "--url", f"https://{host}")
    assert code == 5 and "only this machine" in err and not out


@pytest.mark.parametrize(("host", "named"), [("no.such.invalid", "HOST"), ("192.0.2.1", "HOST"), ("127.0.0.1", "PORT")])
def test_an_address_to_listen_on_that_cannot_be_had_is_named(
    vouch: Vouch, slack: SlackServer, host: str, named: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, _, err = vouch("slack", "run", **settings(
            slack, VOUCH_SLACK__MODE="http", VOUCH_SLACK__SIGNING_SECRET="s", VOUCH_SLACK__HOST=host,
            VOUCH_SLACK__PORT=str(taken.getsockname()[1])))
    assert code == 2 and f"set VOUCH_SLACK__{named}" in err


def test_the_bot_runs_until_it_is_told_to_end_and_is_seen_meanwhile(slack: SlackServer, tmp_path: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("VOUCH_")}
    environment |= settings(slack, VOUCH_HOME=str(tmp_path / "home"))
    bot = warm.Popen([sys.executable, "-m", "cli.main", "slack", "run"], env=environment, text=True,
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
