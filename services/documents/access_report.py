"""What administrators ask about permissions: which rule decides what, who reads a document, what a person reads."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from indexers.parts.document_parts import Header
from vouch.access import Permissions, parse_tag
from vouch.access_check.directory import asked_in_vain, last_day
from vouch.access_check.rules import Placed, Readers, label_of, rule_tags
from vouch.access_check.sources import UNREAD, owners_of, shut_to_all, source_warnings
from vouch.adapters.ledger import SourceRow
from vouch.adapters.sources.access_on_disk import names_on_disk
from vouch.documents.formats import EMPTY
from vouch.plurals import count
from vouch.rules import RuleBook


@dataclass(frozen=True)
class ToCome:
    """A document that stands in a folder and was not ingested yet."""

    source: str
    path: str
    narrowed: frozenset[str] | None = None
    state: str = "not ingested"
    owners: frozenset[str] = frozenset()


@dataclass(frozen=True)
class AccessReport:
    permissions: Permissions
    sources: Sequence[SourceRow]
    documents: Sequence[Header]

    @cached_property
    def readers(self) -> Readers:
        return Readers(self.permissions)

    def warnings(self, row: SourceRow) -> list[str]:
        """What is odd about the permissions of a source; before its first scan, by the names in its folder."""
        found, strays = names_on_disk(row)
        here: Sequence[Any] = self._scanned(row.name) or [ToCome(row.name, path) for path in found]
        return [*source_warnings(self.permissions, row.name, here, strays), *self._unscanned(row.name)]

    def shut(self, row: SourceRow) -> list[str]:
        """A sentence that nobody at all can read the source, if this is so. Broken rules have a sentence of their
        own.
        """
        return [*shut_to_all(self.permissions, row.name, self._scanned(row.name)), *self._unscanned(row.name)]

    def waiting(self, source: str) -> int:
        """How many documents of a source the rules of now show to more readers than may read them before a scan."""
        return sum(label_of(self.permissions, d).waits for d in self.documents if d.source == source and d.chunks)

    def check(self, row: SourceRow) -> dict[str, Any]:
        """Which documents each rule of a source decides about."""
        book, decides, matches = self._book(row.name), defaultdict[int, list[str]](list), defaultdict[int, int](int)
        paths = sorted(document.path for document in self.documents if document.source == row.name)
        for path in paths:
            rule_numbers = list(book.matching(path))
            decides[rule_numbers[0] if rule_numbers else -1].append(path)
            for number in rule_numbers:
                matches[number] += 1
        return {
            "source": row.name,
            "documents": len(paths),
            "rules": [
                {"rule": n + 1, "match": rule.match, "allow": sorted(rule.allow), "matches": matches[n],
                 "decides": len(decides[n]), "documents": decides[n]}
                for n, rule in enumerate(book.rules)
            ],
            "undecided": decides[-1],
            "owners": [{"match": rule.match, "owners": sorted(rule.owners)} for rule in book.owners.rules],
            "broken": self.permissions.unreadable.get(row.name),
            "warnings": self.warnings(row),
        }

    def who(self, document: Header) -> dict[str, Any]:
        """Everybody who may read a document now."""
        may = self.readers.of(document)
        return {
            **self.effective(document),
            "owners": list(owners_of(self.permissions, document)),
            "source": document.source,
            "path": document.path,
            "state": document.state,
            "public": may.public,
            "groups": [group.name.removeprefix("group:") for group in may.groups],
            "people": [
                {"person": person.name, "through": may.through(person),
                 "until": last_day(person.expires) if person.expires else None}
                for person in may.people
            ],
            "access_epoch": self.permissions.epoch,
        }

    def what(self, person: str) -> dict[str, Any]:
        """Every document a reader may read now."""
        reader = self.permissions.directory.reader(parse_tag(person), datetime.now(UTC))
        indexed = [document for document in self.documents if document.state == "indexed"]
        seen = [d for d in indexed if label_of(self.permissions, d).allows(reader.principals)]
        return {
            "person": reader.name,
            "warning": asked_in_vain(self.permissions.directory, reader.name) or None,
            "holds": sorted(reader.principals),
            "documents": [{"source": d.source, "path": d.path} for d in sorted(seen, key=lambda d: (d.source, d.path))],
            "of": len(indexed),
            "access_epoch": self.permissions.epoch,
        }

    def rows(self, source: str | None) -> list[dict[str, Any]]:
        """The documents, of one source or of all, in order of source and path."""
        return [
            {
                "source": h.source,
                "path": h.path,
                "hash": h.hash,
                **self.effective(h),
                "owners": list(owners_of(self.permissions, h)),
                "state": "empty" if h.state == "indexed" and not h.chunks else h.state,
                "reason": h.reason or (EMPTY if h.state == "indexed" and not h.chunks else None),
                "title": h.title,
                "chunks": h.chunks,
            }
            for h in sorted(self.documents, key=lambda h: (h.source, h.path))
            if source in (None, h.source)
        ]

    def effective(self, document: Placed) -> dict[str, Any]:
        """Who reads a document in effect; `tags` is whom the rules allow, `narrowed` whom its own text does."""
        return {
            "effective": self.readers.of(document).tags,
            "tags": rule_tags(self.permissions, document),
            "narrowed": None if document.narrowed is None else sorted(document.narrowed),
        }

    def _scanned(self, source: str) -> list[Header]:
        """Its documents, if they are what a scan of all of it found."""
        return [d for d in self.documents if d.source == source] if source in self.permissions.scanned else []

    def _unscanned(self, source: str) -> list[str]:
        """That its documents wait for a scan, or are those of another place or source that had its name."""
        held = sum(d.source == source and d.state == "indexed" for d in self.documents)
        if not held or source in self.permissions.scanned or self._book(source).broken:
            return []
        return [f"nobody may read its {count(held, 'document')} yet: {UNREAD}"]

    def _book(self, source: str) -> RuleBook:
        return self.permissions.rulebooks.get(source, RuleBook())


def told_readers(row: dict[str, Any], most: int = 5) -> str:
    """The effective readers of a row in a few words, and whom the rules allow if the document narrows this."""
    tags = row["effective"]
    some = ", ".join(tags[:most]) + (f" and {len(tags) - most} more" if len(tags) > most else "")
    narrower = row["narrowed"] is not None and set(tags) != set(row["tags"])
    return (some or "nobody") + (f" (of {', '.join(row['tags']) or 'nobody'})" if narrower else "")
