"""What administrators look at and change: sources, documents, versions and permissions, without any model."""

import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from cli.access_report import AccessReport
from cli.history import History
from cli.output import count
from indexers.parts import Header
from indexers.publish import IndexStore, OpenVersion
from vouch.access import Label, Permissions, RuleBook
from vouch.access_check.names import asked_in_vain, is_known, last_day
from vouch.access_check.readers import label_of
from vouch.adapters.access_files import read_rules
from vouch.adapters.access_watch import WatchedPermissions
from vouch.adapters.ledger import Ledger, SourceRow
from vouch.adapters.sources.folder import ACCESS_FILE
from vouch.adapters.sources.git import git_place, read_place
from vouch.errors import NotFound, Usage

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True)
class Parts:
    home: Path
    ledger: Ledger
    store: IndexStore
    watched: WatchedPermissions

    @cached_property
    def permissions(self) -> Permissions:
        return self.watched.permissions()

    @property
    def bearing(self) -> Permissions:
        """The permissions as they bear on what is served now.

        No rule is for what a former source of a name left, and a version that
        stands in for a damaged one limits its own documents.
        """
        permissions, version = self.watched.permissions(), self.store.open_current(documents_only=True)
        foreign = {name for name in permissions.rulebooks if version is not None and version.cursor(name)
                   and version.generation(name) != permissions.generation(name)}
        books = {name: RuleBook() if name in foreign else book for name, book in permissions.rulebooks.items()}
        limits = dict(permissions.restrictions)
        for place, more in ((version.limits if version is not None else None) or {}).items():
            limits[place] = (*limits.get(place, ()), *more)
        return replace(permissions, rulebooks=books, restrictions=limits)

    def access_report(self) -> AccessReport:
        """By the rules and memberships in force at this moment."""
        return AccessReport(self.bearing, self.ledger.sources.list(), self._documents())

    def source_warnings(self, name: str | None = None) -> list[str]:
        """What is odd about the permissions of one source, or of all, each line with its source."""
        report = self.access_report()
        return [f"{row.name}: {told}" for row in report.sources if name in (None, row.name)
                for told in report.warnings(row)]

    # sources

    def add_source(
        self, name: str, kind: str, path: Path, access: Path | None, branch: str | None = None,
        include: Sequence[str] = (), exclude: Sequence[str] = (),
    ) -> dict[str, Any]:  # fmt: skip
        """The new source's row. Raises Usage for a bad name or kind, NotFound for a path that is not there.

        Whatever a former source left under its name stays hidden: the new one is of another generation.
        """
        if not _NAME.fullmatch(name):
            raise Usage(f"{name!r} cannot be the name of a source", cure="use letters, digits, dots and dashes")
        _check_patterns(kind, include, exclude)
        place = _found(kind, path, branch)
        if access is not None and access.parent != path and not access.is_file():
            raise NotFound(f"access file {access} does not exist", cure="docs/access.md shows the layout")
        held = str(access) if access else None
        row = SourceRow(name, kind, place, held, tuple(include), tuple(exclude), _generation())
        self.ledger.sources.add(row)
        return _source_row(row)

    def set_source(
        self, name: str, path: Path | None, branch: str | None,
        include: Sequence[str] | None, exclude: Sequence[str] | None,
    ) -> tuple[dict[str, Any], bool]:  # fmt: skip
        """The source's row from now on, and whether its documents are hidden until the next ingest.

        They are when a folder's own access file comes with the new path: its
        rules are not for what was taken over from the old one.
        """
        old = self.ledger.sources.get(name)
        new = replace(
            old,
            include=old.include if include is None else tuple(include),
            exclude=old.exclude if exclude is None else tuple(exclude),
        )
        _check_patterns(new.kind, new.include, new.exclude)
        if path is not None:
            new = replace(new, path=_found(new.kind, path, branch or _branch(old)))
            if old.kind == "folder" and old.access_path == str(Path(old.path) / ACCESS_FILE) and new.path != old.path:
                new = replace(new, access_path=str(path / ACCESS_FILE), generation=_generation())
        elif branch is not None:
            new = replace(new, path=_found(new.kind, read_place(old.path)[0], branch))
        self.ledger.sources.replace(new)
        self.watched.refresh()
        return _source_row(new), new.generation != old.generation

    def source_rows(self) -> list[dict[str, Any]]:
        """`unread` says why nobody at all may read the source, where that is so."""
        report = self.access_report()
        return [
            {
                **_source_row(row),
                "rules": _rules(read_rules(Path(row.access_path) if row.access_path else None)),
                "unread": report.shut(row),
                "waiting": self.waiting(row.name),
            }
            for row in self.ledger.sources.list()
        ]

    def waiting(self, source: str) -> int:
        """How many documents of a source the rules of now show to more readers than may read them before a scan."""
        version = self.store.open_current(documents_only=True)
        held = self.permissions
        return sum(
            held.label(*h.place, h.narrowed).waits for h in (version.documents() if version else ())
            if h.source == source and h.chunks
        )

    def set_access(self, name: str, access: Path) -> RuleBook:
        """The rules of `access`, in force for the source from now on. Raises NotFound for a missing source or file."""
        if not access.is_file():
            raise NotFound(f"access file {access} does not exist", cure="docs/access.md shows the layout")
        self.ledger.sources.set_access(name, str(access))
        self.watched.refresh()
        return read_rules(access)

    def remove_source(self, name: str) -> None:
        """The source and its rules are gone: its documents are hidden from everybody at once."""
        self.ledger.sources.remove(name)

    # documents

    def document_rows(self, source: str | None) -> list[dict[str, Any]]:
        if source is not None:
            self.ledger.sources.get(source)
        report = self.access_report()
        return [
            {
                "source": h.source,
                "path": h.path,
                "hash": h.hash,
                **report.effective(h),
                "state": "empty" if h.state == "indexed" and not h.chunks else h.state,
                "reason": h.reason or None,
                "title": h.title,
                "chunks": h.chunks,
            }
            for h in sorted(report.documents, key=lambda h: (h.source, h.path))
            if source in (None, h.source)
        ]

    def explain(self, person: str, document: str) -> dict[str, Any]:
        """Why `person` may or may not read `document` (SOURCE:PATH or PATH) at this moment."""
        header = self.find(document)
        directory = self.permissions.directory
        reader = directory.reader(person, datetime.now(UTC))
        label = label_of(self.bearing, header)
        person_there = directory.people.get(reader.name.removeprefix("user:"))
        book = self.bearing.rulebooks.get(header.source, RuleBook())
        rule = book.deciding(header.path)
        return {
            "person": reader.name,
            "known": is_known(directory, reader.name),
            "warning": asked_in_vain(directory, reader.name) or None,
            "source": header.source,
            "path": header.path,
            "allowed": label.allows(reader.principals),
            "rule": book.broken or (rule.match if rule else None),
            "refused_by": refusals(label, header.source in self.permissions.scanned, reader.principals),
            "allow": sorted(label.allowed),
            "narrowed": None if label.narrowed is None else sorted(label.narrowed),
            "holds": sorted(reader.principals),
            "until": last_day(person_there.until) if person_there and person_there.until else None,
            "access_epoch": self.permissions.epoch,
        }

    def find(self, document: str) -> Header:
        """The document `SOURCE:PATH`, or at a PATH that one source has. Raises NotFound."""
        self._current()
        found = [h for h in self._documents() if document in (f"{h.source}:{h.path}", h.path)]
        if len(found) != 1:
            many = f"is in several sources: {', '.join(sorted(h.source for h in found))}" if found else "is not indexed"
            raise NotFound(f"{document} {many}", cure="name it SOURCE:PATH as vouch documents lists it")
        return found[0]

    def _documents(self) -> list[Header]:
        version = self.store.open_current(documents_only=True)
        return list(version.documents()) if version else []

    # versions

    def current_version(self) -> int:
        return self._current().number

    @cached_property
    def history(self) -> History:
        return History(self.home, self.ledger, self.store)

    def _current(self) -> OpenVersion:
        version = self.store.open_current(documents_only=True)
        if version is None:
            raise NotFound("nothing has been ingested yet", cure="run: vouch ingest")
        return version


def _source_row(row: SourceRow) -> dict[str, Any]:
    return {
        "name": row.name, "kind": row.kind, "path": row.path, "access": row.access_path,
        "include": list(row.include), "exclude": list(row.exclude),
    }  # fmt: skip


def _generation() -> str:
    return uuid.uuid4().hex[:12]


def _branch(row: SourceRow) -> str | None:
    return read_place(row.path)[1] if row.kind == "git" else None


def _check_patterns(kind: str, include: Sequence[str], exclude: Sequence[str]) -> None:
    """Raises Usage for patterns that could choose nothing."""
    if (include or exclude) and kind == "events":
        raise Usage("a source of kind events takes no patterns", cure="leave out --include and --exclude")
    for pattern in (*include, *exclude):
        if not pattern.strip("/! ") or pattern.startswith("#") or "\n" in pattern:
            raise Usage(f"{pattern!r} is not a pattern", cure="write one as in a .gitignore: drafts/, *.tmp.md")


def _found(kind: str, path: Path, branch: str | None) -> str:
    """What the ledger keeps of a source's place. Raises NotFound if nothing of the kind is there."""
    if branch is not None and kind != "git":
        raise Usage(f"a source of kind {kind} has no branches", cure="leave out --branch, or say --kind git")
    there = {"folder": path.is_dir, "events": path.is_file, "git": path.exists}[kind]()
    if not there:
        what = {"folder": "folder", "events": "file", "git": "git repository"}[kind]
        raise NotFound(f"{path} is not a {what}", cure="check --path and --kind")
    return git_place(path, branch) if kind == "git" else str(path)


def refusals(label: Label, scanned: bool, principals: frozenset[str]) -> list[str]:
    """Which conditions of a label these principals do not meet, in words."""
    found = []
    if label.allowed.isdisjoint(principals):
        found.append("the rules of now")
    if not scanned:
        found.append("its source was not scanned as a whole yet: run vouch ingest")
    elif any(tags.isdisjoint(principals) for tags in label.earlier):
        found.append("rules in force since the last whole scan: what was granted since then counts after an ingest")
    if label.narrowed is not None and label.narrowed.isdisjoint(principals):
        found.append("the document's own access:")
    if not all(any(one.allows(principals) for one in group) for group in label.limits):
        found.append("a later version, as this is an earlier state of the document: it had moved to where fewer may "
                     "read, was narrowed, quarantined or removed, or that cannot be told")
    return found


def _rules(book: RuleBook) -> dict[str, Any]:
    """Unless the state is `ok` nobody may read the source."""
    state = "none" if book.absent else "broken" if book.broken else "ok"
    return {"state": state, "count": len(book.rules), "reason": None if state == "ok" else book.broken or None}


def told_rules(rules: Mapping[str, Any]) -> str:
    """The same in words."""
    if rules["state"] == "none":
        return "none, nobody may read"
    if rules["state"] == "broken":
        return f"broken, nobody may read: {rules['reason']}"
    return count(rules["count"], "rule")
