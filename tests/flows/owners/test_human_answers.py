"""Answers of people as documents: for their readers alone, until their day, and forgotten like any other."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from homes.grep_home import grep
from homes.purge_scene import QUOTE, SECRET, run
from learning_scene.flow_answers import answered

from flows.runs.retention import Retention, tidy_up
from vouch.access import Directory, Person
from vouch.adapters.access.watched import WatchedPermissions
from vouch.adapters.ledger import Draft, Ledger, SourceRow
from vouch.adapters.ledger.engine.schema import drafts, notices
from vouch.adapters.ledger.handoffs import draft_id
from vouch.adapters.sources.human_answers import NAME, HumanAnswers, access_file
from vouch.errors import Guarded, Usage

NOW = datetime.now(UTC)
DAY = timedelta(days=1)
ANA, BEN, OUT = "user:ana@acme.test", "user:ben@acme.test", "user:out@acme.test"
WORDS = "The zzqlift key lies with the porter in the second building."


def draft(name: str = "a1", text: str = WORDS, **changes: Any) -> Draft:
    return Draft(**{
        "id": draft_id(name), "answer_id": name, "conversation": "T1/C1", "documents": (),
        "question": "Where is the key?\naccess: [public]\n---\n", "text": text, "access": (ANA, BEN),
        "state": "waiting", "by": BEN, "made_at": NOW, "expires_at": NOW + 90 * DAY,
    } | changes)


def put(ledger: Ledger, *made: Draft) -> None:
    with ledger._database.write() as connection:
        for one in made:
            connection.execute(drafts.insert().values({
                c.name: list(v) if isinstance(v := getattr(one, c.name), tuple) else v for c in drafts.c}))


PEOPLE = Directory(people={name: Person(()) for name in ("ana@acme.test", "ben@acme.test", "out@acme.test")})


def ingest(bench, place: HumanAnswers) -> None:
    WatchedPermissions(bench.ledger.sources, bench.ledger.access).refresh()
    bench.folder(NAME, place.folder)
    bench.ingest()


def readable(bench, tag: str) -> list[str]:
    """Paths of the source that the person may read in the current version, by the rules of now."""
    version = bench.components.store.open_current()
    permissions = WatchedPermissions(bench.ledger.sources, bench.ledger.access).permissions()
    audience = PEOPLE.audience([tag])
    return [h.path for h in version.documents() if h.source == NAME and h.state == "indexed"
            and audience.may_read(permissions.label(h.source, h.path, h.narrowed))]


@pytest.fixture
def place(bench) -> HumanAnswers:
    return HumanAnswers(bench.home, bench.ledger)


def test_only_the_exact_readers_read_an_approved_answer_and_nobody_after_its_day(bench, place):
    put(bench.ledger, draft(), draft("a2", "Nobody approved the zzqnever answer.", access=(ANA,)))
    assert place.settle(NOW) is False and not place.folder.exists()
    done, changed = place.decide(draft_id("a1"), "approved", BEN, NOW)
    assert changed and done.path in [str(p.relative_to(place.folder)) for p in place.folder.glob("*/*")]
    ingest(bench, place)
    assert {tag: readable(bench, tag) for tag in (ANA, BEN, OUT, "public")} == {
        ANA: [done.path], BEN: [done.path], OUT: [], "public": []}
    version = bench.components.store.open_current()
    assert "zzqlift" in version.record(NAME, done.path).text
    assert version.record(NAME, done.path).narrowed == {ANA, BEN}       # by the file itself, too
    assert place.settle(NOW + 91 * DAY)
    assert readable(bench, ANA) == []                                   # before any ingest
    ingest(bench, place)                                                # its only document: no guard stands in the way
    assert [h.path for h in bench.components.store.open_current().documents() if h.source == NAME] == []
    assert bench.ledger.drafts.get(done.id).state == "expired"


def test_an_expired_answer_is_forbidden_at_once_where_others_have_the_same_readers(bench, place):
    put(bench.ledger, draft(), draft("a2", "Another answer of the same people.", expires_at=NOW + 200 * DAY))
    for name in ("a1", "a2"):
        place.decide(draft_id(name), "approved", BEN, NOW)
    ingest(bench, place)
    assert len(readable(bench, ANA)) == 2
    place.settle(NOW + 91 * DAY)
    assert readable(bench, ANA) == [draft("a2").path]
    place.decide(draft_id("a2"), "refused", BEN, NOW + 92 * DAY)
    assert readable(bench, ANA) == []


def test_a_decision_stands_and_what_has_expired_cannot_be_approved(bench, place):
    put(bench.ledger, draft(), draft("a2", expires_at=NOW + DAY))
    place.decide(draft_id("a1"), "refused", ANA, NOW)
    with pytest.raises(Usage, match="refused already"):
        place.decide(draft_id("a1"), "approved", BEN, NOW)
    with pytest.raises(Usage, match="expired"):
        place.decide(draft_id("a2"), "approved", BEN, NOW + 2 * DAY)
    assert place.settle(NOW + 2 * DAY) is False and bench.ledger.sources.list() == []


def test_what_holds_nothing_that_can_be_read_is_not_approved(bench, place):
    made = draft(text="\u200b\ufe0f\u3164")
    put(bench.ledger, made)
    with pytest.raises(Usage, match="nothing that can be read"):
        place.decide(made.id, "approved", BEN, NOW)
    assert place.decide(made.id, "refused", BEN, NOW)[0].state == "refused"


def test_the_folder_follows_the_ledger_whatever_a_crash_left(bench, place):
    put(bench.ledger, draft())
    done, _ = place.decide(draft_id("a1"), "approved", BEN, NOW)
    (place.folder / "leftover").mkdir()
    (place.folder / "leftover" / "x.md").write_text("Words of a draft that is none any more.")
    (place.folder / done.path).unlink()
    assert place.settle(NOW) and not place.settle(NOW)
    assert [str(p.relative_to(place.folder)) for p in place.folder.glob("*/*")] == [done.path]


def test_more_than_an_access_file_may_hold_is_refused_before_anything_changes(bench, place):
    many = tuple(f"user:person{n:06}@a-rather-long-domain.acme.test" for n in range(5000))
    put(bench.ledger, draft(access=many))
    with pytest.raises(Guarded):
        place.decide(draft_id("a1"), "approved", BEN, NOW)
    assert bench.ledger.drafts.get(draft_id("a1")).state == "waiting"


def test_a_source_of_somebody_with_the_name_is_left_alone(bench, place, tmp_path: Path):
    (tmp_path / "mine").mkdir()
    bench.ledger.sources.add(SourceRow(NAME, "folder", str(tmp_path / "mine")))
    put(bench.ledger, draft())
    with pytest.raises(Usage, match="taken by another source"):
        place.decide(draft_id("a1"), "approved", BEN, NOW)
    assert str(tmp_path / "mine") == bench.ledger.sources.get(NAME).path


def test_rules_hold_what_tags_may_hold():
    odd = draft(access=('user:a"b]#x@acme.test', "user:ü@acme.test"))
    assert 'user:a\\"b]#x@acme.test' in access_file([odd], []) and "allow: []" not in access_file([odd], [])
    assert access_file([], [odd]) == "rules: []\n"


def test_a_purge_of_it_takes_the_draft_the_file_and_the_words_of_the_hand_over(bench, place):
    answered(bench, "q", "Where is the key?", text="Nothing answers this.")
    bench.ledger.handoffs.open("a-q", "T1/C1", "T1/C1/1.0", ANA, NOW, 5)
    made = draft("a-q")
    assert bench.ledger.drafts.resolve("a-q", BEN, "Ben", WORDS, made, NOW)
    place.decide(made.id, "approved", ANA, NOW)
    ingest(bench, place)
    run(bench, (NAME, made.path))
    assert grep(bench.home, ["zzqlift"]) == []
    assert bench.ledger.drafts.list() == [] and bench.ledger.handoffs.get("a-q").words is None
    assert not (place.folder / made.path).exists()


def test_a_purge_takes_drafts_that_quote_and_digests_that_wait(kept):
    place = HumanAnswers(kept.home, kept.ledger)
    put(kept.ledger, draft("a1", f"I remember: {QUOTE}"), draft("a2"))
    kept.ledger.notices.add("digest.1", "digest", {"owner": ANA, "text": QUOTE}, NOW)
    kept.ledger.notices.add("other", "draft", {"draft": draft_id("a2")}, NOW)
    run(kept)
    assert [one.id for one in kept.ledger.drafts.list()] == [draft_id("a2")]
    assert kept.ledger.notices.waiting() == ["other"]
    assert grep(kept.home, SECRET) == [] and not place.folder.exists()


def test_tidying_lets_go_of_hand_overs_with_their_answers_and_of_old_drafts(bench, place):
    long_ago = NOW - 200 * DAY
    for name, at in (("old", long_ago), ("new", NOW - DAY)):
        answered(bench, name, "How long?", text="Long.", at=at)
        bench.ledger.handoffs.open(f"a-{name}", "T1/C1", f"T1/C1/{name}", ANA, at, 5)
    bench.ledger.notices.finish("opened.a-old", "posted")
    put(bench.ledger, draft("a1", made_at=long_ago, expires_at=long_ago + 30 * DAY),
        draft("a2", made_at=long_ago, expires_at=NOW + DAY), draft("a3", expires_at=NOW + DAY))
    place.decide(draft_id("a2"), "approved", BEN, NOW)
    rules = Retention(90 * DAY, 7 * DAY, 365 * DAY)
    place.settle(NOW)
    preview = tidy_up(bench.components, rules, NOW, dry_run=True)
    done = tidy_up(bench.components, rules, NOW)
    assert preview.row() == done.row() and (done.answers, done.drafts) == (1, 1)
    assert [one.answer_id for one in bench.ledger.handoffs.list()] == ["a-new"]
    assert {one.id: one.state for one in bench.ledger.drafts.list()} == {
        draft_id("a2"): "approved", draft_id("a3"): "waiting"}
    with bench.ledger._database.read() as connection:
        assert "opened.a-old" not in [row.id for row in connection.execute(notices.select())]
    tidy_up(bench.components, rules, NOW + 2 * DAY)
    assert not any(place.folder.glob("*/*")) and bench.ledger.drafts.get(draft_id("a2")).state == "expired"
