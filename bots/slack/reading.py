"""The words of a message of Slack, as people read them. Pure."""

import re
from collections.abc import Callable

_SOMEBODY = r"<@[^<>]{1,500}>"
_SEVERAL = rf"{_SOMEBODY}(?:(?:\s|,|and\b){{0,4}}{_SOMEBODY}){{0,9}}"
_COPIED = re.compile(rf"\bcc:?\s*(?:{_SEVERAL}|<!subteam[^<>]{{1,500}}>(?:(?:\s|,|and\b){{0,4}}{_SOMEBODY}){{0,9}})"
                     rf"|(?<=[.?!,;:])\s{{0,9}}{_SEVERAL}(?=[\s.?!]{{0,9}}\Z)", re.IGNORECASE)
_CALLED = re.compile(rf"{_SEVERAL}[,:]?", re.IGNORECASE)
_MENTION = re.compile(r"<@([^<>|]{1,100})(?:\|[^<>]{0,500})?>[,:]?")
_CONTROL = re.compile(r"<([^<>|]{0,500})(?:\|([^<>]{0,500}))?>")
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&amp;": "&"}
_ENTITY = re.compile("|".join(_ENTITIES))
_CODE = r"(`[^`]{1,4000}`)"
_EMOJI = re.compile(r"(?<![\w:])(?::[a-z0-9_+'-]{1,100}:)+(?![\w:])")       # not a part of 10:30:00, nor of a::b::c
_IS_OF_THEM = (r"['\u2019]s\b|\s{1,9}(?:(?:is|was) (?:responsible|in charge|allowed)|owns|approves|approved|leads"
               r"|manages|wrote|said|reports|needs|wants|gets)\b")       # such a verb begins no question
_SAID_FIRST = re.compile(rf"\A(?:[\s,:]|(?:hi|hello|hey|dear|morning)\b|{_EMOJI.pattern}"
                         rf"|{_SEVERAL}(?!{_IS_OF_THEM})){{1,40}}",
                         re.IGNORECASE)
_MOST_NAMED = 5
_BESIDES = re.compile(rf"{_CODE}|{_EMOJI.pattern}|https?://\S{{0,2000}}[\w/]")


def _nobody(_: str) -> str:
    return ""


def words(text: str, bot: str = "", name: Callable[[str], str] = _nobody) -> str:
    """What is asked: without whom it is said to, emoji, and bare addresses, which no document would be found by.

    Somebody whom it is about has a `name`, by the account's id. Nothing but emoji is left as it is: it may be small
    talk.
    """
    spoken = _MENTION.sub(lambda found: " " if found[1] == bot else found[0], text)
    about = _SAID_FIRST.sub(lambda found: _CALLED.sub(" ", found[0]), _COPIED.sub(" ", spoken))
    plain = _plain(about, _few(name))
    asked = " ".join(_BESIDES.sub(lambda found: found[1] or " ", plain).split())
    return asked or " ".join(_EMOJI.findall(plain))


def _few(name: Callable[[str], str]) -> Callable[[str], str]:
    """Slack may be asked for each: nobody asks about more than some."""
    told: dict[str, str] = {}

    def named(account: str) -> str:
        if account not in told and len(told) < _MOST_NAMED:
            told[account] = name(account)
        return told.get(account, "")

    return named


def without_emoji(text: str) -> str:
    return _EMOJI.sub(" ", text)


def mentions(text: str, user: str) -> bool:
    return f"<@{user}>" in text or f"<@{user}|" in text


def _plain(text: str, name: Callable[[str], str]) -> str:
    """In one pass: what a name holds is read as nothing else."""
    def readable(found: re.Match[str]) -> str:
        target, label = found[1], found[2] or ""
        if target.startswith("@"):
            return name(target[1:]) or " "
        if target.startswith("#"):
            return f"#{label or target[1:]}"
        return label.removeprefix("@") if target.startswith("!") else label or target

    plain = _ENTITY.sub(lambda found: _ENTITIES[found[0]], _CONTROL.sub(readable, text))
    return plain.replace("\x00", "").encode(errors="ignore").decode()
