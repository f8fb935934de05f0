"""An administrator is told which condition refuses a reader, and that edits of rules are noticed."""

import threading
from pathlib import Path

import pytest

from cli.terminal.output import warn_unreadable
from composition.sources import access_state, watch_of_rules
from services.documents.access_explanation import refusals
from vouch.access import PUBLIC, Directory, Label, Permissions, Rule, RuleBook
from vouch.adapters.ledger import Ledger, SourceRow
from vouch.adapters.sources.watch import PolledWatch

OPEN, STAFF = frozenset({PUBLIC}), frozenset({"group:staff"})


@pytest.mark.parametrize(("label", "scanned", "words"), [
    (Label(STAFF), True, ["the current rules"]),
    (Label(OPEN, STAFF), True, ["the document's own access:"]),
    (Label(OPEN, None, frozenset({frozenset()})), False, ["no ingest has read the whole source"]),
    (Label(OPEN, None, frozenset({STAFF})), True, ["rules in force since the last whole ingest"]),
    (Label(OPEN, limits=((Label(STAFF),),)), True, ["a later version"]),
    (Label(STAFF, STAFF), True, ["the current rules", "the document's own access:"]),
    (Label(OPEN), True, []),
])
def test_each_condition_that_refuses_is_named(label: Label, scanned: bool, words: list[str]) -> None:
    told = refusals(label, scanned, frozenset({PUBLIC}))
    assert len(told) == len(words) and all(one.startswith(begin) for one, begin in zip(told, words, strict=True))
    assert bool(told) is not label.allows(frozenset({PUBLIC}))


def test_an_edit_of_an_access_file_is_noticed_wherever_the_file_is_by_now(ledger: Ledger, tmp_path: Path) -> None:
    first, second = tmp_path / "one.yaml", tmp_path / "two.yaml"
    ledger.sources.add(SourceRow("docs", "folder", str(tmp_path), str(first)))
    edits = [lambda: first.write_text("rules: []"), first.unlink,
             lambda: ledger.sources.set_access("docs", str(second)), lambda: second.write_text("rules: []")]
    stop, noticed = threading.Event(), 0

    def look() -> object:
        return access_state(ledger, "docs")

    def looked() -> None:
        nonlocal waited
        waited += 1
        if waited > 3:                      # a few looks without a change
            edits.pop(0)() if edits else stop.set()
            waited = 0

    waited = 0
    watched = PolledWatch(look, print, every_s=0.001, tell_first=False)
    for paths in watched.changes(stop, looked):
        assert paths is None
        noticed += 1
    assert noticed == 4
    assert isinstance(watch_of_rules(ledger.sources.get("docs"), ledger, print), PolledWatch)


def test_a_source_that_waits_for_a_scan_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """Its rules are sound again, and nobody may read it: that is no empty result."""
    book = RuleBook((Rule("**", frozenset({"public"})),))
    waits = Permissions(1, {"hall": book, "docs": book, "new": RuleBook()}, Directory(), {"docs": ()})
    assert waits.waiting == ["hall"]
    warn_unreadable(waits)
    told = capsys.readouterr().err
    assert "source hall" in told and "vouch ingest" in told and "docs" not in told and "new" not in told
