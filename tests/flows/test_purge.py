"""A purge takes a document from everything vouch keeps, says so only when it is true, and keeps it away."""

import json
import os
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from flow_answers import AT, answered
from forked import DIED, ended, fork
from git_repo import GitRepo
from grep_home import grep
from purge_scene import OTHER, SECOND, SECRET, blobs_of, ingest_history, texts

from flows import forgetting
from flows.purge import look, purge
from indexers import purge as index_purge
from indexers.reader import LiveIndex
from vouch.access import PUBLIC, Directory, Permissions, Rule, RuleBook
from vouch.adapters.ledger import Vote
from vouch.adapters.ledger.erasure import Erasure
from vouch.adapters.log.embedded import EmbeddedLog
from vouch.adapters.log.trim import LogTrim
from vouch.adapters.sources.folder import FolderSource
from vouch.adapters.sources.git import GitSource
from vouch.adapters.vector_cache import VectorCache
from vouch.errors import Busy, Damaged, Guarded, NotFound

PLACE = ("docs", "board/pay.md")
QUOTE = SECOND[SECOND.index("The") : SECOND.index("advance")]


@pytest.fixture
def kept(bench, tmp_path):
    ingest_history(bench, tmp_path / "docs")
    return bench


def run(bench, place=PLACE, **options):
    return purge(bench.machines, place, **{"with_copies": False} | options)


def test_nothing_is_left_and_every_other_document_stays(kept):
    blobs = blobs_of(kept)
    before = {n: texts(kept, n) for n in range(1, 5)}
    places = {word: grep(kept.home, [word]) for word in SECRET}
    assert all(places.values()) and grep(kept.home, blobs=blobs)
    outlook = look(kept.machines, PLACE, with_copies=False)
    assert (outlook.versions, outlook.former, outlook.contents) == ((1, 2, 3, 4), (("docs", "pay.md"),), 3)
    done = run(kept)
    assert (done.version, done.rewritten, done.contents) == (5, (1, 2, 3, 4), 3)
    assert grep(kept.home, SECRET, blobs) == []
    for number in range(1, 5):
        assert texts(kept, number) == {k: v for k, v in before[number].items() if "pay" not in k}
        assert kept.machines.store.verify(number) == []
    assert texts(kept, 5) == texts(kept, 4)
    assert kept.machines.store.manifest(1).counts.documents == 2
    assert [row.state for row in kept.ledger.purges.all()] == ["done"]
    assert not list(kept.home.glob("purge.notes*"))
    assert list(kept.machines.store.sweep().deleted) == []


def test_a_rollback_does_not_bring_it_back(kept):
    run(kept)
    number = kept.machines.store.rollback(1)
    assert set(texts(kept, number)) == {"archive.md", "leave.md"}


def test_answers_made_from_it_keep_ids_and_times_alone(kept):
    chunk = kept.machines.store.open(4).record(*PLACE).chunks[0].id
    answered(kept, "cited", "What is the pay?", cites=[PLACE], text=QUOTE)
    answered(kept, "before", "What was the pay?", cites=[("docs", "pay.md")], text="So much.")   # before it moved
    answered(kept, "given", "Who is paid?", text="Nothing answers this.", given=[chunk])
    answered(kept, "quoting", "Is it so?", text=f"Somebody wrote: {QUOTE}")
    answered(kept, "asked", QUOTE, text="Nothing answers this.")
    answered(kept, "other", "When does it open?", cites=[("docs", "archive.md")], text="At nine.",
             candidates=[chunk, "0" * 32])
    done = run(kept)
    assert (done.answers, done.candidates) == (5, 1)
    for name in ("cited", "before", "given", "quoting", "asked"):
        stub = kept.ledger.surface.read(name)
        assert (stub["id"], stub["question"], stub["reason"]) == (f"a-{name}", "removed", "removed")
        assert (stub["sentences"], stub["citations"], stub["asked_at"]) == ([], [], "2026-11-01T09:00:00Z")
        assert kept.ledger.answers.candidates(f"a-{name}") == []
    assert kept.ledger.surface.read("other")["answer"] == "At nine."
    assert [row["chunk_id"] for row in kept.ledger.answers.candidates("a-other")] == ["0" * 32]
    assert grep(kept.home, SECRET) == []


def test_an_answer_that_waits_is_made_anew_before_it_is_sent(kept):
    answered(kept, "q", "What is the pay?", cites=[PLACE], text=QUOTE, given=["1" * 32], sent=False)
    run(kept)
    (row,) = kept.ledger.outbox.claim(["terminal"], AT, timedelta(minutes=1))
    assert (row.question.text, row.answer["reason"]) == ("What is the pay?", "removed")
    assert row.given and set(row.given) == {"removed"}      # which no reader may see: consumers/replies.py starts over
    assert grep(kept.home, SECRET) == []


def test_messages_with_its_words_go_once_they_are_done(kept):
    log = EmbeddedLog(kept.home / "log.sqlite", partitions=1)
    producer = log.producer()
    for topic in ("questions", "answers", "questions.dead"):
        producer.send(topic, b"k", json.dumps({"text": QUOTE}).encode())
    producer.send("questions", b"k", b"another")
    with pytest.raises(Damaged, match=r"log\.sqlite holds \d+ text"):
        run(kept)                                           # nobody has read the question yet
    assert [row.state for row in kept.ledger.purges.all()] == ["pending"]
    consumer = log.consumer("vouch", ["questions"])
    assert consumer.commit(consumer.poll(2))
    consumer.close()
    assert run(kept).messages == 1
    assert [r.value for r in log.read("questions")] == [b"another"]
    producer.close()
    assert grep(kept.home, SECRET) == []


def about(kept, answer="a-q", question="q"):
    """A question, its answer and a vote on the log, in words that no search for the document finds; read by all."""
    log = EmbeddedLog(kept.home / "log.sqlite", partitions=1)
    with closing(log.producer()) as producer:
        producer.send("questions", b"k", json.dumps({"id": question, "text": "Lisbon 91,337?"}).encode())
        producer.send("answers", b"k", json.dumps({"question_id": question, "answer_id": answer}).encode())
        producer.send("feedback", b"k", json.dumps({"answer_id": answer, "reason": "no: Porto 84,221"}).encode())
        producer.send("feedback.dead", b"k", json.dumps({"answer_id": answer, "reason": "no: Porto 84,221"}).encode())
        producer.send("questions", b"k", json.dumps({"id": "another", "text": "What else?"}).encode())
    return log


def read(log, topic, count):
    with closing(log.consumer("vouch", [topic])) as consumer:
        for _ in range(count):
            assert consumer.commit(consumer.poll(2))


def test_messages_about_an_answer_that_is_removed_go_whatever_their_words(kept):
    answered(kept, "q", "Lisbon 91,337?", cites=[PLACE], text=QUOTE)
    log = about(kept)
    read(log, "questions", 2)
    read(log, "feedback", 1)
    assert run(kept).messages == 4
    assert [json.loads(r.value)["id"] for r in log.read("questions")] == ["another"]
    assert grep(kept.home, ["Porto", "Lisbon"]) == []


def test_a_vote_on_it_that_nobody_has_read_yet_keeps_the_purge_pending(kept, monkeypatch):
    answered(kept, "q", "Lisbon 91,337?", cites=[PLACE], text=QUOTE)
    log = about(kept)
    read(log, "questions", 2)
    with pytest.raises(Damaged, match="log holds 1 message that waits to be read"):
        run(kept)
    read(log, "feedback", 1)
    kept.ledger.feedback.record(Vote("a-q", "user:ana@acme.test", "down", "no: Porto 84,221", AT))
    assert run(kept).messages == 1                          # what it was made from, nobody else knows by now
    assert [(v.vote, v.reason) for v in kept.ledger.feedback.list()] == [("down", None)]
    assert grep(kept.home, ["Porto", "Lisbon"]) == []


def test_which_answers_messages_speak_of_is_known_after_a_kill_too(kept, monkeypatch):
    answered(kept, "q", "Lisbon 91,337?", cites=[PLACE], text=QUOTE)
    log = about(kept)
    read(log, "questions", 2)
    read(log, "feedback", 1)
    monkeypatch.setattr(LogTrim, "erase", lambda *_: os._exit(DIED))
    assert ended(fork(lambda: run(kept))) == DIED
    monkeypatch.undo()
    assert grep(kept.home, ["Porto", "Lisbon"])
    run(kept)
    assert grep(kept.home, ["Porto", "Lisbon"]) == []


@pytest.mark.parametrize("quote", [
    "four hundred thousand", "year, paid monthly in", '"qzxsalary" of the qzxpräsident', "before May has ended.",
])
def test_twenty_characters_in_somebodys_question_are_found(kept, quote):
    """A quotation across the borders of any pieces, in a question that the document did not answer."""
    answered(kept, "q", f"Is it so: {quote}?", text="Nothing answers this.")
    assert 20 <= len(quote) < 32
    assert run(kept).answers == 1
    assert grep(kept.home, [quote]) == []


def test_a_document_of_short_lines_leaves_nothing_in_what_was_made_from_it(kept, tmp_path):
    (tmp_path / "docs" / "list.md").write_text("# Pay\n\nLisbon 91,337\n\nPorto 84,221\n")
    kept.ingest()
    answered(kept, "q", "Lisbon 91,337?", cites=[("docs", "list.md")], text="Porto 84,221")
    log = about(kept)
    read(log, "questions", 2)
    read(log, "feedback", 1)
    run(kept, ("docs", "list.md"))
    assert grep(kept.home, ["Porto", "Lisbon"]) == []


def test_what_vouch_keeps_and_says_itself_is_no_trace_of_a_document_that_says_it_too(kept, tmp_path):
    """Or a document about vouch, its folders and its people could never be purged, and would empty all declines."""
    said = "Nothing in the documents you can read answers this."
    (tmp_path / "docs" / "manual.md").write_text(f"# Manual\n\n{said}\n\nSee {tmp_path}/docs, or archive.md.\n")
    kept.ingest()
    answered(kept, "q", "Why?", text=said)
    run(kept, ("docs", "manual.md"))
    assert kept.ledger.surface.read("q")["answer"] == said


def test_votes_and_reports_lose_their_words(kept):
    answered(kept, "q", "What is the pay?", cites=[PLACE], text=QUOTE)
    answered(kept, "other", "When does it open?", cites=[("docs", "archive.md")], text="At nine.")
    for answer in ("a-q", "a-other"):
        kept.ledger.feedback.record(Vote(answer, "user:ana@acme.test", "up", f"Right: {QUOTE}", AT))
    kept.ledger.runs.add({"version": 9, "problems": [{"path": "board/pay.md", "reason": f"odd: {QUOTE}"}]}, AT)
    run(kept)
    assert [(v.vote, v.reason) for v in kept.ledger.feedback.list()] == [("up", None)] * 2
    assert kept.ledger.runs.list()[0].report["problems"] == [{"path": "board/pay.md", "reason": "removed"}]
    assert grep(kept.home, SECRET) == []


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
    "embeddings left out": lambda m: m.setattr(VectorCache, "keep_only", lambda self, keys: 0),
}


@pytest.mark.parametrize("bug", PLANTED)
def test_a_planted_bug_is_found_by_the_proof_and_by_grep(kept, monkeypatch, bug):
    blobs = blobs_of(kept)
    answered(kept, "q", "What is the pay?", cites=[PLACE], text=QUOTE)
    log = EmbeddedLog(kept.home / "log.sqlite")
    producer = log.producer()
    producer.send("answers", b"k", QUOTE.encode())
    PLANTED[bug](monkeypatch)
    with pytest.raises(Damaged, match="not forgotten"):
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


def test_neither_place_nor_content_comes_back_until_allowed(kept, tmp_path):
    root = tmp_path / "docs"
    run(kept)
    (root / "again.md").write_text(SECOND)
    (root / "new.md").write_text("# New\n\nThis one is new.\n")
    reports = kept.ingest(step=1)
    assert set(kept.known("docs")) == {"archive.md", "leave.md", "new.md"}
    today = f"purged on {datetime.now(UTC):%Y-%m-%d}"
    skipped = {s.path: s.reason for s in reports[-1].skipped}
    assert skipped == {"again.md": today, "board/pay.md": today}
    assert grep(kept.home, SECRET) == []
    (root / "board" / "pay.md").write_text("# Pay\n\nQuite other words stand here now.\n")
    (root / "leave.md").write_text(SECOND)                  # a document that turns into what was purged leaves
    kept.ingest(allow_removals=True)
    assert set(kept.known("docs")) == {"archive.md", "new.md"}
    assert grep(kept.home, SECRET) == []
    kept.ledger.purges.allow(*PLACE)
    kept.ingest()
    assert set(kept.known("docs")) == {"archive.md", "new.md", "again.md", "board/pay.md", "leave.md"}
    with pytest.raises(NotFound):
        kept.ledger.purges.allow(*PLACE)


def test_a_purged_event_of_a_file_of_events_is_skipped(bench, tmp_path):
    events = tmp_path / "e.jsonl"
    lines = [{"commit": "1", "op": "add", "path": "pay.md", "text": SECOND},
             {"commit": "2", "op": "add", "path": "a.md", "text": "# A\n\nPlain words.\n"},
             {"commit": "3", "op": "rename", "path": "pay2.md", "old_path": "pay.md"},
             {"commit": "4", "op": "add", "path": "b.md", "text": SECOND}]
    events.write_text("".join(json.dumps(line) + "\n" for line in lines[:2]))
    bench.events("log", events)
    bench.ingest(step=1)
    purge(bench.machines, ("log", "pay.md"), with_copies=False)
    events.write_text("".join(json.dumps(line) + "\n" for line in lines))
    bench.ingest(step=1)
    assert set(bench.known("log")) == {"a.md"}
    assert grep(bench.home, SECRET) == []


def test_a_purged_file_of_a_repository_stays_away_when_it_is_moved(bench, tmp_path):
    repo = GitRepo(tmp_path / "repo")
    plain, paper = b"# A\n\nPlain words.\n", SECOND.encode()
    repo.commit({"pay.md": paper, "a.md": plain})
    bench.sources["repo"] = GitSource("repo", repo.path, "main", 1_000_000)
    bench.ingest()
    purge(bench.machines, ("repo", "pay.md"), with_copies=False)
    repo.commit({"board/pay.md": paper, "a.md": plain})
    repo.commit({"board/pay.md": paper, "again.md": paper, "a.md": plain, "b.md": plain + b"\nMore words.\n"})
    bench.ingest(step=1)
    assert set(bench.known("repo")) == {"a.md", "b.md"}
    assert grep(bench.home, SECRET) == []


def test_a_file_that_turns_into_it_after_the_scan_is_left_out(kept, tmp_path, monkeypatch):
    place = tmp_path / "docs" / "leave.md"
    run(kept)
    monkeypatch.setattr(FolderSource, "load", lambda self, change, real=FolderSource.load:
                        place.write_text(SECOND) and real(self, change))
    place.write_text("# Leave\n\nFifty days.\n")
    kept.ingest()
    assert grep(kept.home, SECRET) == []
    kept.ingest(allow_removals=True)
    assert set(kept.known("docs")) == {"archive.md"}


def test_copies_stop_it_unless_they_are_meant_too(kept, tmp_path):
    (tmp_path / "docs" / "twin.md").write_text(SECOND)
    kept.ingest()
    with pytest.raises(Guarded, match=r"docs:twin\.md"):
        run(kept)
    assert kept.ledger.purges.all() == [] and "twin.md" in kept.known("docs")
    done = run(kept, with_copies=True)
    assert done.places == ("docs:board/pay.md", "docs:twin.md")
    assert grep(kept.home, SECRET) == []
    assert set(kept.known("docs")) == {"archive.md", "leave.md"}


def test_a_new_document_at_the_old_place_stays(kept, tmp_path):
    (tmp_path / "docs" / "pay.md").write_text("# Pay\n\nThis page was begun anew, with other words.\n")
    kept.ingest()
    run(kept)
    assert set(kept.known("docs")) == {"archive.md", "leave.md", "pay.md"}
    assert grep(kept.home, SECRET) == []
    assert all("pay.md" not in texts(kept, n) for n in range(1, 5))


def test_what_a_live_document_was_before_is_not_taken_for_the_copy_of_it(kept, tmp_path):
    """leave.md's first text is copied to a new place; to purge the copy takes that text alone from leave.md."""
    before = texts(kept, 1)["leave.md"]
    (tmp_path / "docs" / "leave2.md").write_text(before)
    kept.ingest()
    run(kept, ("docs", "leave2.md"))
    assert "leave.md" not in texts(kept, 1) and texts(kept, 4)["leave.md"] != before
    assert grep(kept.home, ["thirty days"]) == []


def test_a_reader_moves_on_and_lets_the_files_go(kept):
    rules = RuleBook((Rule("**", frozenset({PUBLIC})),))
    held = Permissions.settled(1, {"docs": rules}, Directory())
    told = []
    store = kept.machines.store
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
    from flows.run import sole_run
    from indexers.pins import publishing
    with sole_run(kept.home), pytest.raises(Busy):
        run(kept)
    assert kept.ledger.purges.all() == []
    with publishing(kept.home), pytest.raises(Busy):
        run(kept)
    assert run(kept)


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
