"""A purge takes messages with words of the document, and those about answers made from it, once they are done."""

import json
import os
from contextlib import closing

import pytest
from homes.grep_home import grep
from homes.purge_scene import PLACE, QUOTE, SECRET, run
from learning_scene.flow_answers import AT, answered
from running.forked import DIED, ended, fork

from vouch.adapters.ledger import Vote
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.adapters.message_log.embedded.trim import LogTrim
from vouch.errors import Damaged


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


def test_a_document_of_short_lines_leaves_nothing_in_what_was_made_from_it(kept, tmp_path):
    (tmp_path / "docs" / "list.md").write_text("# Pay\n\nLisbon 91,337\n\nPorto 84,221\n")
    kept.ingest()
    answered(kept, "q", "Lisbon 91,337?", cites=[("docs", "list.md")], text="Porto 84,221")
    log = about(kept)
    read(log, "questions", 2)
    read(log, "feedback", 1)
    run(kept, ("docs", "list.md"))
    assert grep(kept.home, ["Porto", "Lisbon"]) == []
