"""CONTRIBUTING.md, "A format": a toy one, ingested from a folder by the registries that serve."""

import sys
from pathlib import Path
from types import ModuleType

import pytest
from homes.ingest_bench import TOKENIZER, Bench

from vouch.adapters.parsers import registry
from vouch.adapters.parsers.plain.text import decode
from vouch.adapters.sandbox.isolated import IsolatedParser
from vouch.documents import formats
from vouch.documents.document import Block, Content, Parsed
from vouch.errors import Unreadable

CARD = "TITLE Parking\nBODY Visitors park behind the bakery.\n"


class CardParser:
    """A line TITLE, and a line BODY. The text that is quoted is the file's own."""

    def parse(self, content: Content) -> Parsed:
        text = decode(content.data)
        title, _, rest = text.partition("\nBODY ")
        if not title.startswith("TITLE ") or not rest:
            raise Unreadable("is no card", cure="begin it with TITLE and BODY")
        start = len(text) - len(rest)
        block = Block("paragraph", start, start + len(rest.rstrip()))
        return Parsed(text, title.removeprefix("TITLE "), (block,))


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps 1 to 3."""
    module = ModuleType("vouch.adapters.parsers.card")
    module.CardParser = CardParser  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    # A toy is unknown to the process that parses other formats.
    register(monkeypatch, formats.Format("card", (".card",), "lines", in_process=True))
    monkeypatch.setitem(registry._PARSERS, "card", "card.CardParser")


def register(monkeypatch: pytest.MonkeyPatch, form: formats.Format) -> None:
    monkeypatch.setattr(formats, "FORMATS", (*formats.FORMATS, form))
    monkeypatch.setitem(formats._BY_SUFFIX, ".card", form)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "parking.card").write_text(CARD)
    (folder / "broken.card").write_text("Visitors park anywhere.")
    return folder


@pytest.mark.usefixtures("card")
def test_it_is_ingested_and_what_is_broken_is_quarantined(tmp_path: Path, docs: Path) -> None:
    bench = Bench(tmp_path / "home")
    bench.folder("it", docs)
    [report] = bench.ingest()
    assert (report.added, report.quarantined, report.skipped) == (1, 1, ())
    version = bench.components.store.open_current()
    assert version is not None
    record, broken = version.record("it", "parking.card"), version.record("it", "broken.card")
    assert record is not None and broken is not None
    assert record.title == "Parking" and broken.reason == "is no card (begin it with TITLE and BODY)"
    assert [record.text[c.start : c.end] for c in record.chunks] == ["Visitors park behind the bakery."]


@pytest.mark.usefixtures("card")
def test_files_whose_lines_can_be_named_are_not_parsed_in_the_process_itself_for_that(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    def here(self: CardParser, content: Content) -> Parsed:
        raise AssertionError("parsed here")

    register(monkeypatch, formats.Format("card", (".card",), "lines"))
    monkeypatch.setattr(CardParser, "parse", here)
    parser = IsolatedParser(lambda: TOKENIZER)
    try:
        with pytest.raises(Unreadable, match="card files are not read"):     # that process knows no toys
            parser.take_apart("it", Content("a.card", CARD.encode(), "hash"), size=180, overlap=30)
    finally:
        parser.close()


@pytest.mark.usefixtures("card")
def test_what_looks_like_a_narrowing_is_refused_for_it() -> None:
    content = Content("a.card", b"TITLE Pay\nBODY access: group:people\n", "hash")
    with pytest.raises(Unreadable, match="look like an access: line"):
        registry.parse(content)


def test_without_the_steps_it_is_skipped(tmp_path: Path, docs: Path) -> None:
    bench = Bench(tmp_path / "home")
    bench.folder("it", docs)
    assert [one.reason for report in bench.ingest() for one in report.skipped] == [".card files are not read"] * 2
