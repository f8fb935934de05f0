"""A CODEOWNERS file of GitHub as entries for `owners:` in an access file."""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from vouch.access import parse_tag
from vouch.adapters.access.strict import checked_pattern
from vouch.documents.formats import SUFFIXES
from vouch.errors import BadInput
from vouch.rules import OwnerRule

_SECTION = re.compile(r"\^?\[[^\[\]]*\](?:\[[0-9]{1,4}\])?")      # of GitLab, without owners


@dataclass(frozen=True, slots=True)
class CodeOwners:
    """In the order of the file: in both kinds of file the last entry that matches wins."""

    rules: tuple[OwnerRule, ...]
    notes: tuple[str, ...]              # lines that cannot be written as an entry, and why


def read_codeowners(text: str) -> CodeOwners:
    """Never raises: what cannot be understood is noted with the number of its line."""
    rules, notes = list[OwnerRule](), list[str]()
    for number, line in enumerate(text.splitlines(), 1):
        entry = line.partition(" #")[0].strip()
        words = entry.split()
        if not words or entry.startswith("#") or _SECTION.fullmatch(entry):
            continue
        try:
            rules.append(_rule(words[0], words[1:]))
        except BadInput as error:
            notes.append(f"line {number}: {error.cause}")
    return CodeOwners(tuple(rules), tuple(notes))


def _rule(pattern: str, owners: list[str]) -> OwnerRule:
    return OwnerRule(checked_pattern(_pattern(pattern), "the pattern"), frozenset(map(_tag, owners)))


def _pattern(pattern: str) -> str:
    """GitHub's patterns are those of .gitignore: a name alone is meant in any folder, and a folder with all in it."""
    if pattern.startswith(("[", "^[")):
        raise BadInput(f"{pattern[:60]!r} begins a section with owners of its own, or a pattern with brackets, "
                       "which an access file does not know")
    if pattern.startswith("!") or "\\" in pattern:
        sign = "!" if pattern.startswith("!") else "\\"
        raise BadInput(f"{pattern[:60]!r} has the sign {sign}, which means nothing in the patterns of an access file")
    plain = pattern.strip("/")
    if plain in ("*", "**"):
        return "**"
    anywhere = "" if pattern.startswith("/") or "/" in plain else "**/"
    last = PurePosixPath(plain).name
    is_file = "*" in last or "?" in last or PurePosixPath(last).suffix.lower() in SUFFIXES
    folder = pattern.endswith("/") or not is_file
    return f"{anywhere}{plain}/**" if folder and not plain.endswith("**") else f"{anywhere}{plain}"


def _tag(owner: str) -> str:
    if not owner.startswith("@"):
        return parse_tag(f"user:{owner}")
    organisation, _, team = owner.removeprefix("@").partition("/")
    return parse_tag(f"group:{team}" if team else f"user:{organisation}")
