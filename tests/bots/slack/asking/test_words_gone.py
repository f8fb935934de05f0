"""No copy of a message that was deleted or edited is used: shared, asked in private, chosen from a menu, or waiting."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from fakes.noted_web import NotedWeb, web_passage
from homes.small_world import OPEN
from slack_scene.slack_company import LEAVE, PLAN, Company, at
from slack_scene.slack_places import EVERYWHERE

from bots.slack.answers.layout import NEED_ALONE, PRIVATELY, SHARE
from bots.slack.bot import SHORTCUT
from bots.slack.simulator import Message, User
from bots.slack.simulator.workspace import Channel
from vouch.correction.components import Outside
from vouch.ports.surface import ChannelSettings

pytestmark = pytest.mark.integration
ZOE = "How long does a performance improvement plan last for Zoe Quinn?"
THEN = "And how often does the manager meet them?"
GONE = "deleted or changed"


class Scene:
    """Ben asks about Zoe in a thread, and Ana and Ben read along. The web is searched, too."""

    def __init__(self, acme: Company) -> None:
        self.acme, self.slack, self.space = acme, acme.slack.deliveries, acme.slack.workspace
        self.web = NotedWeb(web_passage("Judit won the chess tournament in Riga.", "chess", "Chess news"))
        acme.world.components = replace(acme.world.components, outside=Outside(self.web, OPEN))
        self.both = self.space.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
        self.root = self.slack.say(acme.ana.id, self.both, "Morning all")

    def ask(self) -> Message:
        return self.acme.ask(self.acme.ben, self.both, at(ZOE), self.root.ts)

    def press(self, user: User, channel: Channel, action: str) -> None:
        """The last such button there."""
        message, value = [
            (message, element["value"]) for message in self.acme.answers(user, channel) for block in message.blocks
            if block["type"] == "actions" for element in block["elements"] if element["action_id"] == action][-1]
        self.slack.press(user.id, message, {"type": "button", "action_id": action, "value": value})
        self.rest()

    def choose(self, user: User, message: Message) -> None:
        assert self.slack.shortcut(user.id, message, SHORTCUT)
        self.rest()

    def change(self, message: Message, how: str) -> None:
        """From now on nothing was asked of the web."""
        self.slack.delete(message) if how == "delete" else self.slack.edit(message, at(PLAN))
        self.web.asked.clear()

    def rest(self) -> None:
        assert self.acme.bot is not None
        self.acme.bot.rest()

    def direct(self, user: User) -> Channel:
        return self.space.direct(user.id)

    def shown(self, user: User) -> str:
        return self.acme.shown(user, self.direct(user)) + self.acme.shown(user, self.both)

    def understood(self, person: str) -> str:
        [asked] = self.acme.ledger.asked_by.recent(f"user:{person}@acme.test", "slack",
                                                   self.acme.now().replace(year=2020), 1)
        return str(asked.body["understood_as"])

    def nothing_left(self) -> bool:
        return not any("Zoe" in words for words in self.web.asked)


@pytest.fixture
def scene(acme: Company) -> Scene:
    return Scene(acme)


def soon(look: Callable[[], Any], seconds: float = 8.0) -> Any:
    end = time.monotonic() + seconds
    while not (found := look()) and time.monotonic() < end:
        time.sleep(0.02)
    return found


@pytest.mark.parametrize("how", ["delete", "edit"])
@EVERYWHERE
def test_whoever_joins_later_goes_on_from_no_shared_copy(scene: Scene, how: str) -> None:
    acme, asked = scene.acme, scene.ask()
    scene.press(acme.ben, scene.both, PRIVATELY)
    acme.answer_all()
    scene.press(acme.ben, scene.direct(acme.ben), SHARE)
    acme.answer_all()
    scene.change(asked, how)
    scene.slack.join(acme.boss.id, scene.both)
    acme.ask(acme.boss, scene.both, at(THEN), scene.root.ts)
    assert scene.understood("boss") == "" and scene.nothing_left()


@pytest.mark.parametrize("how", ["delete", "edit"])
@pytest.mark.parametrize("way", ["privately", "about"])
def test_a_direct_message_goes_on_from_no_copy_of_its_own(scene: Scene, way: str, how: str) -> None:
    acme = scene.acme
    if way == "privately":
        asked = scene.ask()
        scene.press(acme.ana, scene.both, PRIVATELY)
    else:
        asked = scene.slack.say(acme.ben.id, scene.both, ZOE)
        scene.choose(acme.ana, asked)
    acme.answer_all()
    scene.change(asked, how)
    acme.ask(acme.ana, scene.direct(acme.ana), THEN)
    assert scene.understood("ana") == "" and scene.nothing_left()


def test_what_was_chosen_after_an_edit_has_the_words_of_now(scene: Scene) -> None:
    acme, said = scene.acme, scene.slack.say(scene.acme.ben.id, scene.both, LEAVE)
    scene.slack.edit(said, ZOE)
    time.sleep(1.1)                     # a moment of an edit may be a whole second
    scene.choose(acme.ana, said)
    acme.ask(acme.ana, scene.direct(acme.ana), THEN)
    assert scene.understood("ana") == f"{ZOE} {THEN}"


def test_an_edited_question_is_given_back_to_nobody(scene: Scene) -> None:
    acme, asked = scene.acme, scene.ask()
    scene.press(acme.ana, scene.both, PRIVATELY)
    acme.answer_all()
    scene.change(asked, "edit")
    scene.slack.join(acme.boss.id, scene.both)
    scene.press(acme.boss, scene.both, PRIVATELY)
    scene.press(acme.ana, scene.direct(acme.ana), SHARE)
    acme.answer_all()
    assert acme.answers(acme.boss, scene.direct(acme.boss)) == [] and scene.nothing_left()
    assert GONE in acme.shown(acme.boss, scene.both) and "no longer there" in scene.shown(acme.ana)


@pytest.mark.parametrize("how", ["delete", "edit"])
@pytest.mark.parametrize("way", ["privately", "share", "about"])
def test_a_copy_that_waits_is_not_answered(scene: Scene, way: str, how: str) -> None:
    """Whoever pressed is told why."""
    acme = scene.acme
    asked = scene.slack.say(acme.ben.id, scene.both, ZOE) if way == "about" else scene.ask()
    if way == "about":
        scene.choose(acme.ana, asked)
    else:
        scene.press(acme.ana, scene.both, PRIVATELY)
    if way == "share":
        acme.answer_all()
        scene.press(acme.ana, scene.direct(acme.ana), SHARE)
    before = len(acme.answers(acme.ana, scene.both if way == "share" else scene.direct(acme.ana)))
    scene.change(asked, how)
    acme.answer_all()
    there = acme.answers(acme.ana, scene.both if way == "share" else scene.direct(acme.ana))[before:]
    assert len(there) == 1 and GONE in there[0].shown() and "Zoe" not in there[0].shown() and scene.nothing_left()


def test_an_answer_that_has_to_be_made_anew_asks_the_web_for_no_deleted_words(scene: Scene) -> None:
    acme, asked = scene.acme, scene.slack.say(scene.acme.ben.id, scene.both, at(ZOE), scene.root.ts)
    step, acme.sender.step = acme.sender.step, lambda: False  # type: ignore[method-assign]
    acme.answer_all(1)
    scene.change(asked, "delete")
    scene.slack.join(acme.boss.id, scene.both)
    acme.world.index.labels["leave"] = acme.world.index.labels["plan"]      # what it was made from is read no more
    acme.sender.step = step  # type: ignore[method-assign]
    acme.answer_all()
    assert scene.nothing_left() and GONE in acme.shown(acme.ben, scene.both)


def test_owners_and_the_home_tab_get_no_words_that_are_gone(scene: Scene) -> None:
    acme, asked = scene.acme, scene.ask()
    scene.press(acme.ana, scene.both, PRIVATELY)
    acme.answer_all()
    scene.change(asked, "delete")
    scene.press(acme.ana, scene.direct(acme.ana), NEED_ALONE)
    assert GONE in scene.shown(acme.ana) and scene.space.views == []
    said = scene.slack.say(acme.ben.id, scene.both, ZOE)
    scene.choose(acme.ana, said)
    acme.answer_all()
    scene.slack.delete(said)
    scene.slack.opened(acme.ana.id, "home")
    assert soon(lambda: scene.space.views) and "Zoe" not in str(scene.space.views)


def test_slack_is_asked_whether_words_are_still_there_that_nobody_told_of(scene: Scene) -> None:
    """The bot was away when they were deleted."""
    acme, asked = scene.acme, scene.ask()
    acme.slack.workspace.channels["C1"].members.remove("U0VOUCH")           # it is told of nothing
    scene.change(asked, "delete")
    acme.slack.workspace.channels["C1"].members.append("U0VOUCH")
    acme.ask(acme.ana, scene.both, at(THEN), scene.root.ts)
    assert scene.understood("ana") == "" and scene.nothing_left()


@pytest.mark.parametrize("gate", ["channel", "human"])
def test_a_question_that_would_be_none_by_now_is_taken_back_all_the_same(scene: Scene, gate: str) -> None:
    acme = scene.acme
    if gate == "channel":
        acme.ledger.slack_channels.set("C1", ChannelSettings(answers="questions"), "test")
        asked = scene.slack.say(acme.ben.id, scene.both, LEAVE)
        acme.ledger.slack_channels.unset("C1")
    else:
        first = acme.ask(acme.ben, scene.both, at(LEAVE))
        asked = scene.slack.say(acme.ben.id, scene.both, LEAVE, first.ts)
        [answer] = acme.ledger.asked_by.recent("user:ben@acme.test", "slack", acme.now().replace(year=2020), 1)
        acme.ledger.handoffs.open(str(answer.body["id"]), "T0ACME/C1", f"T0ACME/C1/{first.ts}", "user:ben@acme.test",
                                  acme.now(), 5)
    before = len(acme.answers(acme.ana, scene.both))
    scene.slack.delete(asked)
    acme.answer_all()
    assert "12 weeks" not in "".join(one.shown() for one in acme.answers(acme.ana, scene.both)[before:])


def test_an_edit_of_what_waits_keeps_it_a_question_where_a_human_is_asked_for_meanwhile(scene: Scene) -> None:
    acme = scene.acme
    first = acme.ask(acme.ben, scene.both, at(LEAVE))
    [answer] = acme.ledger.asked_by.recent("user:ben@acme.test", "slack", acme.now().replace(year=2020), 1)
    asked = scene.slack.say(acme.ben.id, scene.both, "How much leave do new parents gett?", first.ts)
    acme.ledger.handoffs.open(str(answer.body["id"]), "T0ACME/C1", f"T0ACME/C1/{first.ts}", "user:ben@acme.test",
                              acme.now(), 5)
    scene.slack.edit(asked, LEAVE)
    acme.answer_all()
    told = [one.shown() for one in acme.answers(acme.ben, scene.both)]
    answers = [words for words in told if "would like a human" not in words]    # which may be posted by now, or not yet
    assert len(answers) == 2 and all("12 weeks" in words for words in answers)
