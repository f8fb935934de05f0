"""`vouch slack channel` sets, shows, lists and forgets; it needs no token of Slack, and asks if there is one."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from slack_scene.doctor import settings

from bots.slack.simulator import SlackServer

Vouch = Callable[..., tuple[int, str, str]]


@pytest.fixture
def handbook(vouch: Vouch, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    assert vouch("source", "add", "handbook", "--kind", "folder", "--path", tmp_path / "docs")[0] == 0


@pytest.mark.usefixtures("handbook")
def test_what_is_set_is_shown_and_what_is_not_named_stays(vouch: Vouch) -> None:
    owners = ("--owner", "user:ana@acme.test", "--owner", "group:desk")
    chosen = ("--answers", "questions", "--source", "handbook", *owners)
    assert vouch("slack", "channel", "set", "C024BE7LR", *chosen)[0] == 0
    code, out, _ = vouch("slack", "channel", "set", "C024BE7LR", "--ephemeral", "--asker", "group:people", "--json")
    row = json.loads(out)
    assert code == 0 and row.pop("changed_at") and row == {
        "channel": "C024BE7LR", "answers": "questions", "sources": ["handbook"], "ephemeral": True,
        "askers": ["group:people"], "owners": ["user:ana@acme.test", "group:desk"], "unknown_sources": [],
        "warnings": [f"{tag} is not in the directory" for tag in ("group:people", "user:ana@acme.test", "group:desk")],
        "changed_by": "terminal",
    }
    vouch("slack", "channel", "set", "C024BE7LR", "--all-sources", "--anybody", "--no-owners", "--no-ephemeral")
    _, out, _ = vouch("slack", "channel", "show", "C024BE7LR")
    assert "sources: all" in out and "who may ask: everybody" in out and "owners: nobody" in out
    assert "C024BE7LR" in vouch("slack", "channel", "list")[1]
    assert json.loads(vouch("slack", "channel", "unset", "C024BE7LR", "--json")[1]) == {"unset": "C024BE7LR"}
    assert vouch("slack", "channel", "show", "C024BE7LR")[0] == 3 and vouch("slack", "channel", "unset", "C1")[0] == 3
    assert "nothing is set" in vouch("slack", "channel", "list")[1]


@pytest.mark.usefixtures("handbook")
def test_a_source_that_is_gone_is_told(vouch: Vouch) -> None:
    vouch("slack", "channel", "set", "C1", "--source", "handbook")
    vouch("source", "remove", "handbook")
    for command in (("show", "C1"), ("list",)):
        assert "there is no source handbook" in vouch("slack", "channel", *command)[2]


@pytest.mark.parametrize(("words", "code", "told"), [
    (("C1",), 2, "nothing to set"), (("general", "--ephemeral"), 2, "names change"),
    (("D1", "--ephemeral"), 2, "id of"),
    (("C1", "--source", "rules"), 3, "there is no source"), (("C1", "--owner", "U1"), 2, "user:NAME"),
    (("C1", "--asker", "ana"), 2, "group:NAME"), (("C1", "--asker", "U1", "--anybody"), 2, "exclude"),
    (("C1", "--answers", "always"), 2, "mentions"),
])
def test_what_cannot_be_set_is_refused_with_a_cure(vouch: Vouch, words: tuple[str, ...], code: int, told: str) -> None:
    found, out, err = vouch("slack", "channel", "set", *words)
    assert found == code and told in err and not out
    assert vouch("slack", "channel", "list", "--json")[1] == ""


@pytest.mark.usefixtures("filled")
def test_whom_the_directory_does_not_have_is_told(vouch: Vouch) -> None:
    named = ("--asker", "group:nope", "--asker", "U024BE7LH", "--owner", "user:anna@acme.test")
    code, _, err = vouch("slack", "channel", "set", "C1", *named)
    assert code == 0 and "C1: group:nope is not in the directory" in err and "U024BE7LH" not in err
    assert "did you mean user:ana@acme.test?" in " ".join(err.split())
    assert "group:nope" in vouch("slack", "channel", "list")[2]
    vouch("slack", "channel", "set", "C1", "--anybody", "--owner", "user:ana@acme.test")
    assert "directory" not in vouch("slack", "channel", "show", "C1")[2]


def test_a_channel_that_slack_does_not_show_is_told_if_slack_says_so(vouch: Vouch, slack: SlackServer) -> None:
    slack.workspace.channel("C1", "lobby", [])
    asked = ("slack", "channel", "set", "--ephemeral")
    assert "no channel C9999" in vouch(*asked, "C9999", **settings(slack))[2]
    assert vouch(*asked, "C1", **settings(slack))[2] == "" and vouch(*asked, "C9999")[2] == ""
    slack.close()
    assert vouch(*asked, "C9999", **settings(slack))[::2] == (0, "")
