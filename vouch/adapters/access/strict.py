"""What makes access files strict: YAML and patterns that can be understood in one way only."""

import re
import unicodedata
from collections.abc import Hashable
from datetime import date, datetime
from pathlib import PurePosixPath
from typing import Any

import yaml
from yaml.reader import ReaderError

from vouch.access_check.rules import overridden
from vouch.adapters.filesystem.foreign_files import odd_name, shown_name
from vouch.documents.formats import SUFFIXES
from vouch.errors import BadAccess, BadInput
from vouch.globs import glued
from vouch.rules import Rule

_DEEPEST = 20                           # levels; nobody writes more, and each makes every sign inside dearer to read
MOST_VALUES = 20_000                    # each takes some 50 µs
_LONGEST_SHOWN = 60
_UNDERSTOOD = frozenset(f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "merge"))
_MADE = frozenset(f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "str", "seq", "map"))


class TooDear(BadInput):
    """Nested too deep, or of too many values, to be read in a time that it is worth; what it says is not known."""


class _Costly(yaml.MarkedYAMLError):
    pass


class _Loader(yaml.SafeLoader):
    """Plain values only; a repeated key and an alias are refused, the latter because they can grow without end.

    Numbers and dates stay the text they are: nothing here counts with them, and
    one number may take longer to make, or to write down again, than a whole file.
    """

    yaml_implicit_resolvers = {  # noqa: RUF012 - the name and form that PyYAML wants
        first: [(tag, pattern) for tag, pattern in pairs if tag in _UNDERSTOOD]
        for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    yaml_constructors = {  # noqa: RUF012
        tag: make for tag, make in yaml.SafeLoader.yaml_constructors.items() if tag is None or tag in _MADE
    }

    def __init__(self, text: str, most: int) -> None:
        super().__init__(text)
        self._left = most

    def fetch_flow_collection_start(self, kind: type[yaml.Token]) -> None:
        super().fetch_flow_collection_start(kind)
        self._refuse(self.flow_level > _DEEPEST, f"nested too deep, more than {_DEEPEST} levels")

    def add_indent(self, column: int) -> bool:
        added = bool(super().add_indent(column))
        self._refuse(len(self.indents) > _DEEPEST, f"nested too deep, more than {_DEEPEST} levels")
        return added

    def fetch_alias(self) -> None:
        mark = self.get_mark()
        raise yaml.MarkedYAMLError(
            problem="aliases (*name) are not allowed; what begins with * must be in quotation marks, as in \"**\"",
            problem_mark=mark,
        )

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        self._left -= 1
        self._refuse(self._left < 0, "too many values")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[Hashable] = set()
        for key_node, _ in node.value:
            if key_node.tag == "tag:yaml.org,2002:merge":
                raise yaml.MarkedYAMLError(problem="merge keys (<<) are not allowed", problem_mark=key_node.start_mark)
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, Hashable) and key in seen:
                problem = f"the key {repr(key)[:_LONGEST_SHOWN]} is there twice"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep=deep)

    def _refuse(self, dear: bool, problem: str) -> None:
        if dear:
            raise _Costly(problem=problem, problem_mark=self.get_mark())


def load_yaml(text: str, *, above: int = 0, most: int = MOST_VALUES) -> Any:
    """The one document in `text`, of at most so many plain values: texts, truth, null, and lists and mappings of them.

    Raises BadInput with the line of the mistake, TooDear if it would take long;
    `above` is how many lines the file has above `text`.
    """
    try:
        return _Loader(text, most).get_single_data()
    except _Costly as error:
        raise TooDear(_located(error, above), cure="write less, and flatter") from error
    except yaml.MarkedYAMLError as error:
        raise BadInput(_located(error, above)) from error
    except ReaderError as error:
        line = text.count("\n", 0, error.position) + 1 + above
        sign = error.character if isinstance(error.character, int) else ord(error.character)
        raise BadInput(f"line {line}: a character that YAML does not allow (U+{sign:04X})", cure="delete it") from error
    except yaml.YAMLError as error:
        raise BadInput(" ".join(str(error).split())) from error
    except (ValueError, TypeError, OverflowError, AttributeError) as error:     # such as "\\UFFFFFFFF"
        raise BadInput("a value that is not valid YAML") from error


def date_of(text: str) -> date:
    """The date or moment that `text` is for ISO 8601 or for YAML, which knows `2027-1-5`; ValueError if it is none."""
    try:
        return date.fromisoformat(text) if len(text) == 10 else datetime.fromisoformat(text)
    except ValueError:
        if yaml.SafeLoader.timestamp_regexp.match(text) is None:
            raise
    node = yaml.ScalarNode("tag:yaml.org,2002:timestamp", text)
    return yaml.SafeLoader("").construct_yaml_timestamp(node)


_PROBLEMS = (
    re.compile(r"mapping values are not allowed here"),
    re.compile(r"found character '\\t' that cannot start any token"),
    re.compile(r"found character (.+) that cannot start any token"),
    re.compile(r"expected <block end>, but found .*"),
    re.compile(r"found unexpected end of stream"),
    re.compile(r"expected (?:the node content|',' or '[\]}]'), but (?:found|got) '<.*>'"),
    re.compile(r"expected '<document start>', but found .*"),
    re.compile(r"could not determine a constructor for the tag (.+)"),
    re.compile(r"could not find expected ':'"),
)
"""What PyYAML says of mistakes that people make."""
_WORDS = (
    "a second `: ` in one line; put text with a colon in quotation marks",
    "a tab; indent with spaces",
    r"what begins with \1 must be in quotation marks",
    "is not finished, or does not line up with the lines above",
    "quotation marks are opened and not closed",
    "a bracket is opened and not closed",
    "something stands behind the value",
    r"tags such as \1 are not allowed",
    "a `: ` is missing, or a line is not indented as it should be",
)
"""The same, in this order, in words for them."""


def _in_words(problem: str) -> str:
    for pattern in _PROBLEMS:
        if match := pattern.fullmatch(problem):
            return match.expand(_WORDS[_PROBLEMS.index(pattern)])
    return problem


def _located(error: yaml.MarkedYAMLError, above: int) -> str:
    """The mistake and its line, and where what it is in began, if that was on another line."""
    mark, began = error.problem_mark or error.context_mark, error.context_mark
    if mark is None:
        return _in_words(str(error.problem))
    told = f"line {mark.line + 1 + above}: {_in_words(str(error.problem))}"
    if began is None or began.line == mark.line:
        return told
    return f"{told} (in the part that begins in line {began.line + 1 + above})"


_FOREIGN = re.compile(r"[\[\]{}|]")


def checked_pattern(match: Any, place: str) -> str:
    """The pattern, in Unicode NFC. One that cannot match anything would leave open what it is meant to close."""
    if not isinstance(match, str) or not match or match != match.strip():
        raise BadAccess(f"{place}: match {match!r} is not a pattern", cure='write one such as "people/**"')
    if reason := odd_name(match):
        raise BadAccess(f"{place}: match {shown_name(match)!r} can match no path: {reason}", cure="write it again")
    _refuse_shape(match, place)
    _refuse_signs(match, place)
    _refuse_unread(match, place)
    return unicodedata.normalize("NFC", match)


def _refuse_shape(match: str, place: str) -> None:
    plain = "/".join(part for part in match.replace("\\", "/").split("/") if part not in ("", ".", ".."))
    if match.endswith("/") and plain:
        folder = plain if plain.endswith("**") else f"{plain}/**"
        raise BadAccess(f"{place}: match {match!r} names a folder, not documents", cure=f'write "{folder}"')
    if plain != match:
        raise BadAccess(f"{place}: match {match!r} can match no path",
                        cure=f'write "{plain}"' if plain else "write paths as in people/ana.md")


def _refuse_signs(match: str, place: str) -> None:
    if match.startswith("!"):
        raise BadAccess(f"{place}: match {match!r}: a leading ! does not negate anything",
                        cure="write a rule for what is meant; the last rule that matches wins")
    if sign := _FOREIGN.search(match):
        raise BadAccess(f"{place}: match {match!r}: {sign[0]} has no meaning in a pattern",
                        cure="write a rule for each, and ? for such a sign in a name")
    if glued(match):
        apart = re.sub(r"(?<=[^/*])\*{2,}/", "*/**/", match)
        cure = "" if glued(apart) else f'write "{apart}"'
        raise BadAccess(f"{place}: match {match!r}: **/ inside a name also matches nothing at all",
                        cure=cure or "put ** alone between slashes")


def _refuse_unread(match: str, place: str) -> None:
    """A last part that is spelled out and has no suffix of a document: mostly a folder whose `/**` is missing."""
    last = match.rpartition("/")[2]
    if "*" not in last and "?" not in last and PurePosixPath(last).suffix.lower() not in SUFFIXES:
        raise BadAccess(f"{place}: match {match!r} can match no document, as vouch reads no files with such names",
                        cure=f'if it is a folder, write "{match}/**"')


def refuse_overridden(rules: tuple[Rule, ...]) -> None:
    """Raises BadAccess for a rule whose documents a later one opens to others: it would not close anything."""
    found = next((found for found in overridden(rules) if found.opens), None)
    if found is not None:
        raise BadAccess(found.told(rules), cure="the last rule that matches wins: put the more general rule first")
