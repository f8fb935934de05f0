"""What operators see of documents: where they come from, how they are, and who may read them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from services.documents.access_explanation import explain
from services.documents.access_report import told_readers
from services.documents.administration import Administration
from services.documents.sources import source_rows, told_rules

SHOWN = 100                             # documents on a page: with style and scripts it stays below 150 kB
T = TypeVar("T")


@dataclass(frozen=True)
class DocumentLooks:
    """Names, states and readers of documents, but none of their words."""

    admin: Administration

    def sources(self) -> list[dict[str, Any]]:
        return [{**row, "rules": told_rules(row["rules"])} for row in source_rows(self.admin)]

    def documents(self, source: str, state: str, after: str) -> dict[str, Any]:
        """Those of a source in a state, in order of their paths; `after` is the last path of the page before.

        Raises NotFound for a source that is not there and has left no documents.
        """
        rows = self.admin.access_report().rows(source)
        if not rows:
            self.admin.ledger.sources.get(source)
        later = [{**row, "readers": told_readers(row)} for row in rows
                 if state in ("", row["state"]) and row["path"] > after]
        return {"counts": dict(Counter(row["state"] for row in rows)), **_page(later, "documents")}

    def access(self, person: str, document: str) -> dict[str, Any]:
        """Why `person` may or may not read the document. Raises NotFound, and BadInput for a tag of no person."""
        return explain(self.admin, person, document)

    def readers(self, document: str) -> dict[str, Any]:
        """Everybody who may read it now, and through what. Raises NotFound."""
        return self.admin.access_report().who(self.admin.find(document))

    def readable(self, person: str) -> frozenset[tuple[str, str]]:
        """Source and path of each document that the person may read now."""
        found = self.admin.access_report().what(person)["documents"]
        return frozenset((one["source"], one["path"]) for one in found)

    def person(self, person: str, source: str, after: str) -> dict[str, Any]:
        """What the person may read now: how much of each source, and of one source which documents.

        Raises BadAccess for what is no person.
        """
        report = self.admin.access_report()
        rights = report.what(person)
        whole = Counter(header.source for header in report.documents if header.state == "indexed")
        seen = Counter(doc["source"] for doc in rights["documents"])
        rows = [{"name": name, "readable": seen[name], "of": whole[name]}
                for name in sorted({row.name for row in report.sources} | whole.keys())]
        paths = [doc["path"] for doc in rights["documents"] if doc["source"] == source and doc["path"] > after]
        return {"person": rights["person"], "warning": rights["warning"], "holds": rights["holds"], "sources": rows,
                **_page(paths, "paths")}


def _page(rows: Sequence[T], name: str) -> dict[str, Any]:
    """The first of them under this name, and whether there are `more`."""
    return {name: list(rows[:SHOWN]), "more": len(rows) > SHOWN}
