"""The words of a message of Slack, as people read them. Pure."""

import re

_SOMEBODY = r"<@[^<>]{1,500}>"
_COPIED = re.compile(rf"\bcc:?\s*(?:{_SOMEBODY}|<!subteam[^<>]{{1,500}}>)(?:(?:\s|,|and\b){{0,4}}{_SOMEBODY})*"
                     rf"|{_SOMEBODY}[,:]?", re.IGNORECASE)
_CONTROL = re.compile(r"<([^<>|]{0,500})(?:\|([^<>]{0,500}))?>")
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&amp;": "&"}
_ENTITY = re.compile("|".join(_ENTITIES))
_CODE = r"(`[^`]{1,4000}`)"
_EMOJI = re.compile(r"(?<![\w:])(?::[a-z0-9_+'-]{1,100}:)+(?![\w:])")       # not a part of 10:30:00, nor of a::b::c
_BESIDES = re.compile(rf"{_CODE}|{_EMOJI.pattern}|https?://\S{{0,2000}}[\w/]")


def words(text: str) -> str:
    """What is asked: without the people whom it names, emoji, and bare addresses, which no document would be found by.

    Nothing but emoji is left as it is: it may be small talk.
    """
    plain = _plain(_COPIED.sub(" ", text))
    asked = " ".join(_BESIDES.sub(lambda found: found[1] or " ", plain).split())
    return asked or " ".join(_EMOJI.findall(plain))


def without_emoji(text: str) -> str:
    return _EMOJI.sub(" ", text)


def mentions(text: str, user: str) -> bool:
    return f"<@{user}>" in text or f"<@{user}|" in text


def _plain(text: str) -> str:
    def readable(found: re.Match[str]) -> str:
        target, label = found[1], found[2] or ""
        if target.startswith("#"):
            return f"#{label or target[1:]}"
        return label.removeprefix("@") if target.startswith("!") else label or target

    plain = _ENTITY.sub(lambda found: _ENTITIES[found[0]], _CONTROL.sub(readable, text))
    return plain.replace("\x00", "").encode(errors="ignore").decode()
