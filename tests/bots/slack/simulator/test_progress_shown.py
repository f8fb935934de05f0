"""Whoever tries the bot without a workspace sees how far a question is as people in a workspace do."""

import pytest

from consumers.wiring.slack.simulator import _settings
from vouch.settings import Settings
from vouch.settings.surfaces import SlackSettings


@pytest.mark.parametrize(("given", "shown"), [({}, "stream"), ({"progress": "status"}, "status")])
def test_a_question_shows_how_far_it_is_as_it_is_set(given: dict[str, str], shown: str) -> None:
    settings = Settings(slack=SlackSettings.model_validate(given | {"bot_token": "xoxb-of-a-workspace"}))
    made = _settings(settings, "http://127.0.0.1:1/api/", "socket", 0.0)
    assert made.progress == shown and made.bot_token != settings.slack.bot_token
