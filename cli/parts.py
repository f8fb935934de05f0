"""What administrators look at and change: sources, documents, versions and permissions, without any model."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from cli.history import History
from cli.output import count
from indexers.publish import IndexStore, OpenVersion
from vouch.access import Label, Permissions, RuleBook
from vouch.adapters.access_files import read_rules
from vouch.adapters.access_watch import WatchedPermissions
from vouch.adapters.ledger import Ledger, SourceRow
from vouch.adapters.sources.git import git_place
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

    # sources

    def add_source(
        self, name: str, kind: str, path: Path, access: Path | None, branch: str | None = None
    ) -> dict[str, Any]:
        """The new source's row. Raises Usage for a bad name or kind, NotFound for a path that is not there."""
        if not _NAME.fullmatch(name):
            raise Usage(f"{name!r} cannot be the name of a source", cure="use letters, digits, dots and dashes")
        place = _found(kind, path, branch)
        if access is not None and access.parent != path and not access.is_file():
            raise NotFound(f"access file {access} does not exist", cure="docs/access.md shows the layout")
        former = self._former(name)
        if former is not None:
            # Rules of the new source would apply to what the former one left in old versions.
            raise Usage(f"version {former} holds documents of a former source {name}", cure="choose another name")
        self.ledger.sources.add(SourceRow(name, kind, place, str(access) if access else None))
        return {"name": name, "kind": kind, "path": place, "access": str(access) if access else None}

    def _former(self, name: str) -> int | None:
        """The latest published version that knows a source `name` which is no longer there."""
        if any(row.name == name for row in self.ledger.sources.list()):
            return None
        numbers = [row.number for row in self.ledger.versions.rows() if row.state == "published"]
        return next((n for n in reversed(numbers) if name in self.store.manifest(n).cursors), None)

    def source_rows(self) -> list[dict[str, Any]]:
        return [
            {
                "name": row.name,
                "kind": row.kind,
                "path": row.path,
                "access": row.access_path,
                "rules": _rules_state(read_rules(Path(row.access_path) if row.access_path else None)),
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
        version = self.store.open_current(documents_only=True)
        headers = list(version.documents()) if version else []
        return [
            {
                "source": h.source,
                "path": h.path,
                "hash": h.hash,
                "tags": tags_of(self.permissions.label(h.source, h.path, h.narrowed)),
                "state": h.state,
                "reason": h.reason or None,
                "title": h.title,
                "chunks": h.chunks,
                "narrowed": None if h.narrowed is None else sorted(h.narrowed),
            }
            for h in sorted(headers, key=lambda h: (h.source, h.path))
            if source in (None, h.source)
        ]

    def explain(self, person: str, document: str) -> dict[str, Any]:
        """Why `person` may or may not read `document` (SOURCE:PATH or PATH) at this moment."""
        header = self._find(document)
        directory = self.permissions.directory
        reader = directory.reader(person, datetime.now(UTC))
        label = self.permissions.label(header.source, header.path, header.narrowed)
        book = self.permissions.rulebooks.get(header.source, RuleBook())
        rule = book.deciding(header.path)
        return {
            "person": reader.name,
            "known": directory.knows(reader.name),
            "source": header.source,
            "path": header.path,
            "allowed": label.allows(reader.principals),
            "rule": book.broken or (rule.match if rule else None),
            "refused_by": refusals(label, header.source in self.permissions.scanned, reader.principals),
            "allow": sorted(label.allowed),
            "narrowed": None if label.narrowed is None else sorted(label.narrowed),
            "holds": sorted(reader.principals),
            "until": reader.expires.isoformat() if reader.expires else None,
            "access_epoch": self.permissions.epoch,
        }

    def _find(self, document: str) -> Any:
        version = self._current()
        found = [h for h in version.documents() if document in (f"{h.source}:{h.path}", h.path)]
        if len(found) != 1:
            many = f"is in several sources: {', '.join(sorted(h.source for h in found))}" if found else "is not indexed"
            raise NotFound(f"{document} {many}", cure="name it SOURCE:PATH as vouch documents lists it")
        return found[0]

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


def tags_of(label: Label) -> list[str]:
    """The rules' tags, or the document's own where they are among those; a reader must meet both in any case."""
    if label.narrowed is not None and label.narrowed <= label.allowed:
        return sorted(label.narrowed)
    return sorted(label.allowed)


def _rules_state(book: RuleBook) -> str:
    if book.broken:
        return f"broken, nobody may read: {book.broken}"
    return count(len(book.rules), "rule") if book.rules else "none, nobody may read"
