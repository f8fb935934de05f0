"""Patterns of an access file that cannot mean what somebody thinks: they are refused when the file is read."""

import re
import unicodedata
from pathlib import PurePosixPath
from typing import Any

from vouch.access_check.rules import overridden
from vouch.adapters.filesystem.path_names import odd_name, shown_name
from vouch.documents.formats import SUFFIXES
from vouch.errors import BadAccess
from vouch.globs import glued
from vouch.rules import Rule

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
    if found := _FOREIGN.search(match):
        raise BadAccess(f"{place}: match {match!r}: {found[0]} has no meaning in a pattern",
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
