"""`vouch slack doctor` where Slack refuses or does not answer: each line says what helps, and says it once."""

import pytest
from slack_scene.doctor import Vouch, checked, settings, wrong

from bots.slack.cures import refused
from bots.slack.simulator import SlackServer
from bots.slack.simulator.server import APP_TOKEN, BOT_TOKEN


@pytest.mark.usefixtures("filled")
def test_what_needs_a_sound_token_is_not_checked_with_another(vouch: Vouch, slack: SlackServer) -> None:
    code, rows, err = checked(vouch, slack, VOUCH_SLACK__BOT_TOKEN="xoxb-no")
    assert code == 10 and wrong(rows) == ["token"] and "1 check failed" in err
    assert "VOUCH_SLACK__BOT_TOKEN" in rows["token"]["cure"]
    skipped = {name for name, row in rows.items() if row["sound"] is None}
    assert skipped == {"scopes", "clock", "channels", "people"}
    assert rows["people"]["found"] == "not checked, as token failed" and rows["connection"]["sound"]


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(("fault", "found", "cure"), [
    ("500", "internal_error", "slack-status.com"), ("reset", "auth.test failed: ", "reaches Slack"),
    ("429", "ratelimited", "try again in"),
])
def test_a_fault_has_a_cure_other_than_this_command(
    vouch: Vouch, slack: SlackServer, fault: str, found: str, cure: str
) -> None:
    slack.fault("auth.test", fault, 7)
    code, rows, err = checked(vouch, slack)
    assert code == 10 and found in rows["token"]["found"] and cure in rows["token"]["cure"]
    assert "slack doctor" not in str(rows) and "slack:" not in err


def test_slack_that_cannot_be_reached_is_said_to_be_so(vouch: Vouch, slack: SlackServer) -> None:
    slack.close()
    _, rows, err = checked(vouch, slack)
    assert rows["token"]["found"] == "Slack: auth.test failed: Connection refused"
    assert "reaches Slack" in rows["token"]["cure"] and "Failed to send" not in err


@pytest.mark.parametrize("code", ["invalid_auth", "account_inactive", "token_revoked", "not_allowed_token_type",
                                  "missing_scope", "never_heard_of"])
def test_each_refusal_says_what_to_do(code: str) -> None:
    assert refused("auth.test", code) and "slack doctor" not in refused("auth.test", code)
    if code != "never_heard_of":
        assert "VOUCH_SLACK__APP_TOKEN" in refused("apps.connections.open", code)


@pytest.mark.parametrize(("changes", "told"), [
    ({"VOUCH_SLACK__BOT_TOKEN": APP_TOKEN, "VOUCH_SLACK__APP_TOKEN": BOT_TOKEN},
     "VOUCH_SLACK__BOT_TOKEN: begins with xapp-"),
    ({"VOUCH_SLACK__BOT_TOKEN": "xoxp-1"}, "VOUCH_SLACK__BOT_TOKEN: must be the token that Slack gave: xoxb-"),
    ({"VOUCH_SLACK__BOT_TOKEN": "xoxb-…"}, "VOUCH_SLACK__BOT_TOKEN: must be the token that Slack gave"),
    ({"VOUCH_SLACK__APP_TOKEN": "xapp-1 "}, "VOUCH_SLACK__APP_TOKEN: must be the token that Slack gave: xapp-"),
])  # fmt: skip
def test_a_token_that_cannot_be_one_is_named_without_its_value(
    vouch: Vouch, slack: SlackServer, changes: dict[str, str], told: str
) -> None:
    code, out, err = vouch("slack", "doctor", **settings(slack, **changes))
    assert code == 2 and told in " ".join(err.split()) and not out and "xoxp-1" not in err
