"""CONTRIBUTING.md, "A source": a toy one, opened by the wiring that serves, scanned and ingested."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from homes.ingest_bench import Bench

from composition import sources
from composition.storage import open_home_and_ledger
from flows.wiring import ingesting
from services.documents.sources import _found
from vouch.adapters.ledger import Ledger, SourceRow
from vouch.adapters.sources.watch import PolledWatch
from vouch.documents.document import Change, Content, Skipped
from vouch.errors import BadInput, Unavailable, Unreadable, Usage
from vouch.ports.ingestion import Scan, Source
from vouch.settings import Settings


class BinderSource:
    """One JSON file: path to text."""

    def __init__(self, name: str, place: Path) -> None:
        self.name = name
        self._place = place

    def scan(
        self, known: Mapping[str, str], cursor: Mapping[str, Any], *,
        step: int | None = None, until: int | None = None, paths: Sequence[str] | None = None,
    ) -> Scan:  # fmt: skip
        pages = {path: hashlib.sha256(text.encode()).hexdigest() for path, text in self._pages().items()}
        upserts = [Change("upsert", p, pages[p], len(self._pages()[p])) for p in pages if known.get(p) != pages[p]]
        changes = sorted([*upserts, *(Change("remove", p) for p in known.keys() - pages)], key=lambda c: c.path)
        return Scan(tuple(changes), (), {}, len(pages) - len(upserts), False, whole=True)

    def skipped(self) -> tuple[Skipped, ...]:
        return ()

    def load(self, change: Change) -> Content:
        text = self._pages().get(change.path)
        if text is None:
            raise Unreadable("is gone", cure="ingest again")
        return Content(change.path, text.encode(), hashlib.sha256(text.encode()).hexdigest())

    def _pages(self) -> dict[str, str]:
        try:
            found: dict[str, str] = json.loads(self._place.read_text())
        except OSError as error:
            raise Unavailable(f"{self._place} cannot be read", cure="bring it back") from error
        return found


@pytest.fixture
def binder(tmp_path: Path) -> Path:
    place = tmp_path / "binder.json"
    place.write_text(json.dumps({"a.md": "Leave is thirty days.", "b.md": "Park behind the bakery."}))
    return place


def test_the_wiring_opens_it(tmp_path: Path, binder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path / "home"))
    settings, row = Settings(), SourceRow("it", "binder", str(binder), None, (), (), "1")
    _, ledger = open_home_and_ledger(settings)
    ledger.sources.add(row)
    with pytest.raises(BadInput, match="which this vouch does not know"):       # without step 2
        ingesting.build_components(settings)
    with pytest.raises(Usage, match="not a kind of source"):                       # without step 3
        _found("binder", binder, None)

    def open_source(row: SourceRow, ledger: Ledger, settings: Settings) -> Source:
        if row.kind == "binder":
            return BinderSource(row.name, Path(row.path))
        return sources.open_source(row, ledger, settings)

    monkeypatch.setattr(ingesting, "open_source", open_source)
    found = ingesting.build_components(settings).sources["it"]
    assert [change.path for change in found.scan({}, {}).changes] == ["a.md", "b.md"]
    ledger.close()


def test_it_is_ingested_and_only_what_changed_is_read_again(tmp_path: Path, binder: Path) -> None:
    bench = Bench(tmp_path / "home")
    bench.sources["it"] = BinderSource("it", binder)
    assert [report.added for report in bench.ingest()] == [2]
    binder.write_text(json.dumps({"a.md": "Leave is thirty-five days.", "b.md": "Park behind the bakery."}))
    [report] = bench.ingest()
    assert (report.changed, report.unchanged, report.embedded) == (1, 1, 1)
    binder.write_text(json.dumps({"b.md": "Park behind the bakery."}))
    assert [report.removed for report in bench.ingest(allow_removals=True)] == [1]


def test_a_place_that_is_gone_takes_no_document_away(tmp_path: Path, binder: Path) -> None:
    bench = Bench(tmp_path / "home")
    bench.sources["it"] = BinderSource("it", binder)
    bench.ingest()
    binder.unlink()
    with pytest.raises(Unavailable, match="left as it was"):
        bench.ingest()
    assert set(bench.known("it")) == {"a.md", "b.md"}


def test_its_changes_are_noticed_by_a_polled_watch(binder: Path) -> None:
    watch, stop = PolledWatch(binder.read_text, print, every_s=0.01), Event()
    changes = watch.changes(stop, lambda: None)
    assert next(changes) is None
    binder.write_text("{}")
    assert next(changes) is None
    stop.set()
    assert list(changes) == []
