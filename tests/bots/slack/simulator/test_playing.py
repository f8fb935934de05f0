"""Lines that a person types into `vouch slack simulate`, and what they then see."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from slack_scene.slack_company import LEAVE, PLAN, Company, company

from bots.slack.console.player import COMMANDS, HELP, Player
from bots.slack.console.session import Desk
from bots.wrapping import cells
from vouch.adapters.ledger import Ledger
from vouch.errors import BadInput, Unavailable

pytestmark = pytest.mark.integration
SAYS = "60 days"


@pytest.fixture
def acme(ledger: Ledger, memory_folder: Path) -> Iterator[Company]:
    with company(ledger, memory_folder, "http") as made:
        yield made


@pytest.fixture
def player(acme: Company) -> Player:
    both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")

    def settle() -> None:
        acme.answer_all()
        acme.bot.rest()  # type: ignore[union-attr]

    return Player(Desk(acme.slack, settle, acme.ben, both, 60))


def does(player: Player, *lines: str) -> str:
    """What is seen after the last of them."""
    told = ""
    for line in lines:
        told = "\n".join(one.text for one in player.act(line))
    return told


def test_two_people_get_what_both_may_read_and_the_one_who_may_read_more_the_rest_alone(player: Player) -> None:
    asked = does(player, f"@vouch {PLAN}")
    assert "only you see this" in asked and SAYS not in asked and "[Answer me privately]" in asked
    assert SAYS in does(player, ":press answer me")
    does(player, ":press share")
    assert SAYS not in does(player, ":as ana")
    assert SAYS in does(player, ":as ben", ":in direct")


def test_news_come_once_and_a_look_shows_all(player: Player) -> None:
    asked = does(player, f"@vouch {LEAVE}")
    assert "12 weeks" in asked and does(player, "") == ""
    assert "12 weeks" not in does(player, "thanks") and "12 weeks" in does(player, ":look")
    assert all(cells(line) <= 60 for line in does(player, ":look").split("\n"))


def test_people_come_and_go_and_become_guests(player: Player) -> None:
    assert SAYS in does(player, ":channel plans boss", f"@vouch {PLAN}")
    assert "Ana" in does(player, ":join ana") and "Boss (guest)" in does(player, ":guest boss", ":who")
    assert SAYS not in does(player, f"@vouch {PLAN} again")
    assert "Ana" not in does(player, ":leave ana")
    assert "Ana is not in #plans" in does(player, ":as ana")
    for line in ("hello", "/vouch settings"):
        with pytest.raises(BadInput, match="not in"):
            player.act(line)


def test_buttons_windows_and_thumbs_are_votes(player: Player, acme: Company) -> None:
    does(player, f"@vouch {LEAVE}")
    assert "( ) It is outdated" in does(player, ":press 2 not helpful")
    does(player, ":send it is out: since May", ":as ana", "hello", ":thumb up")
    votes = {(v.person, v.vote, v.category, v.reason) for v in acme.ledger.feedback.list()}
    assert votes == {("user:ben@acme.test", "down", "outdated", "since May"), ("user:ana@acme.test", "up", None, None)}


def test_a_window_is_read_and_sent_once_by_whom_it_was_opened_for(player: Player) -> None:
    opened = " ".join(does(player, ":in direct", PLAN, ":press i need a human").split())
    assert "a window: Ask a human" in opened and "They get neither the answer nor a word" in opened and PLAN in opened
    with pytest.raises(BadInput, match="no window is open"):
        does(player, ":as ana", ":send")
    does(player, ":as ben", ":send")
    with pytest.raises(BadInput, match="no window is open"):
        player.act(":send")


def test_what_a_window_held_before_is_seen(player: Player) -> None:
    told = does(player, ":channel plans ana", "/vouch settings")
    assert "(x) Only when it is mentioned" in told and "Empty: everybody." in told


def test_a_channel_that_is_typed_is_one(player: Player) -> None:
    assert "no sources are set for that channel" in " ".join(does(player, f"@vouch in:#both {LEAVE}").split())


def test_a_reply_in_a_thread_needs_no_mention_and_the_command_answers_alone(player: Player) -> None:
    does(player, f"@vouch {LEAVE}")
    assert "  [" in does(player, f":reply 1 {LEAVE}") and "12 weeks" in does(player, ":look")
    assert "direct messages · Ben" in does(player, f"/vouch {PLAN}")
    assert SAYS not in does(player, ":as ana")


@pytest.mark.parametrize("line", [
    ":nonsense", ":as nobody", ":in nowhere", ":in", ":press nothing", ":press", ":press 99 helpful", ":send it",
    ":reply", ":thumb sideways", ":thumb up", ":thumb up 99", ":join", ":channel", ":channel both", "/other thing",
    ":as", ":leave", ":guest",
    ":group", ":group nobody", ":group ben", ":edit", ":edit words", ":edit 99 words", ":delete", ":delete first",
    ":react", ":react !", ":react +1 x", ":react +1 99", ":about", ":about x", ":about 99",
])  # fmt: skip
def test_what_cannot_be_done_says_why_and_how(player: Player, line: str) -> None:
    with pytest.raises(BadInput) as refused:
        player.act(line)
    assert refused.value.cure and "''" not in refused.value.cause


def test_direct_messages_are_of_two(player: Player) -> None:
    does(player, ":group ana")
    with pytest.raises(BadInput, match="direct"):
        player.act(":leave ana")
    does(player, ":in direct")
    for line in (":join ana", ":leave ben"):
        with pytest.raises(BadInput, match="direct"):
            player.act(line)
    assert "seen by Ana" in does(player, ":as ana")


def test_the_help_names_every_command(player: Player) -> None:
    assert does(player, ":help") == HELP
    assert all(f":{name}" in HELP for name in COMMANDS)


def test_a_group_conversation_gets_what_all_in_it_may_read(player: Player, acme: Company) -> None:
    opened = does(player, ":group ana")
    assert "mpdm-ana--ben-1" in opened and "seen by Ben" in opened
    assert SAYS not in does(player, f"@vouch {PLAN}")
    assert SAYS in does(player, ":group boss", f"@vouch {PLAN}")
    assert SAYS in does(player, ":as boss", ":group ben") and "mpdm-ben--boss-1" in does(player, ":who")
    assert sum(one.kind == "mpim" for one in acme.slack.workspace.channels.values()) == 2
    assert "Boss is not in mpdm-ana" in does(player, ":as ana", ":group ben", ":as boss")


def test_a_message_is_edited_and_deleted_by_who_said_it(player: Player) -> None:
    does(player, "hello")
    assert "Ben (edited)\n    good morning" in does(player, ":edit good morning")
    assert "good morning" in does(player, ":as ana")
    with pytest.raises(BadInput, match="did not say message 1"):
        player.act(":edit 1 mine")
    assert does(player, ":as ben", ":delete 1") == "the message is deleted"
    assert "good morning" not in does(player, ":look")


def test_of_a_deleted_question_with_an_answer_everybody_sees_that_it_is_gone(player: Player) -> None:
    does(player, f"@vouch {LEAVE}")
    assert does(player, ":delete 1").startswith("the message is deleted")
    assert "[1] Slack\n    This message was deleted." in does(player, ":as ana") and LEAVE not in does(player, ":look")


def test_a_reply_stays_in_the_conversation_of_its_message(player: Player, acme: Company) -> None:
    does(player, f"@vouch {LEAVE}", ":in direct")
    said = len(acme.slack.workspace.messages)
    with pytest.raises(BadInput, match=r"that message is in #?both, and Ben types in"):
        does(player, f":reply 1 {PLAN}")
    assert len(acme.slack.workspace.messages) == said


def test_reactions_are_seen_and_taken_back(player: Player, acme: Company) -> None:
    does(player, f"@vouch {LEAVE}")
    assert ":+1: Ben" in does(player, ":react +1 2") and ":+1: Ben, Ana" in does(player, ":as ana", ":react :+1: 2")
    assert ":+1: Ben" in does(player, ":react +1 2")
    assert [v.person for v in acme.ledger.feedback.list()] == ["user:ben@acme.test"]


def test_the_menu_of_a_message_asks_its_words_alone(player: Player) -> None:
    does(player, "How long does a performance improvement plan last?")
    told = does(player, ":about")
    assert SAYS in told and "direct messages · Ben" in told and SAYS not in does(player, ":as ana")


def test_the_home_tab_and_what_the_app_suggests_are_seen_and_chosen(player: Player, acme: Company) -> None:
    does(player, f"/vouch {PLAN}")
    told = does(player, ":home")
    assert "the home tab of vouch · seen by Ben" in told and "What I can read for you" in told
    assert PLAN not in does(player, ":as ana", ":home")
    assert f"for example [{LEAVE}] [What can you do?]" in " ".join(does(player, ":in direct").split())
    assert "Ask me a question about your company" in " ".join(does(player, ":press what can").split())
    acme.slack.fault("views.publish", "500")
    with pytest.raises(Unavailable, match="home tab"):
        player.act(":home")


def test_a_channel_is_set_in_its_window(player: Player, acme: Company) -> None:
    assert "Only from these sources" in does(player, ":channel plans ben ana", "/vouch settings")
    with pytest.raises(BadInput, match="owners"):
        player.act(":send who helps: nobody at all")
    does(player, ":send also what looks | whoever asks | who helps: group:support")
    assert "Only admins and owners" in does(player, ":as ana", "/vouch settings")
    plans = next(one.id for one in acme.slack.workspace.channels.values() if one.name == "plans")
    found = acme.ledger.slack_channels.get(plans)
    assert (found.answers, found.ephemeral, found.owners) == ("questions", True, ("group:support",))
