"""The owners' digest: once a day, with documents that its reader may read, and nothing that few people asked."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from fakes.hashed_models import HashedEncoder
from fakes.memory_index import MemoryIndex
from fakes.owners import OwnersByPath
from homes.grep_home import grep
from homes.purge_scene import QUOTE, SECRET, run
from homes.small_world import passage
from learning_scene.past_answers import put
from sqlalchemy import update

from flows.monitoring.digest import tell_owners
from flows.monitoring.gap_run import GapComponents, gap_rows
from flows.runs.run import sole_run
from vouch.access import Directory, Label, Permissions, Person
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.ledger import Vote
from vouch.adapters.ledger.engine.schema import answers
from vouch.adapters.ledger.registry.model_rows import GUARD, RegisteredModel
from vouch.errors import Busy
from vouch.learning.gaps.gap import GapLimits

NOW = datetime(2026, 11, 23, 6, 20, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
OLD = NOW - 800 * DAY
ANA, BEN = "user:ana@acme.test", "user:ben@acme.test"
PEOPLE = Directory(people={"ana@acme.test": Person(("board",)), "ben@acme.test": Person(())})


def components(bench) -> GapComponents:
    analyser = SnowballAnalyser()
    encoder = HashedEncoder(analyser, 256)
    papers = [passage("Pay.", chunk_id="0" * 32, source="docs", path="board/pay.md", changed_at=OLD),
              passage("Leave.", chunk_id="1" * 32, source="docs", path="leave.md", changed_at=OLD),
              passage("New.", chunk_id="2" * 32, source="docs", path="new.md", changed_at=NOW - 364 * DAY),
              passage("When?", chunk_id="3" * 32, source="docs", path="undated.md")]
    labels = {paper.chunk_id: Label(frozenset({"public"})) for paper in papers}
    labels["0" * 32] = Label(frozenset({"group:board"}))
    permissions = SimpleNamespace(permissions=lambda: Permissions.settled(1, {}, PEOPLE))
    return GapComponents(bench.home, bench.ledger, MemoryIndex(papers, labels, encoder, analyser), permissions,
                         lambda: encoder, analyser, lambda vectors, smallest: [-1] * len(vectors),
                         GapLimits(alike=0.3), 4, 0.4, OwnersByPath({}))


def ask(bench, words: str = "Where do I park my bicycle?") -> None:
    """Four ask in vain, one asks something alone; two answers are called outdated."""
    for n in range(4):
        put(bench.ledger, f"vain{n}", words, f"user:{n}", NOW - HOUR)
    put(bench.ledger, "alone", "Am I about to be zzqdismissed?", "user:9", NOW - HOUR)
    for path in ("board/pay.md", "leave.md"):
        name = cite(bench, path, path)
        bench.ledger.feedback.record(Vote(name, "user:7", "down", "zzqold", NOW - HOUR, "outdated"))
    for row in bench.ledger.outbox.claim(["terminal"], NOW, HOUR, 100):
        assert bench.ledger.outbox.sent(row, NOW)


def cite(bench, name: str, *paths: str, at: datetime = NOW - HOUR, **more: str) -> str:
    """The id of an answer that cites these documents."""
    made = put(bench.ledger, name, "How much?", "user:7", at, action="answered", confidence=0.9)
    cited = [{"source": "docs", "path": path, "chunk_id": "0" * 32, "number": 1, "quote": ""} | more for path in paths]
    body = bench.ledger.answers.get(made) | {"citations": cited}
    with bench.ledger._database.write() as connection:
        connection.execute(update(answers).where(answers.c.answer_id == made).values(body=body))
    return made


def told(bench, *people: str, at: datetime = NOW):
    return tell_owners(components(bench), lambda directory, now: list(people), at)


def messages(bench) -> dict[str, str]:
    found = {}
    while (notice := bench.ledger.notices.claim(NOW + timedelta(days=2))) is not None:
        found[notice.body["owner"]] = "\n".join(line["text"] for line in notice.body["lines"])
        bench.ledger.notices.finish(notice.id, "posted")
    return found


def test_each_owner_is_told_once_a_day_and_of_what_that_owner_may_read(bench) -> None:
    ask(bench)
    made = told(bench, ANA, BEN)
    assert made.owners == 2 and told(bench, ANA, BEN).owners == 0
    assert [(run.kind, run.outcome) for run in bench.ledger.flow_runs.list()] == [("digest", "done")] * 2
    found = messages(bench)
    assert "board/pay.md" in found[ANA] and "board/pay.md" not in found[BEN] and "leave.md" in found[BEN]
    assert all("bicycl" in text.lower() and "4 people" in text for text in found.values())
    assert "7 questions, 5 not answered" in found[BEN] and "0 up, 2 down, outdated 2" in found[BEN]
    assert told(bench, ANA, BEN, at=NOW + timedelta(days=1)).owners == 2


def test_a_model_that_was_put_back_on_the_day_is_told_of_and_no_other_move(bench) -> None:
    models = bench.ledger.models
    models.add(RegisteredModel("fusion-1", "fusion", "candidate", {}, {}, None, NOW - 9 * DAY))
    for n, (name, by, at) in enumerate([("fusion-1", "somebody", NOW - 2 * DAY), (None, GUARD, NOW - DAY - HOUR),
                                        ("fusion-1", "somebody", NOW - 2 * HOUR), (None, GUARD, NOW - HOUR)]):
        models.move("fusion", name, expected=n, reason=f"reason {n}", by=by, at=at)
    made = told(bench, ANA)
    (line,) = made.row["put_back"]
    assert "fusion-1 was replaced by what comes with vouch" in line and line.endswith("reason 3")
    assert f"• {line}" in messages(bench)[ANA]
    assert told(bench, ANA, at=NOW + DAY).row["put_back"] == []


def test_a_digest_that_nobody_posted_gives_way_to_the_next(bench) -> None:
    ask(bench)
    told(bench, ANA)
    assert told(bench, ANA, at=NOW + timedelta(days=1)).owners == 1
    assert bench.ledger.notices.waiting() == [f"digest.2026-11-24.{ANA}"]


def test_what_few_people_asked_and_the_words_of_votes_are_in_none(bench) -> None:
    ask(bench)
    made = told(bench, ANA)
    text = "".join(path.read_text() for path in made.files) + "".join(messages(bench).values())
    assert "zzq" not in text and "user:" not in text


def test_no_example_is_in_it_though_its_asker_allows_it(bench) -> None:
    """Whoever takes the leave back is heard by the weekly report alone."""
    ask(bench)
    put(bench.ledger, "shared", "Where do I park my zzqbicycle?", "user:0@acme.test", NOW - HOUR, share=True)
    made = told(bench, ANA)
    rows = gap_rows(components(bench), [ANA], NOW, weeks=1)["gaps"]
    assert any("zzqbicycle" in one for row in rows for one in row["allowed_examples"])      # else nothing is tested
    text = "".join(path.read_text() for path in made.files) + "".join(messages(bench).values())
    assert "zzqbicycle" not in text


def test_a_gap_that_no_words_may_be_told_of_is_none_of_an_owners(bench) -> None:
    """Its askers share no word, and the one example is of somebody who may take the leave back."""
    for n, text in enumerate(["aqua", "brim", "colt"]):
        put(bench.ledger, text, text, f"user:{n}@acme.test", NOW - HOUR, share=n == 0)
    parts = replace(components(bench), limits=GapLimits(alike=-1.0))
    assert [gap["title"] for gap in gap_rows(parts, [ANA], NOW, weeks=1)["gaps"]] == [[]]
    made = tell_owners(parts, lambda directory, now: [ANA], NOW)
    assert made.row["gaps"] == [] and "no common word" not in messages(bench)[ANA]


def test_the_file_names_what_all_owners_may_read(bench) -> None:
    ask(bench)
    made = told(bench, ANA, BEN)
    assert [path.name for path in made.files] == ["digest-2026-11-23.json", "digest-2026-11-23.md"]
    assert [one["document"] for one in json.loads(made.files[0].read_text())["outdated"]] == ["docs:leave.md"]
    assert "docs:board/pay.md" in told(bench, ANA).files[0].read_text()
    assert "board" not in told(bench).files[0].read_text()


def test_old_documents_that_are_cited_are_named_to_those_who_may_read_them(bench) -> None:
    cite(bench, "one", "leave.md", "leave.md", "board/pay.md", "new.md", "undated.md", "gone.md")
    cite(bench, "two", "leave.md")
    cite(bench, "web", "board/pay.md", origin="external")
    cite(bench, "before", "leave.md", at=NOW - 2 * DAY)
    made = told(bench, ANA, BEN)
    assert made.row["outdated"] == [] and made.numbers()["old"] == 1
    assert json.loads(made.files[0].read_text())["old"] == [
        {"document": "docs:leave.md", "answers": 2, "changed_at": OLD.isoformat()}]
    named = {}
    while (notice := bench.ledger.notices.claim(NOW + timedelta(days=2))) is not None:
        lines = [(one["document"], one["text"]) for one in notice.body["lines"]]
        named[notice.body["owner"]] = [line for line in lines if line[0]]
        bench.ledger.notices.finish(notice.id, "posted")
    leave = "docs:leave.md", "• docs:leave.md: changed 2024-09-14, 2 years ago, 2 answers"
    assert named[BEN] == [leave]
    pay = "docs:board/pay.md", "• docs:board/pay.md: changed 2024-09-14, 2 years ago, 1 answer"
    assert named[ANA] == [leave, pay]


def test_how_old_is_old_is_set(bench) -> None:
    cite(bench, "one", "leave.md", "new.md")
    for days, found in ((363, ["docs:leave.md", "docs:new.md"]), (801, []), (0, [])):
        parts = replace(components(bench), old_days=days)
        made = tell_owners(parts, lambda directory, now: [BEN], NOW)
        assert sorted(one["document"] for one in made.row["old"]) == found


def test_what_goes_to_others_is_numbers(bench) -> None:
    ask(bench)
    assert told(bench, ANA).numbers() == {
        "owners": 1, "gaps": 1, "outdated": 2, "old": 2, "answers": 7, "up": 0, "down": 2}


def test_a_purge_takes_the_digest_along_and_none_is_made_beside_one(kept) -> None:
    ask(kept, QUOTE)
    made = told(kept, ANA)
    assert grep(kept.home, SECRET[:1]) and made.owners == 1
    run(kept)
    assert grep(kept.home, SECRET) == [] and messages(kept) == {}
    with sole_run(kept.home), pytest.raises(Busy, match="a purge"):
        told(kept, ANA)
