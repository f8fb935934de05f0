"""What `vouch slack doctor` says where Slack lets the bot work, and it would not work all the same."""


import pytest
from slack_scene.doctor import Vouch, checked

from bots.slack.simulator import SlackServer


@pytest.fixture(autouse=True)
def ana(slack: SlackServer, filled: None) -> None:
    slack.workspace.user("U0ANA", "Ana", "ana@acme.test")


def test_a_setting_with_one_underscore_is_named(vouch: Vouch, slack: SlackServer) -> None:
    _, rows, _ = checked(vouch, slack, VOUCH_SLACK_MODE="http")
    assert "VOUCH_SLACK_MODE is no setting" in rows["settings"]["found"] and rows["settings"]["sound"]
    assert "did you mean VOUCH_SLACK__MODE?" in rows["settings"]["found"] and rows["settings"]["cure"]
    assert "VOUCH_SLACK_MODE" in vouch("doctor", VOUCH_SLACK_MODE="http")[1]
    assert "no setting" not in checked(vouch, slack, VOUCH_CONFIG="none.toml")[1]["settings"]["found"]
