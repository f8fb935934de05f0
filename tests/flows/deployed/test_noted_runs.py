"""Each run of a flow is noted from its beginning on, with how it ended and without a word of a document."""

import os
from pathlib import Path

import pytest
from homes.ingest_bench import Bench
from homes.purge_scene import run
from running.forked import DIED, ended, fork

from flows.runs.run import rebuild_direct
from flows.runs.runner import DirectRunner
from flows.shared.noted_runs import noted
from vouch.adapters.ledger.operating.flow_runs import SILENT
from vouch.errors import Guarded, LedgerDown, ModelDown, NothingToLearn, Unavailable, Unreadable


def rows(bench: Bench) -> list[tuple[str, str, str | None, str | None]]:
    return [(one.kind, one.of, one.outcome, one.error) for one in reversed(bench.ledger.flow_runs.list())]


def folder(place: Path, count: int) -> Path:
    place.mkdir()
    for number in range(count):
        (place / f"{number}.md").write_text(f"# Paper {number}\n\nIt says qzxsecret {number}.\n")
    return place


def test_an_ingest_is_seen_while_it_goes_on_and_with_what_it_failed_at(bench: Bench, tmp_path: Path) -> None:
    bench.folder("docs", folder(tmp_path / "docs", 3))
    seen = []
    bench.ingest(progress=lambda *_: seen.append(rows(bench)))
    assert [("ingest", "docs", None, None)] in seen and rows(bench) == [("ingest", "docs", "done", None)]
    for paper in (tmp_path / "docs").iterdir():
        paper.unlink()
    with pytest.raises(Unavailable):
        bench.ingest()
    last = bench.ledger.flow_runs.list()[0]
    assert (last.outcome, last.error) == ("failed", "Unavailable")
    assert last.cause is not None and "source docs was left as it was" in last.cause


def test_a_machine_that_goes_away_in_the_middle_leaves_a_failed_run_behind(bench: Bench, tmp_path: Path) -> None:
    bench.folder("docs", folder(tmp_path / "docs", 20))
    bench.encoder.left = 10
    runner = DirectRunner(lambda: bench.components)
    with pytest.raises(ModelDown):
        runner.ingest("docs", None, lambda: False)
    assert rows(bench) == [("ingest", "docs", "failed", "ModelDown")]
    assert "qzxsecret" not in str(bench.ledger.flow_runs.list()) and bench.ledger.runs.list() == []


def test_a_killed_run_is_cut_off(bench: Bench, tmp_path: Path) -> None:
    bench.folder("docs", folder(tmp_path / "docs", 2))
    assert ended(fork(lambda: bench.ingest(progress=lambda *_: os._exit(DIED)))) == DIED
    (one,) = bench.ledger.flow_runs.list()
    assert one.state(one.seen_at + SILENT) == "going on" and one.state(one.seen_at + 2 * SILENT) == "cut off"


def test_ingests_rebuilds_and_purges_are_noted(kept: Bench) -> None:
    rebuild_direct(kept.components, done=lambda report: None)
    run(kept)
    assert rows(kept) == [*[("ingest", "docs", "done", None)] * 4, ("rebuild", "", "done", None),
                          ("purge", "", "done", None)]


@pytest.mark.parametrize(("error", "row"), [
    (Guarded("too much would go"), ("failed", "Guarded", "too much would go")),
    (Unreadable("not a word: qzxsecret"), ("failed", "Unreadable", None)),
    (ValueError("qzxsecret"), ("failed", "ValueError", None)),
    (KeyboardInterrupt(), ("failed", "KeyboardInterrupt", None)),
    (NothingToLearn("there are no labels"), ("done", "NothingToLearn", "there are no labels")),
])
def test_only_causes_that_hold_no_words_of_a_document_are_kept(bench: Bench, error, row) -> None:
    with pytest.raises(type(error)), noted(bench.ledger, "train"):
        raise error
    (one,) = bench.ledger.flow_runs.list()
    assert (one.outcome, one.error, one.cause) == row


def test_a_long_run_says_that_it_goes_on(bench: Bench) -> None:
    with noted(bench.ledger, "train", every_s=0.01):
        (begun,) = bench.ledger.flow_runs.list()
        while bench.ledger.flow_runs.list()[0].seen_at == begun.begun_at:
            pass
    assert rows(bench) == [("train", "", "done", None)]


def test_what_was_done_stays_done_if_its_end_cannot_be_noted(bench: Bench, monkeypatch, caplog) -> None:
    def down(*values: object, **more: object) -> None:
        raise LedgerDown("the ledger does not answer")

    monkeypatch.setattr(bench.ledger.flow_runs, "end", down)
    with noted(bench.ledger, "tidy"):
        pass
    assert "could not be noted" in caplog.text
    with pytest.raises(Guarded), noted(bench.ledger, "tidy"):
        raise Guarded("too much would go")
