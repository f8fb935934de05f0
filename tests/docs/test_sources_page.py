"""docs/sources.md says what the code does."""

import re
from pathlib import Path

from cli.sources.source import KINDS
from vouch.adapters.sources.events.source import EventsSource
from vouch.adapters.sources.kinds import SOURCES
from vouch.documents.formats import SUFFIXES

PAGE = (Path(__file__).parents[2] / "docs" / "sources.md").read_text()


def test_the_page_lists_exactly_the_formats_that_are_read() -> None:
    table = PAGE[PAGE.index("## What is read") : PAGE.index("Text must be UTF-8")]
    assert set(re.findall(r"`(\.\w+)`", table)) == SUFFIXES


def test_the_example_events_are_understood(tmp_path: Path) -> None:
    found = re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert found
    path = tmp_path / "events.jsonl"
    path.write_text(found[1])
    source = EventsSource("example", path, 1000)
    assert source.scan({}, {}).changes == ()
    assert [(c.operation, c.path) for c in source.scan({}, {}, until=3).changes] == [("upsert", "time/leave.md")]


def test_the_page_and_the_help_name_every_kind_of_source() -> None:
    table = PAGE[: PAGE.index("## ")]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == list(SOURCES)
    assert re.findall(r"(\w+) \(", KINDS) == list(SOURCES)
