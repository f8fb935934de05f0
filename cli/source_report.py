"""What is told of sources: where they are, whether their rules can be understood, and what waits for an ingest."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cli.output import count
from cli.parts import Parts
from vouch.adapters.access_files import read_rules
from vouch.adapters.ledger import SourceRow
from vouch.rules import RuleBook


def source_rows(parts: Parts) -> list[dict[str, Any]]:
    """`unread` says why nobody at all may read the source, where that is so."""
    report = parts.access_report()
    return [
        {
            **source_row(row),
            "rules": _rules(read_rules(Path(row.access_path) if row.access_path else None)),
            "unread": report.shut(row),
            "waiting": report.waiting(row.name),
        }
        for row in report.sources
    ]


def source_warnings(parts: Parts, name: str | None = None) -> list[str]:
    """What is odd about the permissions of one source, or of all, each line with its source."""
    report = parts.access_report()
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
    """The same in words."""
    if rules["state"] == "none":
        return "none, nobody may read"
    if rules["state"] == "broken":
        return f"broken, nobody may read: {rules['reason']}"
    return count(rules["count"], "rule")
