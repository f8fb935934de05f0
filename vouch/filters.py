"""What a question is to be answered from: filters narrow what its readers may read, and never widen it."""

import operator
import re
from collections.abc import Collection, Mapping
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
)
from pydantic.json_schema import SkipJsonSchema

from vouch.access import PUBLIC, parse_tag
from vouch.errors import BadAccess
from vouch.globs import compiled, glued, nfc, unfinished

MOST = 100                              # of one kind
LONGEST = 500                           # characters of one
MOST_WILD, MOST_WILD_OF_ALL = 8, 32     # signs of a pattern, and of all, that stand for others; strangers write these
_WILD = frozenset("*?")


def _shown(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise ValueError("no words, or characters that cannot be seen")
    return nfc(text.strip())


def _bounded(pattern: str) -> str:
    """Whoever may ask writes these: what is costly to look for is refused."""
    if _wild(pattern) > MOST_WILD or glued(pattern):
        raise ValueError(f"a pattern has at most {MOST_WILD} of * and ?, and ** only where a name begins")
    if bracket := unfinished(pattern):
        raise ValueError(f"the pattern is unfinished: {bracket} is never closed; write ? for such a sign in a name")
    return pattern


def _wild(pattern: str) -> int:
    return sum(sign in _WILD for sign in pattern.replace("**", "*"))


def _owner(text: str) -> str:
    try:
        tag = parse_tag(text)
    except BadAccess as error:
        raise ValueError(error.cause) from error
    if tag == PUBLIC:
        raise ValueError("public owns nothing: an owner is user:NAME or group:NAME")
    return tag


# What the validators ask for, for whoever reads a schema; nothing is matched against it here.
_PRINTABLE = {"minLength": 1, "format": "printable", "description": "Signs that can be seen, and spaces between them."}
_PATTERN = {"minLength": 1, "format": "path-pattern", "description": (
    f"A path in signs that can be seen, with at most {MOST_WILD} of *, ? and **, and ** only where a name begins; "
    f"{MOST_WILD_OF_ALL} in all the patterns together. "
    "A bracket that is opened is closed."
)}  # fmt: skip
_OWNER = {"minLength": 1, "format": "owner", "description": "user:NAME or group:NAME"}
Named = Annotated[str, StringConstraints(max_length=LONGEST), AfterValidator(_shown),
                  Field(json_schema_extra=_PRINTABLE)]
Pattern = Annotated[Named, AfterValidator(_bounded), Field(json_schema_extra=_PATTERN)]
Owner = Annotated[Named, AfterValidator(_owner), Field(json_schema_extra=_OWNER)]


class Filters(BaseModel):
    """Documents count that meet all that is given, and of `sources`, of `paths` and of `owners` one each.

    `sources` None leaves all; an empty tuple leaves none. A path is one of a document, of a folder, or a pattern as of
    access rules. `after` leaves what changed on that day (UTC) or later; a document without a date is left out.
    `owners` are access tags, each as documents or access files name it: a group stands for itself, not for its people.
    `owner_names` are what readers are told in their place: not all may know the tag of whoever was named.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    sources: Annotated[tuple[Named, ...] | None, Field(max_length=MOST)] = None
    paths: Annotated[tuple[Pattern, ...], Field(max_length=MOST)] = ()
    after: date | None = None
    owners: Annotated[tuple[Owner, ...], Field(max_length=MOST, exclude_if=operator.not_)] = ()
    owner_names: Annotated[tuple[Named, ...], Field(max_length=MOST, exclude_if=operator.not_)] = ()

    def __bool__(self) -> bool:
        """Whether they leave anything out."""
        return self.sources is not None or bool(self.paths) or self.after is not None or bool(self.owners)

    def places(self, source: str, path: str) -> bool:
        """Whether a document there counts, whatever its date."""
        if self.sources is not None and nfc(source) not in self.sources:
            return False
        return not self.paths or _matches(self.paths, nfc(path))

    def dates(self, changed_at: datetime | None) -> bool:
        """Whether a document that changed then counts, wherever it is."""
        if self.after is None:
            return True
        return changed_at is not None and changed_at.astimezone(UTC).date() >= self.after

    def owned(self, owners: Collection[str]) -> bool:
        """Whether a document that these look after counts, wherever it is."""
        return not self.owners or not set(self.owners).isdisjoint(owners)

    def within(self, sources: tuple[str, ...] | None) -> "Filters":
        """These, and of the sources no other than `sources` (None: any)."""
        if sources is None:
            return self
        wider = sources if self.sources is None else self.sources
        return self.model_copy(update={"sources": tuple(one for one in wider if one in sources)})

    def told(self) -> str:
        """In words; empty where nothing is left out."""
        found = [] if self.sources is None else [f"source {', '.join(self.sources) or 'none'}"]
        found += [f"path {', '.join(self.paths)}"] if self.paths else []
        found += [f"changed {self.after.isoformat()} or later"] if self.after else []
        found += [f"owner {', '.join(self.owner_names or self.owners)}"] if self.owners else []
        return "; ".join(found)


EVERYTHING = Filters()


class SentFilters(Filters):
    """Documents count that meet all that is given, and of `sources`, of `paths` and of `owners` one each.

    `sources` null leaves all; an empty list leaves none. A path is one of a document, of a folder, or a pattern as of
    access rules. `after` leaves what changed on that day (UTC) or later; a document without a date is left out.
    `owners` are access tags, each as documents or access files name it: a group stands for itself, not for its people.
    """

    owner_names: SkipJsonSchema[tuple[()]] = ()


def bounded(filters: Filters) -> Filters:
    """The same. Raises ValueError for patterns that cost too much together: strangers write them, too."""
    if sum(_wild(pattern) for pattern in set(filters.paths)) > MOST_WILD_OF_ALL:
        raise ValueError(f"the patterns hold over {MOST_WILD_OF_ALL} of * and ? together; name folders instead")
    return filters


def _as_sent(given: Any) -> Any:
    if isinstance(given, Mapping) and "owner_names" in given:
        raise ValueError("owner_names is no filter: readers are told the owners themselves")
    return given


Sent = Annotated[Filters, BeforeValidator(_as_sent, json_schema_input_type=SentFilters), AfterValidator(bounded)]
"""As programs and assistants send them: what readers are told in place of owners is not theirs to say."""


def _matches(paths: tuple[str, ...], path: str) -> bool:
    documents, folders, patterns = _sorted(paths)
    return path in documents or any(sign == "/" and path[:at] in folders for at, sign in enumerate(path)) \
        or any(pattern.match(path) for pattern in patterns)


@lru_cache(maxsize=64)
def _sorted(paths: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str], tuple[re.Pattern[str], ...]]:
    """Documents, folders, and patterns: most paths are looked up, however many there are."""
    plain = [path for path in paths if _WILD.isdisjoint(path)]
    wild = dict.fromkeys(path for path in paths if not _WILD.isdisjoint(path))
    return frozenset(plain), frozenset(path.rstrip("/") for path in plain), tuple(map(compiled, wild))
