"""Documents that were quarantined under other limits are tried again, whatever their source."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from indexers.publishing.index_store import OpenVersion
from indexers.versions.version import GENERATION
from vouch.documents.document import Change
from vouch.ports.source import Scan

_KEY = "limits"                         # stands in the version beside the source's own cursor


def own_cursor(base: OpenVersion | None, source: str) -> dict[str, Any]:
    """The cursor as the source gave it."""
    return {key: value for key, value in _held(base, source).items() if key not in (_KEY, GENERATION)}


def offer_again(scan: Scan, base: OpenVersion | None, source: str, limits: str, *, whole: bool = True) -> Scan:
    """`scan`, and an upsert for each document that `base` holds as quarantined if that was not under `limits`.

    The cursor then says `limits`. If nothing else moves it keeps what it said,
    so that other limits alone publish no version. A scan that is not `whole`
    offers nothing.
    """
    before = _held(base, source).get(_KEY)
    offered = _quarantined(base, source, scan) if whole and before != limits else []
    changes = tuple(sorted((*scan.changes, *offered), key=lambda change: change.path))
    said = limits if whole and (changes or base is None) else before
    return replace(
        scan,
        changes=changes,
        cursor=dict(scan.cursor) if said is None else {**scan.cursor, _KEY: said},
        unchanged=scan.unchanged - len(offered),
    )


def _quarantined(base: OpenVersion | None, source: str, scan: Scan) -> list[Change]:
    touched = {path for change in scan.changes for path in (change.path, change.old_path)}
    held = [
        document.path
        for document in (base.documents() if base else ())
        if document.source == source and document.state == "quarantined" and document.path not in touched
    ]
    records = [record for path in held if base and (record := base.record(source, path))]
    return [Change("upsert", record.path, record.hash, changed_at=record.changed_at) for record in records]


def _held(base: OpenVersion | None, source: str) -> Mapping[str, Any]:
    return base.cursor(source) if base else {}
