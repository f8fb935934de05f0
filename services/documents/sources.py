"""Sources: what is told of them, and how they come, change and go, which counts at once for who may read."""

import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from services.documents.administration import Administration
from vouch.adapters.access.files import read_rules
from vouch.adapters.ledger import SourceRow
from vouch.adapters.sources.folder.source import ACCESS_FILE
from vouch.adapters.sources.kinds import kind_named, kind_of
from vouch.errors import NotFound, Usage
from vouch.globs import unfinished
from vouch.plurals import count
from vouch.rules import RuleBook

_NO_FILE = "check the path, or write the file as docs/access.md shows"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def add_source(
    admin: Administration, name: str, kind: str, path: Path, access: Path | None, branch: str | None = None,
    include: Sequence[str] = (), exclude: Sequence[str] = (),
) -> dict[str, Any]:  # fmt: skip
    """The new source's row. Raises Usage for a bad name or kind, NotFound for a path that is not there.

    Whatever a former source left under its name stays hidden: the new one is of another generation.
    """
    if not _NAME.fullmatch(name):
        raise Usage(f"{name!r} cannot be the name of a source", cure="use letters, digits, dots and dashes")
    _check_patterns(kind, include, exclude)
    location = _found(kind, path, branch)
    if access is not None and access.parent != path and not access.is_file():
        raise NotFound(f"access file {access} does not exist", cure=_NO_FILE)
    access_path = str(access) if access else None
    row = SourceRow(name, kind, location, access_path, tuple(include), tuple(exclude), _generation())
    admin.ledger.sources.add(row)
    return source_row(row)


def set_source(
    admin: Administration, name: str, path: Path | None, branch: str | None,
    include: Sequence[str] | None, exclude: Sequence[str] | None,
) -> tuple[dict[str, Any], bool]:  # fmt: skip
    """The source's row from now on, and whether its documents are hidden until the next ingest.

    They are when a folder's own access file comes with the new path: its
    rules are not for what was taken over from the old one.
    """
    old = admin.ledger.sources.get(name)
    new = replace(
        old,
        include=old.include if include is None else tuple(include),
        exclude=old.exclude if exclude is None else tuple(exclude),
    )
    _check_patterns(new.kind, new.include, new.exclude)
    if path is not None:
        new = replace(new, path=_found(new.kind, path, branch or _branch(old)))
        if kind_of(old).files and old.access_path == str(Path(old.path) / ACCESS_FILE) and new.path != old.path:
            new = replace(new, access_path=str(path / ACCESS_FILE), generation=_generation())
    elif branch is not None:
        new = replace(new, path=_found(new.kind, kind_of(old).place(old.path)[0], branch))
    admin.ledger.sources.replace(new)
    admin.watched.refresh()
    return source_row(new), new.generation != old.generation


def set_access(admin: Administration, name: str, access: Path) -> RuleBook:
    """The rules of `access`, in force for the source from now on. Raises NotFound for a missing source or file."""
    if not access.is_file():
        raise NotFound(f"access file {access} does not exist", cure=_NO_FILE)
    admin.ledger.sources.set_access(name, str(access))
    admin.watched.refresh()
    return read_rules(access)


def remove_source(admin: Administration, name: str) -> None:
    """The source and its rules are gone: its documents are hidden from everybody at once."""
    admin.ledger.sources.remove(name)
    admin.watched.refresh()


def _generation() -> str:
    return uuid.uuid4().hex[:12]


def _branch(row: SourceRow) -> str | None:
    return kind_of(row).place(row.path)[1]


def _check_patterns(kind: str, include: Sequence[str], exclude: Sequence[str]) -> None:
    """Raises Usage for patterns that could choose nothing."""
    if (include or exclude) and not kind_named(kind).patterns:
        raise Usage(f"a source of kind {kind} takes no patterns", cure="leave out --include and --exclude")
    for pattern in (*include, *exclude):
        if not pattern.strip("/! ") or pattern.startswith("#") or "\n" in pattern:
            raise Usage(f"{pattern!r} is not a pattern", cure="write one as in a .gitignore: drafts/, *.tmp.md")
        if unfinished(pattern.replace("\\[", "")) == "[":
            raise Usage(f"{pattern!r} is unfinished: [ is never closed",
                        cure="close it, or write \\[ for the sign itself")


def _found(kind: str, path: Path, branch: str | None) -> str:
    """What the ledger keeps of a source's place. Raises NotFound if nothing of the kind is there."""
    source = kind_named(kind)
    if branch is not None and not source.branches:
        raise Usage(f"a source of kind {kind} has no branches", cure="leave out --branch, or check --kind")
    if not source.is_there(path):
        raise NotFound(f"{path} is not a {source.what}", cure="check --path and --kind")
    return source.named(path, branch)


def source_rows(admin: Administration) -> list[dict[str, Any]]:
    """`unread` says why nobody at all may read the source, where that is so."""
    report = admin.access_report()
    return [
        {
            **source_row(row),
            "rules": _rules(read_rules(Path(row.access_path) if row.access_path else None)),
            "unread": report.shut(row),
            "waiting": report.waiting(row.name),
        }
        for row in report.sources
    ]


def source_warnings(admin: Administration, name: str | None = None) -> list[str]:
    """Warnings about the permissions of one source, or of all, each with the name of its source."""
    report = admin.access_report()
    return [f"{row.name}: {told}" for row in report.sources if name in (None, row.name)
            for told in report.warnings(row)]


def source_row(row: SourceRow) -> dict[str, Any]:
    """The source as the ledger has it."""
    return {
        "name": row.name, "kind": row.kind, "path": row.path, "access": row.access_path,
        "include": list(row.include), "exclude": list(row.exclude),
    }  # fmt: skip


def _rules(book: RuleBook) -> dict[str, Any]:
    """Unless the state is `ok` nobody may read the source."""
    state = "none" if book.absent else "broken" if book.broken else "ok"
    return {"state": state, "count": len(book.rules), "reason": None if state == "ok" else book.broken or None}


def told_rules(rules: Mapping[str, Any]) -> str:
    """The rules' state in words."""
    if rules["state"] == "none":
        return "none, nobody may read"
    if rules["state"] == "broken":
        return f"broken, nobody may read: {rules['reason']}"
    return count(rules["count"], "rule")
