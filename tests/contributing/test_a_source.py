"""CONTRIBUTING.md, "A source": a toy one in the registry, added, ingested, watched and purged as any other."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from homes.ingest_bench import Bench

from cli.wiring.administration import open_administration
from composition.sources import open_source, watch_of
from flows.runs.purge import purge
from services.documents.sources import add_source, source_rows
from vouch.adapters.sources.kinds import SOURCES, SourceKind
from vouch.adapters.sources.watch import PolledWatch
from vouch.documents.document import Change, Content, Skipped
from vouch.errors import BadInput, Damaged, NotFound, Unavailable, Unreadable, Usage
from vouch.ports.ingestion import Scan
from vouch.settings import Settings

SECRET = "# Pay\n\nThe qzxsalary of the board is paid monthly in advance."


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


def _place(named: str) -> tuple[Path, None]:
    return Path(named.removeprefix("binder:")), None


BINDER = SourceKind(
    "binder", Path.is_file,
    open=lambda row, cache, largest: BinderSource(row.name, _place(row.path)[0]),
    watch=lambda row, tell, poll: PolledWatch(_place(row.path)[0].read_text, tell, every_s=0.01),
    named=lambda path, branch: f"binder:{path}", place=_place, patterns=False,
)  # fmt: skip


@pytest.fixture
def binder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """In the home, where a purge searches every file but the sources' own."""
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    place = tmp_path / "home" / "binder.json"
    place.write_text(json.dumps({"a.md": "Leave is thirty days.", "b.md": SECRET}))
    return place


@pytest.fixture
def bench(binder: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """With the source added and opened as for any other kind: all that is said of this one is in the registry."""
    monkeypatch.setitem(SOURCES, "binder", BINDER)
    add_source(open_administration(), "it", "binder", binder, None)
    bench = Bench(binder.parent)
    bench.sources["it"] = open_source(bench.ledger.sources.get("it"), bench.ledger, Settings())
    return bench


def test_without_its_line_in_the_registry_the_kind_is_an_error_everywhere(
    binder: Path, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = bench.ledger.sources.get("it")
    monkeypatch.delitem(SOURCES, "binder")
    with pytest.raises(Usage, match="'binder' is not a kind of source") as refused:
        add_source(open_administration(), "other", "binder", binder, None)
    assert refused.value.cure == f"choose one of {', '.join(SOURCES)}"
    for used in (
        lambda: open_source(row, bench.ledger, Settings()), lambda: watch_of(row, print, False),
        lambda: source_rows(open_administration()) and open_administration().access_report().warnings(row),
    ):
        with pytest.raises(BadInput, match="source it is of kind binder, which this vouch does not know"):
            used()


def test_what_it_says_of_itself_is_asked(bench: Bench, binder: Path) -> None:
    admin = open_administration()
    with pytest.raises(NotFound, match="nowhere is not a binder"):
        add_source(admin, "other", "binder", binder.with_name("nowhere"), None)
    with pytest.raises(Usage, match="a source of kind binder takes no patterns"):
        add_source(admin, "other", "binder", binder, None, include=["*.md"])
    with pytest.raises(Usage, match="a source of kind binder has no branches"):
        add_source(admin, "other", "binder", binder, None, branch="main")
    assert [row["path"] for row in source_rows(admin)] == [f"binder:{binder}"]


def test_it_is_ingested_and_only_what_changed_is_read_again(bench: Bench, binder: Path) -> None:
    assert [report.added for report in bench.ingest()] == [2]
    binder.write_text(json.dumps({"a.md": "Leave is thirty-five days.", "b.md": SECRET}))
    [report] = bench.ingest()
    assert (report.changed, report.unchanged, report.embedded) == (1, 1, 1)
    binder.write_text(json.dumps({"b.md": SECRET}))
    assert [report.removed for report in bench.ingest(allow_removals=True)] == [1]


def test_a_place_that_is_gone_takes_no_document_away(bench: Bench, binder: Path) -> None:
    bench.ingest()
    binder.unlink()
    with pytest.raises(Unavailable, match="left as it was"):
        bench.ingest()
    assert set(bench.known("it")) == {"a.md", "b.md"}


def test_its_changes_are_noticed(bench: Bench, binder: Path) -> None:
    watch, stop = watch_of(bench.ledger.sources.get("it"), print, poll=False), Event()
    changes = watch.changes(stop, lambda: None)
    assert next(changes) is None
    binder.write_text("{}")
    assert next(changes) is None
    stop.set()
    assert list(changes) == []


def test_a_purge_leaves_what_its_owner_keeps_and_searches_all_else(
    bench: Bench, binder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.ingest()
    monkeypatch.setitem(SOURCES, "binder", replace(BINDER, place=lambda named: (Path(named), None)))
    with pytest.raises(Damaged, match=r"binder\.json holds"):          # it does not say where its documents are
        purge(bench.components, ("it", "b.md"), with_copies=False)
    monkeypatch.setitem(SOURCES, "binder", BINDER)
    assert purge(bench.components, ("it", "b.md"), with_copies=False).searched_for
    assert "qzxsalary" in binder.read_text()
