"""Runs of flows: one that says nothing for too long was cut off, and how long it took is told until then."""

from datetime import UTC, datetime, timedelta

from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.operating.flow_runs import CUT_OFF, DONE, GOING, SILENT, FlowRun

NOW = datetime(2026, 11, 25, 10, 0, tzinfo=UTC)


def run(seen_at: datetime, **more: object) -> FlowRun:
    values = {"ended_at": None, "outcome": None, "error": None, "cause": None, **more}
    return FlowRun(1, "ingest", "docs", NOW, seen_at, **values)  # type: ignore[arg-type]


def test_a_run_goes_on_until_it_is_silent_for_too_long() -> None:
    assert run(NOW).state(NOW + SILENT) == GOING
    lost = run(NOW + timedelta(minutes=1))
    assert lost.state(NOW + timedelta(hours=1)) == CUT_OFF and lost.seconds(NOW + timedelta(hours=1)) == 60


def test_one_that_ended_took_as_long_as_it_took() -> None:
    ended = run(NOW, outcome=DONE, ended_at=NOW + timedelta(seconds=7))
    assert ended.state(NOW + timedelta(days=1)) == DONE and ended.seconds(NOW + timedelta(days=1)) == 7


def test_a_run_begun_later_notes_that_a_silent_one_was_cut_off_and_it_may_still_be_heard_of(ledger: Ledger) -> None:
    first = ledger.flow_runs.begin("ingest", "docs", NOW)
    ledger.flow_runs.begin("ingest", "wiki", NOW + SILENT + timedelta(seconds=1))
    [outcome] = [one.outcome for one in ledger.flow_runs.list() if one.id == first]
    assert outcome == CUT_OFF
    ledger.flow_runs.seen(first, NOW + 2 * SILENT)
    [outcome] = [one.outcome for one in ledger.flow_runs.list() if one.id == first]
    assert outcome is None


def test_an_act_whose_process_ended_has_no_outcome(ledger: Ledger) -> None:
    ledger.acts.begin("user:olga", "release of ingests", NOW)
    ledger.acts.end(ledger.acts.begin("user:olga", "replay of a message", NOW), "done")
    assert [(act.act, act.outcome) for act in ledger.acts.list()] == [
        ("replay of a message", "done"), ("release of ingests", None)]
