"""What people write into a question: `source:`, `in:`, `path:`, `from:`, `owner:`, `after:`, a channel, `steps:`.

Read before Slack's own marks are taken out, as channels, people and groups are known by their ids there.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date

from bots.slack.escaping import unescaped
from vouch.errors import BadInput
from vouch.filters import EVERYTHING, Filters, bounded
from vouch.messages import MOST_STEPS

Sources = Callable[[str], tuple[str, ...] | None]
"""Of a channel's id the sources that were set for it; None where nothing was set, or nobody here may know."""
Named = tuple[str, str]
"""An access tag, and what people are told in its place: it may hold an address that they do not know."""
Owner = Callable[[str], Named | None]
"""Of the id of an account or of a user group what it stands for; None where that is not sure."""
_OPERATOR = re.compile(r'(?<!\S)(source|in|path|from|owner|after):("[^"]{1,500}"|[^\s"]{1,500})', re.IGNORECASE)
_CHANNEL = re.compile(r"<#([CG][A-Z0-9]{1,40})(?:\|[^<>]{0,500})?>")
_SOMEBODY = re.compile(r"<(?:@([UW][A-Z0-9]{1,40})|!subteam\^(S[A-Z0-9]{1,40}))(?:\|[^<>]{0,500})?>")
_MAIL = re.compile(r"<mailto:([^<>|]{1,300})(?:\|[^<>]{0,500})?>|([^\s/@<>]{1,200}@[^\s@<>]{1,200})")
_TAG = re.compile(r"(?:user|group):\S{1,300}")
_ENDS = ".,;:!?"
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))
EXAMPLE = "write them as in: source:handbook path:hr/ after:2026-01-31"


@dataclass
class _Found:
    sources: tuple[str, ...] | None = None
    paths: list[str] = field(default_factory=list)
    owners: list[Named] = field(default_factory=list)
    after: date | None = None

    def narrow(self, sources: tuple[str, ...]) -> None:
        """Of several sources any; they come from operators of any name."""
        self.sources = tuple(dict.fromkeys((*(self.sources or ()), *sources)))


def read_operators(text: str, sources_of: Sources, owner_of: Owner) -> tuple[str, Filters]:
    """The question without its operators, and what they say. Raises BadInput for one that says nothing known.

    A filter that cannot be obeyed is never left out: more would be searched than was asked for.
    """
    filters = _Found()

    def operator(match: re.Match[str]) -> str:
        name, value = match[1].lower(), match[2].strip('"')
        owner = _owner(name, value.rstrip(_ENDS), owner_of)
        if owner is not None:
            filters.owners.append(owner)
        else:
            _take(filters, name, value, sources_of)
        return ""

    def channel(match: re.Match[str]) -> str:
        sources = sources_of(match[1])
        if sources is not None:
            filters.narrow(sources)
        return match[0]                 # its name may be a word of the question as well

    rest = _CHANNEL.sub(channel, _OPERATOR.sub(operator, unescaped(text)))
    if filters == _Found():
        return text, EVERYTHING
    try:
        return rest, bounded(Filters(
            sources=filters.sources, paths=tuple(filters.paths), after=filters.after,
            owners=tuple(tag for tag, _ in filters.owners), owner_names=tuple(name for _, name in filters.owners)))
    except ValueError as error:
        raise BadInput("one of the filters is too long, or there are too many", cure=EXAMPLE) from error


def _owner(name: str, value: str, owner_of: Owner) -> Named | None:
    """The person or group; None where the operator names none."""
    if name not in ("from", "owner"):
        return None
    somebody, mail = _SOMEBODY.fullmatch(value), _MAIL.fullmatch(value)
    if somebody is not None:
        owner = owner_of(somebody[1] or somebody[2])
    elif mail is not None:
        owner = _as_written(f"user:{_plain(mail[1] or mail[2])}")
    elif _TAG.fullmatch(value):
        owner = _as_written(_plain(value))
    elif name == "from" and not value.startswith(("@", "<@", "<!", "<mailto:")):
        return None
    else:
        owner = None
    if owner is None:
        raise BadInput("it is not known whose documents are meant", cure="write user:NAME or group:NAME, as vouch knows"
                       " them: owner:user:ana@acme.test")
    return owner


def _as_written(tag: str) -> Named:
    """Who reads the question has read it."""
    return tag, tag


def _take(found: _Found, name: str, value: str, sources_of: Sources) -> None:
    channel = _CHANNEL.fullmatch(value.rstrip(_ENDS))
    if channel is not None:
        sources = sources_of(channel[1]) if name == "in" else None
        if sources is None:
            raise BadInput("no sources are set for that channel", cure="name a source instead: source:handbook")
        found.narrow(sources)
        return
    value = _plain(value)
    if name == "after":
        found.after = _day(value)
    elif name == "path" or (name == "in" and not {"/", "*"}.isdisjoint(value)):
        found.paths.append(value.removeprefix("/"))
    else:
        found.narrow((value,))


def _plain(value: str) -> str:
    for entity, sign in _ENTITIES:
        value = value.replace(entity, sign)
    return value.rstrip(_ENDS) or value


def _day(value: str) -> date:
    try:
        return date.fromisoformat(value)
    except ValueError as error:
        raise BadInput("after: needs a day", cure="write it as in: after:2026-01-31") from error


# With a blank only where it begins or ends the message: people write "which steps: 2 or 3?", too.
_STEPS_WORD = re.compile(
    r"(?<!\S)\(?steps:\"?([^\s\")]{1,500})\"?\)?|\A\s{0,100}steps: (\d{1,9})(?!\S)|(?<!\S)steps: (\d{1,9})\s{0,100}\Z",
    re.IGNORECASE,
)
_STEPS_ENDS = ".,;:!?"


def read_steps(text: str) -> tuple[str, int | None]:
    """The question without the word, and the number; None where it does not say. Raises BadInput for no number."""
    said = [(found[1] or found[2] or found[3]).rstrip(_STEPS_ENDS) for found in _STEPS_WORD.finditer(text)]
    if not said:
        return text, None
    if not all(one.isascii() and one.isdecimal() and int(one[:9]) <= MOST_STEPS for one in said):
        raise BadInput(f"steps: needs a number from 0 to {MOST_STEPS}", cure="write it as in: steps:4")
    return _STEPS_WORD.sub("", text), int(said[-1])
