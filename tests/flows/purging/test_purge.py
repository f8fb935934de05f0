"""A purge takes a document from everything vouch keeps, and says so only when it is true."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from homes.grep_home import grep
from homes.purge_scene import OTHER, PLACE, QUOTE, SECOND, SECRET, blobs_of, run, texts
from learning_scene.flow_answers import answered
from running.forked import DIED, ended, fork

from flows.purging import forgetting
from flows.runs.purge import look
from indexers.live_index import LiveIndex
from indexers.purging import purge as index_purge
from vouch.access import PUBLIC, Directory, Permissions, Rule, RuleBook
from vouch.adapters.embedding_cache import EmbeddingCache
from vouch.adapters.ledger.removal.erasure import Erasure
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.adapters.message_log.embedded.trim import LogTrim
from vouch.errors import Busy, Damaged, NotFound


def test_nothing_is_left_and_every_other_document_stays(kept):
    blobs = blobs_of(kept)
    before = {n: texts(kept, n) for n in range(1, 5)}
    places = {word: grep(kept.home, [word]) for word in SECRET}
    assert all(places.values()) and grep(kept.home, blobs=blobs)
    outlook = look(kept.components, PLACE, with_copies=False)
    assert (outlook.versions, outlook.former, outlook.contents) == ((1, 2, 3, 4), (("docs", "pay.md"),), 3)
    done = run(kept)
    assert (done.version, done.rewritten, done.contents) == (5, (1, 2, 3, 4), 3)
    assert grep(kept.home, SECRET, blobs) == []
    for number in range(1, 5):
        assert texts(kept, number) == {k: v for k, v in before[number].items() if "pay" not in k}
        assert kept.components.store.verify(number) == []
    assert texts(kept, 5) == texts(kept, 4)
    assert kept.components.store.manifest(1).counts.documents == 2
    assert [row.state for row in kept.ledger.purges.all()] == ["done"]
    assert not list(kept.home.glob("purge.notes*"))
    assert list(kept.components.store.sweep().deleted) == []


def test_a_rollback_does_not_bring_it_back(kept):
    run(kept)
    number = kept.components.store.rollback(1)
    assert set(texts(kept, number)) == {"archive.md", "leave.md"}


def test_what_is_left_elsewhere_is_named_and_the_purge_stays_pending(kept):
    stray = kept.home / "notes" / "copy.txt"
    stray.parent.mkdir()
    stray.write_text(f"{OTHER}\n{SECOND}", encoding="utf-16-le")
    with pytest.raises(Damaged, match=r"notes/copy\.txt holds"):
        run(kept)
    assert (kept.home / "purge.notes").exists()
    stray.unlink()
    (kept.home / "prefect").mkdir()
    (kept.home / "prefect" / "run.log").write_text(QUOTE)   # this one is vouch's own to delete
    assert run(kept).version == 6
    assert [row.state for row in kept.ledger.purges.all()] == ["done"]
    assert grep(kept.home, SECRET) == []


PLANTED = {
    "an old version left out": lambda m: m.setattr(
        index_purge.IndexPurge, "_replaced", lambda self, real=index_purge.IndexPurge._replaced:
        {n: v for n, v in real(self).items() if n != 1}),
    "old folders left out": lambda m: m.setattr(index_purge.IndexPurge, "_delete", lambda self: 0),
    "vacuum left out": lambda m: m.setattr(Erasure, "scour", lambda self: None),
    "the log's vacuum left out": lambda m: m.setattr(LogTrim, "scour", lambda self: None),
    "answers left out": lambda m: m.setattr(Erasure, "made_from", lambda self, target: {}),
    "embeddings left out": lambda m: m.setattr(EmbeddingCache, "keep_only", lambda self, keys: 0),
}


@pytest.mark.parametrize("bug", PLANTED)
def test_a_planted_bug_is_found_by_the_proof_and_by_grep(kept, monkeypatch, bug):
    blobs = blobs_of(kept)
    answered(kept, "q", "What is the pay?", cites=[PLACE], text=QUOTE)
    log = EmbeddedLog(kept.home / "log.sqlite")
    producer = log.producer()
    producer.send("answers", b"k", QUOTE.encode())
    PLANTED[bug](monkeypatch)
    with pytest.raises(Damaged, match="purge is not complete"):
        run(kept)
    assert grep(kept.home, SECRET, blobs)
    assert kept.ledger.purges.unfinished()
    monkeypatch.undo()
    assert run(kept)
    producer.close()
    assert grep(kept.home, SECRET, blobs) == []


def test_a_purge_that_does_not_search_is_caught_by_grep(kept, monkeypatch):
    monkeypatch.setattr(forgetting._Forgetting, "_prove", lambda *_: None)
    monkeypatch.setattr(Erasure, "made_from", lambda self, target: {})
    answered(kept, "q", "What is the pay?", cites=[PLACE], text=QUOTE)
    run(kept)
    assert any(found.startswith("ledger.sqlite") for found in grep(kept.home, SECRET))


def test_a_reader_moves_on_and_lets_the_files_go(kept):
    rules = RuleBook((Rule("**", frozenset({PUBLIC})),))
    held = Permissions.settled(1, {"docs": rules}, Directory())
    told = []
    store = kept.components.store
    index = LiveIndex(store, type("Fixed", (), {"permissions": lambda self: held})())
    index.when_moved(lambda: told.append(store.versions.current()))
    audience = held.directory.audience([PUBLIC], datetime.now(UTC))

    def found(word):
        return [h.chunk_id for h in index.view(audience).lexical([word], 10)]

    assert found("qzxoverdraft") and found("archiv")
    index.view(audience).dense(kept.encoder.questions(["archive"])[0], 3)
    run(kept)
    assert found("qzxoverdraft") == [] and found("archiv")
    assert told == [4, 5]
    maps = Path("/proc/self/maps").read_text().splitlines()
    left = [line for line in maps if str(kept.home) in line and "(deleted)" in line]
    assert left == []


def test_it_waits_for_no_ingest_and_no_publish(kept):
    from flows.runs.run import sole_run
    from indexers.versions.version_locks import publishing
    with sole_run(kept.home), pytest.raises(Busy):
        run(kept)
    assert kept.ledger.purges.all() == []
    with publishing(kept.home), pytest.raises(Busy):
        run(kept)
    assert run(kept)


def searched_before(kept) -> Path:
    """What a killed training left, with an id of the paper in it."""
    version = kept.components.store.open(kept.ledger.versions.current())
    [header] = [h for h in version.documents() if (h.source, h.path) == PLACE]
    file = kept.home / "training-searches" / "labels"
    file.parent.mkdir()
    file.write_text(json.dumps([{"chunk_id": version.record(*header.place).chunks[0].id}]))
    return file


def test_what_a_killed_training_searched_goes(kept):
    file = searched_before(kept)
    run(kept)
    assert not file.parent.exists() and kept.ledger.purges.unfinished() == []


def test_what_a_killed_training_searched_and_was_left_behind_is_found(kept, monkeypatch):
    searched_before(kept)
    monkeypatch.setattr(forgetting, "forget_searches", lambda home: None)
    with pytest.raises(Damaged, match="training-searches"):
        run(kept)
    assert kept.ledger.purges.unfinished()


def test_the_next_ingest_goes_on_with_a_killed_purge(kept, monkeypatch):
    monkeypatch.setattr(Erasure, "erase", lambda *_: os._exit(DIED))
    assert ended(fork(lambda: run(kept))) == DIED
    monkeypatch.undo()
    answered(kept, "q", "What is the pay?", cites=[PLACE], text=QUOTE)
    assert kept.ledger.purges.unfinished()
    kept.ingest()
    assert kept.ledger.purges.unfinished() == []
    assert grep(kept.home, SECRET) == []


def test_what_was_never_there_cannot_be_purged(kept):
    with pytest.raises(NotFound, match="no version holds docs:nothere"):
        run(kept, ("docs", "nothere.md"))
