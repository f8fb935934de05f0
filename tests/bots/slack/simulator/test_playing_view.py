"""What is typed and shown in `vouch slack simulate`, without a socket."""

import pytest

from bots.slack.answers.layout import message as laid_out
from bots.slack.channels.window import channel_view
from bots.slack.console.view import buttons, filled, readable, typed
from bots.slack.console.visible import settle_in
from bots.slack.hearing.voting import reason_view
from bots.slack.simulator.workspace import BOT_USER, Message, Workspace
from vouch.errors import NotFound
from vouch.ports.surface import ChannelSettings

ANSWER = {"id": "a1", "question": "q", "answer": "x", "citations": [], "warnings": [], "action": "declined",
          "reason": "weak", "index_version": 0}


def test_every_button_can_be_pressed_by_what_is_written_on_it() -> None:
    blocks, _ = laid_out(ANSWER, alone=False)
    found = dict(buttons(Message("1.5", "C1", BOT_USER, "", blocks)))
    assert {label: action["value"] for label, action in found.items()} == {
        "Helpful": "up.a1", "Not helpful": "down.a1", "Answer me privately": "a1", "I need a human": "a1"}


def test_a_window_is_filled_in_by_the_first_words_of_a_choice() -> None:
    view = reason_view("c", "C1", "a1")
    assert filled(view, [("it is out", "since May")]) == {
        "why": {"why": {"selected_option": {"value": "outdated"}}}, "words": {"words": {"value": "since May"}}}
    with pytest.raises(KeyError):
        filled(view, [("nothing", "")])


def test_a_window_with_several_fields_keeps_what_is_not_told_otherwise() -> None:
    view = channel_view("C1", ChannelSettings(sources=("wiki",), owners=("group:support",), askers=("U0ANA",)))
    told = {name: next(iter(value.values()))
            for name, value in filled(view, [("also what", ""), ("only from", "handbook")]).items()}
    assert told == {
        "answers": {"selected_option": {"value": "questions"}}, "sources": {"value": "handbook"},
        "readers": {"selected_option": {"value": "channel"} | told["readers"]["selected_option"]},
        "askers": {"selected_users": ["U0ANA"]}, "tags": {"value": None}, "owners": {"value": "group:support"},
    }
    with pytest.raises(KeyError):
        filled(reason_view("c", "C1", "a1"), [])


def test_what_is_typed_and_shown_is_what_slack_makes_of_it() -> None:
    space = Workspace()
    space.user("U0ANA", "Ana")
    users = space.users
    assert typed("@vouch is 1 < 2 & @ana, a@b.c?", users) == "<@U0VOUCH> is 1 &lt; 2 &amp; <@U0ANA>, a@b.c?"
    assert readable(typed("@vouch 1 < 2", users), users) == "@vouch 1 < 2"
    space.channel("C1", "general", [])
    told = typed("in:#General a#general #other mail bob@ana.test @Ana.", users, space.channels.values())
    assert told == "in:<#C1|general> a#general #other mail bob@ana.test <@U0ANA>."
    assert readable(told, users).startswith("in:#general a#general")
    assert readable("\\*x\\* a:\u2060// &amp;lt;", users) == "*x* a:// &lt;"


def test_the_people_of_a_directory_sit_in_channels() -> None:
    space = Workspace()
    person, channel = settle_in(space, ["cem@a.test", "ana@a.test", "ben@a.test"])
    assert person.name == "Ben" and channel.members[:2] == ["U0001", "U0002"]
    assert len(space.channels["C0001"].members) == 4            # with the app
    assert {one.creator for one in space.channels.values()} == {person.id}
    with pytest.raises(NotFound):
        settle_in(Workspace(), ["ana@a.test"])
