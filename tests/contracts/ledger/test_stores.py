"""What the stores of the ledger promise, whichever database lies under them."""

import random
import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from machines.ledger_place import LedgerPlace

from vouch.adapters.ledger import Ledger, SourceRow, Vote
from vouch.adapters.ledger.removal.erasure import Target
from vouch.errors import Conflict, Held, NotFound, Usage
from vouch.messages import QuestionAsked, TagsAudience
from vouch.ports.log import Record
from vouch.ports.stores import Restored
from vouch.ports.surface import Delivery

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def ledger(ledger_place: LedgerPlace) -> Ledger:
    return ledger_place.open()


def question(number: int = 1, surface: str = "terminal") -> QuestionAsked:
    return QuestionAsked(
        id=f"q{number}", text="Who? 你好 \U0001f600", surface=surface, asker="user:ana@acme.test",
        audience=TagsAudience(tags=("user:ana@acme.test",)), asked_at=NOW,
    )  # fmt: skip


def answer(name: str = "a1") -> dict[str, Any]:
    return {"id": name, "answer": "Nobody. 你好", "citations": [{"number": 1}], "score": 0.1}


def candidate(chunk: str, **more: Any) -> dict[str, Any]:
    return {"chunk_id": chunk, "cited": False, "evidence": {}, "schema": 3, "features": {"cosine": 0.1 + 0.2}} | more


def test_sources_come_back_by_name_and_names_are_unique(ledger: Ledger) -> None:
    rows = [SourceRow("b", "events", "/b.jsonl", None), SourceRow("a", "folder", "/a", "/a/access.yaml")]
    for row in rows:
        ledger.sources.add(row)
    assert ledger.sources.list() == sorted(rows, key=lambda r: r.name)
    assert ledger.sources.get("b") == rows[0]
    with pytest.raises(Usage) as taken:
        ledger.sources.add(rows[0])
    assert "vouch source set b" in taken.value.cure and "vouch source remove b" in taken.value.cure
    ledger.sources.remove("b")
    for act in (ledger.sources.get, ledger.sources.remove):
        with pytest.raises(NotFound):
            act("b")


def test_the_stat_cache_replaces_and_keeps_sources_apart(ledger: Ledger) -> None:
    rows = {f"p{i}.md": (i, 1_700_000_000_000_000_000 + i, f"{i:064x}") for i in range(50)}
    ledger.stat_cache.put("s", rows)
    ledger.stat_cache.put("other", {"p0.md": (9, 9, "h")})
    assert ledger.stat_cache.get("s") == rows
    ledger.stat_cache.put("s", {"p1.md": (7, 7, "h")})
    assert ledger.stat_cache.get("s") == {"p1.md": (7, 7, "h")}
    ledger.stat_cache.put("s", {})
    assert ledger.stat_cache.get("s") == {}
    assert ledger.stat_cache.get("other") == {"p0.md": (9, 9, "h")}


def test_an_answer_comes_back_bit_for_bit_with_all_its_candidates(ledger: Ledger) -> None:
    scores = {"lexical_score": 7.5, "lexical_rank": 1, "dense_score": 0.25, "rerank_score": 0.1 + 0.2, "rerank_rank": 2}
    place = {"position": 1, "shown": 1, "cited": True, "evidence": {"cosine": 0.1}}
    rows = [candidate("c1", **scores, **place), candidate("c2", seed="c1", expansion="adjacent")]
    assert ledger.answers.record(question(), answer(), rows, ["c1"], NOW) is True
    assert ledger.answers.get("a1") == ledger.answers.by_question("q1") == answer()
    kept = ledger.answers.candidates("a1")
    assert [{k: v for k, v in row.items() if v is not None} for row in kept] == rows
    assert ledger.answers.by_question("q2") is None
    with pytest.raises(NotFound):
        ledger.answers.get("a2")


def test_a_question_gets_one_answer_however_often_it_comes(ledger: Ledger) -> None:
    wins = []

    def record(i: int) -> None:
        if ledger.answers.record(question(), answer(f"a{i}"), [candidate("c")], ["c"], NOW):
            wins.append(f"a{i}")

    threads = [threading.Thread(target=record, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(wins) == 1
    found = ledger.answers.by_question("q1")
    assert found and found["id"] == wins[0]
    assert ledger.outbox.counts() == {"pending": 1}


def test_an_answer_that_cannot_be_recorded_leaves_nothing_behind(ledger: Ledger) -> None:
    ledger.answers.record(question(1), answer("a1"), [], [], NOW)
    with pytest.raises(Conflict):
        ledger.answers.record(question(2), answer("a1"), [candidate("c")], [], NOW)
    with pytest.raises(Usage):
        ledger.answers.record(question(3), answer("a3"), [{"chunk_id": "c", "typo": 1}], [], NOW)
    assert not ledger.answers.answered("q2") and not ledger.answers.answered("q3")
    assert ledger.outbox.counts() == {"pending": 1}


def test_a_claimed_answer_is_nobody_elses_until_the_claim_ends(ledger: Ledger) -> None:
    ledger.answers.record(question(1), answer("a1"), [], ["c1"], NOW)
    ledger.answers.record(question(2, "slack"), answer("a2"), [], [], NOW + MINUTE)
    assert ledger.outbox.claim(["terminal", "slack"], NOW - MINUTE, MINUTE) == []
    [row] = ledger.outbox.claim(["terminal"], NOW + MINUTE, MINUTE)
    assert (row.question, row.answer, row.given) == (question(1), answer("a1"), ("c1",))
    assert (row.doubt, row.attempts, row.rechecks) == (False, 0, 0)
    assert ledger.outbox.claim(["terminal"], NOW + MINUTE, MINUTE) == []
    [again] = ledger.outbox.claim(["terminal"], NOW + 3 * MINUTE, MINUTE)
    assert again.doubt is False
    assert ledger.outbox.posting(row, NOW, MINUTE) is False
    assert ledger.outbox.sent(row, NOW) is False
    assert ledger.outbox.sent(again, NOW) is True
    assert ledger.outbox.counts() == {"pending": 1, "sent": 1}


def test_what_waited_longest_is_claimed_first(ledger: Ledger) -> None:
    for number, minutes in [(1, 2), (2, 0), (3, 1)]:
        ledger.answers.record(question(number), answer(f"a{number}"), [], [], NOW + minutes * MINUTE)
    claimed = []
    while rows := ledger.outbox.claim(["terminal"], NOW + 5 * MINUTE, MINUTE, limit=1):
        claimed += [row.question.id for row in rows]
    assert claimed == ["q2", "q3", "q1"]


def test_an_answer_put_off_comes_back_when_due_with_what_is_known_of_it(ledger: Ledger) -> None:
    ledger.answers.record(question(), answer(), [], [], NOW)
    for posted, failed, attempts in [(False, True, 1), (True, False, 1), (False, True, 2)]:
        [row] = ledger.outbox.claim(["terminal"], NOW, MINUTE)
        assert ledger.outbox.later(row, NOW, "why", posted=posted, failed=failed)
        [row] = ledger.outbox.claim(["terminal"], NOW, MINUTE)
        assert (row.doubt, row.attempts) == (posted, attempts)
        ledger.outbox.later(row, NOW, "", posted=False, failed=False)
    [row] = ledger.outbox.claim(["terminal"], NOW, MINUTE)
    ledger.outbox.fail(row, "never")
    assert ledger.outbox.counts() == {"failed": 1}


def test_a_crash_leaves_doubt_only_while_the_answer_is_being_posted(ledger: Ledger) -> None:
    ledger.answers.record(question(), answer(), [], [], NOW)
    [row] = ledger.outbox.claim(["terminal"], NOW, MINUTE)
    assert ledger.outbox.posting(row, NOW + MINUTE, 5 * MINUTE) is True
    assert ledger.outbox.counts() == {"posting": 1}
    assert ledger.outbox.claim(["terminal"], NOW + 5 * MINUTE, MINUTE) == []      # the lease began anew
    [left] = ledger.outbox.claim(["terminal"], NOW + 6 * MINUTE, MINUTE)
    assert left.doubt is True and ledger.outbox.sent(row, NOW) is False
    [again] = ledger.outbox.claim(["terminal"], NOW + 8 * MINUTE, MINUTE)
    assert again.doubt is True                          # nothing has settled it yet
    assert ledger.outbox.later(again, NOW, "asked: not there", posted=False)
    [row] = ledger.outbox.claim(["terminal"], NOW, MINUTE)
    assert row.doubt is False


def test_what_waits_is_counted_by_surface_and_what_nobody_serves_fails(ledger: Ledger) -> None:
    for number, surface in enumerate(["terminal", "terminal", "slack", "nowhere"], 1):
        at = NOW + number * MINUTE
        ledger.answers.record(question(number, surface), answer(f"a{number}"), [], [], at)
    first = {"terminal": (2, NOW + MINUTE), "slack": (1, NOW + 3 * MINUTE), "nowhere": (1, NOW + 4 * MINUTE)}
    assert ledger.outbox.waiting() == first
    assert ledger.outbox.fail_unserved(["terminal", "slack"], NOW + 4 * MINUTE, "nobody") == 0, "it is not old enough"
    assert ledger.outbox.waiting() == first
    assert ledger.outbox.fail_unserved(["terminal", "slack"], NOW + 5 * MINUTE, "nobody") == 1
    assert ledger.outbox.fail_unserved(["terminal", "slack"], NOW + 5 * MINUTE, "nobody") == 0
    del first["nowhere"]
    assert ledger.outbox.waiting() == first and ledger.outbox.counts() == {"pending": 3, "failed": 1}


@pytest.mark.slow
def test_of_an_askers_questions_so_many_count_within_any_minute(ledger: Ledger) -> None:
    """Against a plain count of the moments, in the order they come, which is not that of the moments."""
    chance, taken = random.Random(5), dict[str, list[datetime]]()
    for number in range(300):
        asker = chance.choice(["user:ana@acme.test", "user:bo@acme.test"])
        at = NOW + timedelta(seconds=number * 2 + chance.uniform(0, 30))
        near = [one for one in taken.setdefault(asker, []) if abs(one - at) < MINUTE]
        room = not ledger.pace.wait(asker, at, 5)
        assert room is (len(near) < 5)
        assert (not ledger.pace.admit(f"q{number}", asker, at, 5)) is room
        if room:
            taken[asker].append(at)
            assert not ledger.pace.admit(f"q{number}", asker, at, 5)        # a repeat has its place already
    assert 0 < sum(map(len, taken.values())) < 300


def test_who_waits_as_long_as_told_has_room(ledger: Ledger) -> None:
    for number in range(3):
        assert not ledger.pace.admit(f"q{number}", "public", NOW + timedelta(seconds=10 * number), 3)
    at = NOW + timedelta(seconds=30)
    wait = ledger.pace.admit("q3", "public", at, 3)
    assert wait == timedelta(seconds=30)
    assert not ledger.pace.admit("q3", "public", at + wait, 3)


def test_many_at_once_get_no_more_than_there_is_room_for(ledger: Ledger) -> None:
    taken: list[int] = []

    def ask(number: int) -> None:
        if not ledger.pace.admit(f"q{number}", "public", NOW, 4):
            taken.append(number)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == 4


def test_an_answer_that_is_replaced_leaves_no_trace(ledger: Ledger) -> None:
    ledger.answers.record(question(), answer("a1"), [candidate("c1")], ["c1"], NOW)
    ledger.feedback.record(Vote("a1", "public", "up", None, NOW))
    [row] = ledger.outbox.claim(["terminal"], NOW, MINUTE)
    assert ledger.outbox.replace(row, answer("a2"), [candidate("c2")], ["c2"], NOW, 1) is True
    assert ledger.outbox.replace(row, answer("a3"), [], [], NOW, 1) is False
    assert ledger.answers.by_question("q1") == answer("a2")
    assert ledger.answers.candidates("a1") == []
    [row] = ledger.outbox.claim(["terminal"], NOW, MINUTE)
    assert (row.answer, row.given, row.rechecks, row.doubt) == (answer("a2"), ("c2",), 1, False)


def test_the_ledger_shows_an_answer_only_once_it_was_posted(ledger: Ledger) -> None:
    ledger.answers.record(question(), answer("a1"), [], [], NOW)
    delivery = Delivery("q1", None, answer("a1"))
    assert ledger.surface.read("q1") is None and not ledger.surface.has(delivery)
    ledger.surface.post(delivery)
    ledger.surface.post(delivery)
    assert ledger.surface.read("q1") == answer("a1") and ledger.surface.has(delivery)
    with pytest.raises(Conflict):
        ledger.surface.post(Delivery("q2", None, answer("withdrawn")))


def test_of_a_persons_votes_the_last_counts_whatever_order_they_come_in(ledger: Ledger) -> None:
    ledger.answers.record(question(), answer("a1"), [], [], NOW)
    early = Vote("a1", "user:ana@acme.test", "up", None, NOW)
    late = Vote("a1", "user:ana@acme.test", "down", "out of date", NOW + MINUTE)
    other = Vote("a1", "public", "up", None, NOW)
    assert ledger.feedback.record(late) and ledger.feedback.record(other)
    assert ledger.feedback.record(early) is False
    assert ledger.feedback.record(late) is True
    assert ledger.feedback.list("a1") == ledger.feedback.list() == [other, late]
    with pytest.raises(NotFound):
        ledger.feedback.record(Vote("a2", "public", "up", None, NOW))


def test_attempts_are_counted_across_processes_until_the_message_is_done(ledger: Ledger) -> None:
    record = Record("questions", 0, 5, b"", b"", (), 0)
    assert ledger.attempts.put("g", record, 0, NOW - MINUTE) == NOW - MINUTE and ledger.attempts.begun("g", record) == 0
    assert ledger.attempts.put("g", record, 1, NOW) == NOW
    for _ in range(2):
        assert ledger.attempts.put("g", record, 2, NOW + MINUTE) == NOW
    assert (ledger.attempts.begun("g", record), ledger.attempts.begun("another", record)) == (2, 0)
    ledger.attempts.put("another", record, 1, NOW)
    ledger.attempts.put("g", record, 1, NOW + MINUTE)
    assert ledger.attempts.begun("g", record) == 1
    ledger.attempts.end("g", record)
    assert (ledger.attempts.begun("g", record), ledger.attempts.begun("another", record)) == (0, 1)


def test_those_who_do_the_same_at_once_never_meet(ledger: Ledger) -> None:
    failures: list[Exception] = []
    ledger.answers.record(question(), answer("a1"), [], [], NOW)
    delivery = Delivery("q1", None, answer("a1"))
    meeting = threading.Barrier(6)

    def act(number: int) -> None:
        try:
            for i in range(10):
                meeting.wait(20)
                ledger.feedback.record(Vote("a1", f"user:{i}@acme.test", "up", None, NOW + number * MINUTE))
                ledger.attempts.put("g", Record("questions", 0, i, b"", b"", (), 0), 1, NOW)
                ledger.surface.post(delivery)
                ledger.stat_cache.put(f"s{i}", {"a.md": (number, number, "h")})
                ledger.purges.begin([("s", f"{i}.md")], [f"{number:x}"], NOW)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=act, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert [vote.at for vote in ledger.feedback.list()] == [NOW + 5 * MINUTE] * 10
    assert ledger.attempts.begun("g", Record("questions", 0, 0, b"", b"", (), 0)) == 1
    assert [(purge.path, len(purge.hashes)) for purge in ledger.purges.all()] == [(f"{i}.md", 6) for i in range(10)]


def test_run_reports_come_back_newest_first(ledger: Ledger) -> None:
    for version in (1, 2, 3):
        ledger.runs.add({"version": version}, NOW)
    assert [run.report for run in ledger.runs.list(limit=2)] == [{"version": 3}, {"version": 2}]
    assert ledger.runs.list()[0].at == NOW


def test_runs_of_flows_are_known_from_their_beginning_on(ledger: Ledger) -> None:
    runs = ledger.flow_runs
    ingest, tidy = runs.begin("ingest", "docs", NOW), runs.begin("tidy", "", NOW + MINUTE)
    runs.end(tidy, "failed", NOW + 2 * MINUTE, error="Busy", cause="x" * 600)
    going, failed = runs.list()
    assert (going.kind, going.of, going.state(NOW), going.seconds(NOW + MINUTE)) == ("ingest", "docs", "going on", 60)
    assert (failed.state(NOW), failed.error, failed.cause, failed.seconds(NOW)) == ("failed", "Busy", "x" * 500, 60)
    runs.end(ingest, "done", NOW + 3 * MINUTE)
    assert [run.kind for run in runs.list(limit=1)] == ["tidy"] and runs.list()[1].state(NOW) == "done"


def test_a_run_that_is_silent_is_cut_off_until_it_is_heard_of(ledger: Ledger) -> None:
    runs = ledger.flow_runs
    killed = runs.begin("ingest", "docs", NOW)
    runs.seen(killed, NOW + MINUTE)
    (run,) = runs.list()
    assert (run.state(NOW + 6 * MINUTE), run.state(NOW + 7 * MINUTE)) == ("going on", "cut off")
    assert run.seconds(NOW + 60 * MINUTE) == 60
    runs.begin("tidy", "", NOW + 7 * MINUTE)
    run = next(one for one in runs.list() if one.id == killed)
    assert (run.outcome, run.ended_at) == ("cut off", NOW + MINUTE)
    runs.seen(killed, NOW + 8 * MINUTE)                     # its machine slept
    assert [(one.outcome, one.ended_at) for one in runs.list() if one.id == killed] == [(None, None)]
    runs.end(killed, "done", NOW + 9 * MINUTE)
    runs.seen(killed, NOW + 10 * MINUTE)                    # said before, heard after
    assert [one.outcome for one in runs.list() if one.id == killed] == ["done"]


def test_tidying_lets_go_of_old_runs_and_a_purge_of_words_they_failed_with(ledger: Ledger) -> None:
    runs = ledger.flow_runs
    runs.end(runs.begin("ingest", "docs", NOW), "failed", NOW, error="Damaged", cause="in old.md: the secret words")
    runs.end(runs.begin("ingest", "docs", NOW), "failed", NOW + 2 * MINUTE, error="Damaged", cause="the disk is full")
    ledger.erasure.erase(Target((), (), lambda data: b"secret" in data), (), ())
    assert [run.cause for run in runs.list()] == ["the disk is full", "removed"]
    ledger.expiry.expire(NOW + MINUTE, NOW)
    assert [run.cause for run in runs.list()] == ["the disk is full"]


def test_moments_keep_their_instant_in_utc(ledger: Ledger) -> None:
    from zoneinfo import ZoneInfo

    local = datetime(2026, 7, 1, 9, 30, 15, 123456, tzinfo=ZoneInfo("America/New_York"))
    ledger.runs.add({}, local)
    kept = ledger.runs.list()[0].at
    assert kept == local and kept.utcoffset() == timedelta(0)


def test_a_hold_lasts_until_it_is_released(ledger: Ledger) -> None:
    assert ledger.holds.current() is None
    ledger.holds.check()
    with pytest.raises(NotFound, match="not stopped"):
        ledger.holds.release()
    one, two = ledger.versions.allocate(None).number, ledger.versions.allocate(None).number
    ledger.versions.roll_back(None, one, Restored(7, {}))
    ledger.versions.roll_back(one, two, Restored(8, {}))
    held = ledger.holds.current()
    assert held is not None and (held.version, held.content_of) == (two, 8) and held.at.tzinfo is not None
    with pytest.raises(Held) as told:
        ledger.holds.check()
    assert told.value.exit_code == 6 and "vouch versions release" in told.value.cure and str(held) in told.value.cause
    assert ledger.holds.release() == held
    ledger.holds.check()
    with pytest.raises(NotFound):
        ledger.holds.release()
