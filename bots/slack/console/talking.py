"""What a person does with messages: replies, buttons, windows, thumbs, and commands of the app."""

import re

from bots.slack.bot import SHORTCUT
from bots.slack.console.session import Desk
from bots.slack.console.view import buttons, filled, name_of
from bots.slack.simulator import Message
from bots.slack.simulator.workspace import BOT_USER
from bots.wrapping import Line
from vouch.errors import BadInput

_DIGITS = 9
_REACTION = re.compile(r"[a-z0-9_+\-]{1,60}")
_NUMBERED = re.compile(r"(\d+)\s+(.*)", re.DOTALL)


def command(desk: Desk, line: str) -> list[Line]:
    name, _, text = line.partition(" ")
    if not desk.slack.deliveries.knows(name):
        raise BadInput(f"the app has no command {name[:40]}", cure="type :help")
    desk.inside()
    desk.slack.deliveries.command(desk.person.id, desk.channel, name, text.strip())
    return desk.news()


def reply(desk: Desk, rest: str) -> list[Line]:
    message, text = _named(desk, rest)
    if not text:
        raise BadInput(":reply needs words", cure=":reply [NUMBER] TEXT")
    if message.channel != desk.channel.id:
        where = name_of(desk.space.channels[message.channel])
        raise BadInput(f"that message is in {where}, and {desk.person.name} types in {name_of(desk.channel)}",
                       cure="type :in CHANNEL first")
    desk.say(text, message.thread_ts or message.ts)
    return desk.news()


def press(desk: Desk, rest: str) -> list[Line]:
    found = _NUMBERED.fullmatch(rest)
    label = (found[2] if found else rest).lower()
    if not label:
        raise BadInput("which button?", cure=":press [NUMBER] LABEL; type :look to see them")
    among = [desk.numbered(int(found[1]))] if found else desk.newest_first()
    for message in among:
        for written, action in buttons(message):
            if written.lower().startswith(label):
                desk.slack.deliveries.press(desk.person.id, message, action)
                return desk.news()
    for title, words in desk.prompts().items():
        if not found and title.lower().startswith(label):
            desk.say(words)
            return desk.news()
    raise BadInput(f"no button here begins with {label[:40]!r}", cure="type :look to see them")


def send(desk: Desk, rest: str) -> list[Line]:
    view = desk.windows.open(desk.person)
    told = [(choice.strip(), words.strip()) for choice, _, words in (part.partition(":") for part in rest.split("|"))]
    try:
        values = filled(view, told)
    except KeyError as error:
        raise BadInput(f"the window has no choice {str(error.args[0])[:40]!r}", cure="give its first words") from None
    _, reply = desk.slack.deliveries.submitted(desk.person.id, view, values)
    if isinstance(reply, dict) and reply.get("response_action") == "errors":
        name, wrong = next(iter(reply["errors"].items()))
        raise BadInput(f"the window takes no such {name}: {wrong}", cure="send it once more, otherwise")
    desk.windows.sent(desk.person, view)
    return desk.news()


def thumb(desk: Desk, rest: str) -> list[Line]:
    way, _, number = rest.partition(" ")
    if way not in ("up", "down"):
        raise BadInput("a thumb points up or down", cure=":thumb up [NUMBER]")
    message = desk.numbered(chosen) if (chosen := _number(number)) is not None else _last_answer(desk)
    return _reacted(desk, message, "+1" if way == "up" else "-1")


def _last_answer(desk: Desk) -> Message:
    for message in desk.newest_first():
        if (message.channel, message.user) == (desk.channel.id, BOT_USER) and message.only_for is None:
            return message
    raise BadInput("vouch has answered nothing here", cure=":thumb up NUMBER")


def edit(desk: Desk, rest: str) -> list[Line]:
    found = _NUMBERED.fullmatch(rest)
    message, text = desk.own(int(found[1]) if found else None), found[2] if found else rest
    if not text:
        raise BadInput(":edit needs words; to take it back, :delete", cure=":edit [NUMBER] TEXT")
    desk.slack.deliveries.edit(message, desk.typed(text))
    return desk.changed(message)


def delete(desk: Desk, rest: str) -> list[Line]:
    desk.slack.deliveries.delete(desk.own(_number(rest)))
    return [Line("the message is deleted"), *desk.news()]


def react(desk: Desk, rest: str) -> list[Line]:
    """The same reaction once more takes it back."""
    name, _, number = rest.partition(" ")
    name = name.strip(":")
    if not _REACTION.fullmatch(name):
        raise BadInput(f"there is no reaction {name[:40]}".rstrip(), cure=":react +1 [NUMBER], or such as tada")
    chosen = _number(number)
    return _reacted(desk, desk.last() if chosen is None else desk.numbered(chosen), name)


def _reacted(desk: Desk, message: Message, name: str) -> list[Line]:
    if message.only_for is not None:
        raise BadInput("nobody reacts to what one person alone sees", cure="give the number of another message")
    there = desk.person.id in message.reactions.get(name, ())
    desk.slack.deliveries.react(desk.person.id, message, name, removed=there)
    return desk.changed(message)


def about(desk: Desk, rest: str) -> list[Line]:
    chosen = _number(rest)
    message = desk.last() if chosen is None else desk.numbered(chosen)
    if message.only_for is not None:
        raise BadInput("this message has no menu of the app", cure="give the number of another message")
    desk.slack.deliveries.shortcut(desk.person.id, message, SHORTCUT)
    return desk.news()


def _number(rest: str) -> int | None:
    """Raises BadInput."""
    if not rest:
        return None
    if not (rest.isascii() and rest.isdigit() and len(rest) <= _DIGITS):
        raise BadInput(f"{rest[:40]!r} is no number of a message", cure="type :look to see the numbers")
    return int(rest)


def _named(desk: Desk, rest: str) -> tuple[Message, str]:
    found = _NUMBERED.fullmatch(rest)
    if found:
        return desk.numbered(int(found[1])), found[2]
    return desk.last(), rest
