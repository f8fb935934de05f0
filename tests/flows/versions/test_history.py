"""A real handbook's history, published commit by commit."""

import os
from pathlib import Path

import pytest
from homes.replayed import events, replayed

DATA = os.environ.get("VOUCH_DATA")
pytestmark = [
    pytest.mark.data,
    pytest.mark.slow,
    pytest.mark.skipif(not DATA, reason="VOUCH_DATA does not name the folder with the handbooks"),
]


def test_the_whole_history_ends_exactly_and_embeds_only_what_changed(bench, monkeypatch):
    monkeypatch.setattr("os.fsync", lambda handle: None)
    file = Path(DATA) / "handbooks" / "basecamp_handbook.events.jsonl.gz"
    bench.events("handbook", file)
    touched: list[int] = []
    original = type(bench.components.store).publish

    def counting(self, base, *, changed, **rest):
        if base is not None:
            touched.append(sum(len(record.chunks) for record in changed))
        return original(self, base, changed=changed, **rest)

    monkeypatch.setattr(type(bench.components.store), "publish", counting)
    reports = bench.ingest(step=1)
    commits = {event["commit"] for event in events(file)}
    assert bench.known("handbook") == replayed(file)
    assert len(reports) == len(commits)
    first, later = reports[0], reports[1:]
    embedded = sum(r.embedded for r in later)
    share = embedded / sum(touched)
    print(f"first version {first.embedded} embedded; then {embedded} of {sum(touched)}: {share:.3f}")
    assert share <= 0.15
    pure = [r for r in later if r.renamed and not (r.added or r.changed)]
    assert all(r.embedded == 0 for r in pure)


def test_stopping_after_an_event_and_going_on_ends_the_same(bench):
    file = Path(DATA) / "handbooks" / "basecamp_handbook.events.jsonl.gz"
    bench.events("handbook", file)
    bench.ingest(until=100)
    assert bench.components.store.open_current().cursor("handbook")["events"] == 100
    bench.ingest(allow_removals=True)       # most of what follows is one big move
    assert bench.known("handbook") == replayed(file)
