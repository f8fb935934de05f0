"""What was quarantined under one set of limits is tried again under the next, from any source; nothing else is."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from homes.git_repo import GitRepo
from homes.ingest_bench import Bench
from hostile_files.pdf_by_hand import CATALOG, FONT, page, pdf, stream, words

from vouch.adapters.sandbox.limits import ParsingLimits
from vouch.adapters.sources.events.source import EventsSource
from vouch.adapters.sources.folder.source import FolderSource
from vouch.adapters.sources.git.source import GitSource

SMALL = "# Small\n\nA few words.\n"
LARGE = "# Large\n\n" + "Many words stand here. " * 1000


PAGES = pdf({
    1: CATALOG, 2: "<< /Type /Pages /Kids [3 0 R 3 0 R 3 0 R] /Count 3 >>", 3: page(),
    4: stream(words("Words")), 5: FONT,
})  # fmt: skip


def limit(bench: Bench, most: int) -> None:
    """Documents of more bytes are quarantined from now on."""
    bench.parsing = replace(bench.parsing, document_bytes=most)
    for source in bench.sources.values():
        source._max_bytes = most  # type: ignore[attr-defined]
        if isinstance(source, FolderSource):
            bench.sources[source.name] = FolderSource(source.name, source._root, bench.ledger.stat_cache, most)


def states(bench: Bench) -> dict[str, str]:
    version = bench.components.store.open_current()
    return {d.path: d.state for d in version.documents()} if version else {}


def folder(bench: Bench, place: Path) -> None:
    place.mkdir()
    for name, text in (("small.md", SMALL), ("large.md", LARGE)):
        (place / name).write_text(text)
        os.utime(place / name, (1_700_000_000, 1_700_000_000))
    bench.sources["docs"] = FolderSource("docs", place, bench.ledger.stat_cache, 5000)


def events(bench: Bench, place: Path) -> None:
    rows = [{"commit": str(n), "op": "add", "path": p, "text": t} for n, (p, t) in
            enumerate((("small.md", SMALL), ("large.md", LARGE)))]
    place.write_text("".join(json.dumps(row) + "\n" for row in rows))
    bench.sources["docs"] = EventsSource("docs", place, 5000)


def git(bench: Bench, place: Path) -> None:
    GitRepo(place).commit({"small.md": SMALL.encode(), "large.md": LARGE.encode()})
    bench.sources["docs"] = GitSource("docs", place, "main", 5000)


@pytest.mark.parametrize("kind", [folder, events, git])
def test_a_raised_limit_lets_documents_in_and_a_steady_one_publishes_nothing(
    bench: Bench, tmp_path: Path, kind: Callable[[Bench, Path], None]
) -> None:
    kind(bench, tmp_path / "place")
    limit(bench, 5000)
    assert bench.ingest()[0].quarantined == 1
    assert states(bench) == {"small.md": "indexed", "large.md": "quarantined"}
    (steady,) = bench.ingest()
    assert (steady.version, steady.quarantined, steady.still_quarantined, steady.unchanged) == (1, 0, 1, 1)
    limit(bench, 50_000)
    (raised,) = bench.ingest()
    assert (raised.version, raised.changed, raised.unchanged, raised.quarantined) == (2, 1, 1, 0)
    assert states(bench) == {"small.md": "indexed", "large.md": "indexed"}
    limit(bench, 60_000)
    assert bench.ingest()[0].version == 2           # nothing is quarantined, so other limits change nothing


def test_a_document_that_still_does_not_fit_is_tried_once_for_each_limit(bench: Bench, tmp_path: Path) -> None:
    events(bench, tmp_path / "place")
    limit(bench, 5000)
    bench.ingest()
    limit(bench, 6000)
    (again,) = bench.ingest()
    assert (again.version, again.quarantined) == (2, 1)
    assert "6,000 bytes" in again.problems[0].reason
    assert bench.ingest()[0].version == 2


def test_limits_of_parsing_count_too(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "long.pdf").write_bytes(PAGES)
    bench.folder("docs", tmp_path / "docs")
    bench.parsing = ParsingLimits(pages=2)
    assert "more than 2 pages" in bench.ingest()[0].problems[0].reason
    bench.parsing = ParsingLimits(pages=3)
    assert bench.ingest()[0].changed == 1 and states(bench) == {"long.pdf": "indexed"}


def test_a_quarantined_document_that_was_renamed_is_read_anew(bench: Bench, tmp_path: Path) -> None:
    events(bench, tmp_path / "place")
    limit(bench, 5000)
    bench.ingest()
    with (tmp_path / "place").open("a") as file:
        file.write(json.dumps({"commit": "x", "op": "rename", "path": "moved.md", "old_path": "large.md"}) + "\n")
    limit(bench, 50_000)
    bench.ingest()
    assert states(bench) == {"small.md": "indexed", "moved.md": "indexed"}


def test_steps_try_again_once_and_named_paths_leave_it_to_the_next_whole_run(bench: Bench, tmp_path: Path) -> None:
    folder(bench, tmp_path / "place")
    limit(bench, 5000)
    bench.ingest()
    bench.parsing = replace(bench.parsing, seconds=8)
    (tmp_path / "place" / "other.md").write_text(SMALL)
    (named,) = bench.ingest(["docs"], paths=["other.md"])
    assert (named.added, named.quarantined) == (1, 0)
    (whole,) = bench.ingest(step=1)
    assert (whole.version, whole.quarantined) == (3, 1)
    assert bench.ingest()[0].version == 3
