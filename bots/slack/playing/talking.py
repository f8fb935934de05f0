"""What a person does with messages: replies, buttons, windows, thumbs, and commands of the app."""

import re

from bots.slack.playing.buttons import buttons, filled
from bots.slack.playing.desk import Desk
from bots.slack.simulator import Message
from bots.wrapping import Line
from vouch.errors import BadInput

_NUMBERED = re.compile(r"(\d+)\s+(.*)", re.DOTALL)


def command(desk: Desk, line: str) -> list[Line]:
    name, _, text = line.partition(" ")
    if not desk.slack.deliveries.knows(name):
        raise BadInput(f"the app has no command {name[:40]}", cure="type :help")
    desk.slack.deliveries.command(desk.person.id, desk.channel, name, text.strip())
    return desk.news()


def reply(desk: Desk, rest: str) -> list[Line]:
    message, text = _named(desk, rest)
    if not text:
        raise BadInput(":reply needs words", cure=":reply [NUMBER] TEXT")
    desk.say(text, message.thread_ts or message.ts)
    return desk.news()


def press(desk: Desk, rest: str) -> list[Line]:
    found = _NUMBERED.fullmatch(rest)
    label = (found[2] if found else rest).lower()
    among = [desk.numbered(int(found[1]))] if found else desk.newest_first()
    for message in among:
        for written, action in buttons(message):
            if label and written.lower().startswith(label):
                desk.slack.deliveries.press(desk.person.id, message, action)
                return desk.news()
    raise BadInput(f"no button here begins with {label[:40]!r}", cure="type :look to see them")


def send(desk: Desk, rest: str) -> list[Line]:
    views = [view for view in desk.space.views if view["type"] == "modal"]
    if not views:
        raise BadInput("no window is open", cure="press a button that opens one")
    choice, _, words = rest.partition(":")
    try:
        values = filled(views[-1], choice.strip(), words.strip())
    except KeyError:
        raise BadInput(f"the window has no choice {choice.strip()[:40]!r}", cure="give its first words") from None
    desk.slack.deliveries.submit(desk.person.id, views[-1], values)
    return desk.news()


def thumb(desk: Desk, rest: str) -> list[Line]:
    way, _, number = rest.partition(" ")
    if way not in ("up", "down"):
        raise BadInput("a thumb points up or down", cure=":thumb up [NUMBER]")
    message, _ = _named(desk, f"{number} " if number.isdigit() else "")
    desk.slack.deliveries.react(desk.person.id, message, "+1" if way == "up" else "-1")
    return desk.news()


def _named(desk: Desk, rest: str) -> tuple[Message, str]:
    found = _NUMBERED.fullmatch(rest)
    if found:
        return desk.numbered(int(found[1])), found[2]
    return desk.last(), rest
