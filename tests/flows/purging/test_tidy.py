"""Tidying lets go of what is old enough and of nothing that anybody waits for."""

import json
import os
import random
from datetime import timedelta

import pytest
from homes.grep_home import grep
from homes.purge_scene import ingest_history
from learning_scene.flow_answers import AT, answered, send
from running.forked import DIED, ended, fork

from flows.runs.purge import purge
from flows.runs.retention import Retention, tidy_up
from flows.runs.run import sole_run
from flows.shared.home_files.evaluation_reports import evaluations, save_evaluation
from vouch.adapters.ledger import Vote
from vouch.adapters.ledger.removal.erasure import Erasure
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.errors import Busy
from vouch.learning.labels.label import Label

KEPT = Retention(timedelta(days=90), timedelta(days=7), timedelta(days=365))
DAY = timedelta(days=1)


def tidy(bench, now=AT, **options):
    return tidy_up(bench.components, KEPT, now, **options)


def test_old_answers_go_with_all_that_hangs_on_them(bench):
    answered(bench, "old", "How long ago?", text="A qzxlong time.", candidates=["c1", "c2"], at=AT - 91 * DAY)
    answered(bench, "new", "How long ago?", text="Yesterday.", candidates=["c1"], at=AT - DAY)
    for name in ("old", "new"):
        bench.ledger.feedback.record(Vote(f"a-{name}", "user:ana@acme.test", "up", "Thanks", AT))
    preview = tidy(bench, dry_run=True)
    assert bench.ledger.surface.read("old")
    done = tidy(bench)
    assert (done.answers, done.candidates, done.votes, done.inbox) == (1, 2, 1, 0)
    assert [(run.kind, run.outcome) for run in bench.ledger.flow_runs.list()] == [("tidy", "done")]    # and no look
    assert preview.row() == done.row()
    assert bench.ledger.surface.read("old") is None and bench.ledger.answers.by_question("old") is None
    assert bench.ledger.surface.read("new")["answer"] == "Yesterday."
    assert [v.answer_id for v in bench.ledger.feedback.list()] == ["a-new"]
    assert tidy(bench).answers == 0


def test_what_a_killed_training_searched_goes_after_a_week(bench):
    folder = bench.home / "training-searches"
    folder.mkdir()
    for name, days in (("labels", 8), ("golden", 6)):
        (folder / name).write_text("key")
        at = (AT - days * DAY).timestamp()
        os.utime(folder / name, (at, at))
    preview = tidy(bench, dry_run=True)
    assert preview.searches == 1 and len(list(folder.iterdir())) == 2
    assert tidy(bench).row() == preview.row()
    assert [file.name for file in folder.iterdir()] == ["golden"]


def test_old_evaluations_go_but_never_the_newest(bench):
    def save(days):
        return save_evaluation(bench.home, "answers", "questions", AT - days * DAY, {"figures": {}}).name

    old = [save(400 + n) for n in range(3)]
    assert tidy(bench).evaluations == 0                     # few of them: their age does not count
    young = [save(n) for n in range(20)] + [save(360)]
    notes = bench.home / "evaluations" / "notes"
    notes.mkdir()
    preview = tidy(bench, dry_run=True)
    assert preview.evaluations == 3 and {one["name"] for one in evaluations(bench.home)} == {*old, *young}
    assert tidy(bench).row() == preview.row() and tidy(bench).evaluations == 0
    assert {one["name"] for one in evaluations(bench.home)} == set(young) and notes.is_dir()


def test_labels_go_with_their_answers_and_judgments_at_the_same_age(bench):
    for name, age in (("old", 91), ("new", 89)):
        answered(bench, name, "How long ago?", text="Long.", at=AT - age * DAY)
    given = ("How long ago?", ("public",))
    cited = [Label(*given, "c1", None, 1, 1, "cited", 1.0, AT, answer_id=f"a-{name}") for name in ("old", "new")]
    bench.ledger.labels.replace_derived(["a-old", "a-new"], cited)
    judged = [Label(*given, f"c{age}", None, 1, 3, "judged", 1.0, AT - age * DAY) for age in (89, 91)]
    many = [Label(*given, f"d{n}", None, 1, 0, "judged", 1.0, AT - 100 * DAY) for n in range(1100)]
    bench.ledger.labels.put([*judged, *many])
    preview = tidy(bench, dry_run=True)
    done = tidy(bench)
    assert done.labels == 1102 and preview.row() == done.row()
    assert {label.key for label in bench.ledger.labels.list()} == {cited[1].key, judged[0].key}
    assert tidy(bench).labels == 0


def test_an_answer_that_waits_to_be_sent_is_never_deleted(bench):
    answered(bench, "pending", "Still waiting?", text="Yes.", sent=False, at=AT - 400 * DAY)
    answered(bench, "failed", "Nobody takes it?", text="No.", sent=False, at=AT - 400 * DAY)
    rows = bench.ledger.outbox.claim(["terminal"], AT - 400 * DAY, timedelta(minutes=1))
    assert bench.ledger.outbox.fail(next(r for r in rows if r.question.id == "failed"), "refused")
    assert tidy(bench).answers == 1             # the failed one: nobody tries it again
    assert bench.ledger.answers.by_question("pending")
    send(bench, "pending", AT)
    assert tidy(bench).answers == 1


def test_a_late_repeat_of_a_question_gets_no_second_answer_for_a_year(bench):
    answered(bench, "q", "How long ago?", text="Long.", at=AT - 300 * DAY)
    tidy(bench)
    assert bench.ledger.answers.answered("q")
    assert tidy(bench, AT + 100 * DAY, dry_run=True).inbox == 1
    assert tidy(bench, AT + 100 * DAY).inbox == 1
    assert not bench.ledger.answers.answered("q")


@pytest.mark.parametrize("seed", range(8))
def test_the_log_keeps_what_a_reader_has_not_done(bench, seed):
    """Drawn readers, commits and ages, against a plain model of what may go."""
    print(f"seed {seed}")
    draw = random.Random(seed)
    now = [AT.timestamp()]
    log = EmbeddedLog(bench.home / "log.sqlite", partitions=2, clock=lambda: now[0])
    producer = log.producer()
    sent = []
    for n in range(40):
        age = draw.choice((1, 6, 8, 30, 100))
        now[0] = (AT - age * DAY).timestamp()
        topic = draw.choice(("questions", "feedback", "answers", "questions.dead", "documents.changed"))
        part, offset = producer.send(topic, str(draw.randrange(9)).encode(), str(n).encode())
        sent.append((topic, part, offset, age))
    now[0] = AT.timestamp()
    done: dict[tuple[str, str, int], int] = {}
    readers = {"vouch": ["questions", "feedback"], "audit": draw.choice((["questions"], ["answers"]))}
    for group, topics in readers.items():
        consumer = log.consumer(group, topics)
        for _ in range(draw.randrange(1, 25)):
            record = consumer.poll(0)
            if record is None:
                break
            assert consumer.commit(record)
            done[group, record.topic, record.partition] = record.offset + 1
        consumer.close()

    def free(topic, part, offset, age):
        if age <= (90 if topic.endswith(".dead") else 7):
            return False
        groups = [g for g, topics in readers.items() if topic in topics]
        if not groups:
            return topic == "answers" or topic.endswith(".dead")
        return all(done.get((g, topic, part), 0) > offset for g in groups)

    expected = {m[:3] for m in sent if not free(*m)}
    assert tidy(bench, dry_run=True).messages == len(sent) - len(expected)
    assert tidy(bench).messages == len(sent) - len(expected)
    topics = ("questions", "feedback", "answers", "questions.dead", "documents.changed")
    assert {(r.topic, r.partition, r.offset) for t in topics for r in log.read(t)} == expected
    lags = {topic: log.lag("vouch", topic) for topic in ("questions", "feedback")}
    assert lags == {t: sum(m[0] == t and m[2] >= done.get(("vouch", t, m[1]), 0) for m in sent) for t in lags}
    part, offset = producer.send("answers", b"k", b"later")
    assert (part, offset) not in {(m[1], m[2]) for m in sent if m[0] == "answers"}    # no offset is given twice
    producer.close()


def test_deleted_words_are_not_left_in_free_pages(bench):
    answered(bench, "old", "How long ago?", text="A qzxlong time.", at=AT - 91 * DAY)
    for n in range(50):
        answered(bench, f"old{n}", "How long ago?", text=f"A qzxlong time. {'padding ' * 200}", at=AT - 91 * DAY)
    tidy(bench)
    bench.ledger.erasure.scour()                # what a purge does besides: empties the file's log of changes
    assert grep(bench.home, ["qzxlong"]) == []


def test_killed_purges_are_brought_to_their_end(bench, tmp_path, monkeypatch):
    ingest_history(bench, tmp_path / "docs")
    monkeypatch.setattr(Erasure, "erase", lambda *_: os._exit(DIED))
    assert ended(fork(lambda: purge(bench.components, ("docs", "board/pay.md"), with_copies=False))) == DIED
    monkeypatch.undo()
    assert tidy(bench, dry_run=True).purges == ("docs:board/pay.md",)
    with sole_run(bench.home), pytest.raises(Busy):
        tidy(bench)
    assert tidy(bench).purges == ("docs:board/pay.md",)
    assert bench.ledger.purges.unfinished() == []
    assert json.loads(json.dumps(tidy(bench).row()))["purges"] == []
