"""The YAML between `---` lines at the top of a document: its title, who may read it besides, and who looks after it."""

import contextlib
import re
from dataclasses import dataclass
from typing import Any

from vouch.access import PUBLIC, parse_tag
from vouch.adapters.access.strict import TooDear, load_yaml
from vouch.adapters.parsers.narrowing.nearly_narrowed import (
    HEAD,
    folded,
    names_access,
    refuse_hidden_key,
    refuse_nearly_narrowed,
)
from vouch.errors import BadInput, Unreadable

_LARGEST = HEAD
_OPEN = re.compile(r"\s*^---[ \t]*\r?\n", re.MULTILINE)
_BARE_RETURNS = re.compile(r"\s*---[ \t]*\r(?!\n)")
_CLOSE = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_TITLE = re.compile(r"^title:[ \t]*(\S.*)$", re.MULTILINE)
_ADDRESS = re.compile(r"[^\s:@,]+@[^\s:@,]+")
_MOST_OWNERS = 20
_LONGEST_OWNER = 300
_CURE = "write `access: TAG` or `access: [TAG, …]`"


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """`end` is where the body begins; without front matter that is 0."""

    end: int = 0
    title: str = ""
    narrowed: frozenset[str] | None = None
    owners: frozenset[str] = frozenset()


def split_front_matter(text: str) -> FrontMatter:
    """What the top of `text` says of itself.

    Raises Unreadable when it may narrow access in a way that cannot be
    understood: the document is then read by nobody, rather than by too many.
    Mistakes that have nothing to do with access are passed over; what would
    take too long to read may have to do with it.
    """
    if _BARE_RETURNS.match(text):
        raise Unreadable("its lines end in carriage returns only", cure="save it with ordinary line endings")
    opening = _OPEN.match(text)
    if opening is None:
        refuse_nearly_narrowed(text)
        return FrontMatter()
    closing = _CLOSE.search(text, opening.end(), opening.end() + _LARGEST)
    block = text[opening.end() : closing.start() if closing else opening.end() + _LARGEST]
    if closing is None:
        if names_access(block):
            raise Unreadable("front matter names access but has no closing --- line", cure="close it")
        far = _CLOSE.search(text, opening.end() + _LARGEST)
        if far and names_access(text[opening.end() : far.start()]):
            raise Unreadable("front matter names access and is longer than 64 KB", cure="shorten it")
        return FrontMatter()
    try:
        fields = load_yaml(block, above=text.count("\n", 0, opening.end()))
    except TooDear as error:
        raise Unreadable(f"front matter, {error.cause}", cure=error.cure) from error
    except BadInput as error:
        if "access" in folded(block).lower():
            cure = "fix that line, or put its value in quotes: front matter that names access must be valid YAML"
            raise Unreadable(f"front matter, {error.cause}", cure=cure) from error
        title = _TITLE.search(block)
        return FrontMatter(closing.end(), title[1].strip().strip("\"'") if title else "")
    if not isinstance(fields, dict):
        if names_access(block):
            raise Unreadable("front matter is not a list of `key: value` lines", cure=_CURE)
        return FrontMatter(closing.end() if fields is None else 0)
    narrowed = _narrowed(fields)
    if narrowed is None:
        refuse_hidden_key(fields, block)
    title = fields.get("title")
    return FrontMatter(closing.end(), "" if title is None else " ".join(str(title).split()), narrowed, _owners(fields))


def _owners(fields: dict[Any, Any]) -> frozenset[str]:
    """Those of `owner` and `owners` that are tags or mail addresses: many pages name somebody in other ways."""
    found = set[str]()
    for value in (fields.get("owner"), fields.get("owners")):
        stated: list[Any] = value if isinstance(value, list) else [value]
        for one in stated[:_MOST_OWNERS]:
            with contextlib.suppress(BadInput):
                found.add(parse_tag(f"user:{one}" if _ADDRESS.fullmatch(str(one)) else one))
    return frozenset(sorted(tag for tag in found if tag != PUBLIC and len(tag) <= _LONGEST_OWNER)[:_MOST_OWNERS])


def _narrowed(fields: dict[Any, Any]) -> frozenset[str] | None:
    keys = [key for key in fields if isinstance(key, str) and key.strip().casefold() == "access"]
    if not keys:
        return None
    if len(keys) > 1:
        raise Unreadable("front matter names access more than once", cure="keep one")
    value = fields[keys[0]]
    tags = value if isinstance(value, list) else [value]
    if not tags:
        raise Unreadable("front matter: access names nobody", cure=_CURE)
    try:
        return frozenset(parse_tag(tag) for tag in tags)
    except BadInput as error:
        raise Unreadable(f"front matter: {error.cause}", cure=_CURE) from error
