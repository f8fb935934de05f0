"""A damaged index: a run goes on from a sound version, or says that there is none; a rebuild needs none."""

from pathlib import Path

import pytest
from homes.ingest_bench import Bench

from flows.runs.run import rebuild_direct
from vouch.errors import Damaged, Guarded, Held, Unavailable


def segments(home: Path) -> list[Path]:
    found = sorted(p for p in (home / "segments").rglob("*") if p.is_file())
    assert found
    return found


def spoil(files: list[Path]) -> None:
    for file in files:
        data = bytearray(file.read_bytes())
        if data:
            data[len(data) // 2] ^= 0xFF
            file.chmod(0o600)
            file.write_bytes(bytes(data))


@pytest.fixture
def docs(bench: Bench, tmp_path: Path) -> Path:
    place = tmp_path / "docs"
    place.mkdir()
    (place / "a.md").write_text("# Apples\n\nApples are red.\n")
    (place / "p.md").write_text("# Pears\n\nPears are green.\n")
    bench.folder("docs", place)
    bench.ingest()
    return place


def rebuilt(bench: Bench, **options: bool):
    reports = []
    rebuild_direct(bench.components, done=reports.append, **options)
    return reports[0]


def test_a_run_says_that_no_version_is_sound_though_nothing_changed(bench: Bench, docs: Path) -> None:
    spoil(segments(bench.home))
    with pytest.raises(Damaged) as damaged:
        bench.ingest()
    assert "vouch rebuild" in damaged.value.cure


def test_a_rebuild_needs_no_sound_version_and_embeds_nothing_twice(bench: Bench, docs: Path) -> None:
    before = bench.known("docs")
    spoil(segments(bench.home))
    report = rebuilt(bench)
    assert (report.version, report.embedded) == (2, 0) and bench.known("docs") == before
    assert bench.components.store.verify(2) == []
    assert bench.ingest()[0].unchanged == 2


def test_a_run_goes_on_from_the_sound_version_before_and_says_so(bench: Bench, docs: Path) -> None:
    held = set(segments(bench.home))
    (docs / "g.md").write_text("# Grapes\n\nGrapes are blue.\n")
    bench.ingest()
    spoil([file for file in segments(bench.home) if file not in held])
    (report,) = bench.ingest()
    assert (report.version, report.added) == (3, 1) and "version 2 is damaged" in report.warnings[0]
    assert bench.components.store.verify(3) == [] and len(bench.known("docs")) == 3
    assert bench.ingest()[0].version == 3


def test_a_run_with_nothing_to_add_puts_the_sound_version_in_place_of_the_damaged(bench: Bench, docs: Path) -> None:
    held = set(segments(bench.home))
    late = docs / "g.md"
    late.write_text("# Grapes\n\nGrapes are blue.\n")
    bench.ingest()
    late.unlink()
    spoil([file for file in segments(bench.home) if file not in held])
    (report,) = bench.ingest()
    assert report.version == 3 and len(bench.known("docs")) == 2 and bench.components.store.verify(3) == []


def test_a_rebuild_is_guarded_held_and_needs_its_sources(bench: Bench, docs: Path) -> None:
    (docs / "a.md").unlink()
    with pytest.raises(Guarded, match="1 of 2"):
        rebuilt(bench)
    assert rebuilt(bench, allow_removals=True).version == 2
    bench.components.store.rollback(1)
    with pytest.raises(Held):
        rebuilt(bench)
    bench.ledger.holds.release()
    docs.rename(docs.with_name("away"))
    with pytest.raises(Unavailable):
        rebuilt(bench)
    assert len(bench.known("docs")) == 2
