"""Who asks for the gaps is shown documents that he may read, and nothing that only few asked."""

import json
import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fakes.hashed_models import HashedEncoder
from fakes.memory_index import MemoryIndex
from fakes.owners import OwnersByPath
from homes.small_world import passage
from learning_scene.past_answers import put

from flows.monitoring import gap_run
from flows.monitoring.gap_run import GapComponents
from services.labeling.gaps import GapService
from vouch.access import PUBLIC, Audience, Directory, Label, Permissions, Person, Reader
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.ledger import Ledger
from vouch.errors import BadAccess, NotFound
from vouch.learning.gaps.gap import GapLimits

NOW = datetime(2026, 11, 23, tzinfo=UTC)
DAY = timedelta(days=1)
ANALYSER = SnowballAnalyser()
ANA = "user:ana@acme.test"
BADGES = ["How do I renew my badge?", "Badge renewal?", "Who renews a lost badge?", "renew badge"]
PAPERS = {
    "badges.md": ("Badges are given out at the front desk. Renew them there.", Label(frozenset({PUBLIC}))),
    "security/badge-fraud.md": ("Renew my badge: how a lost badge was renewed by a thief.",
                                Label(frozenset({"group:security"}))),
    "lunch.md": ("Lunch is from noon to two.", Label(frozenset({PUBLIC}))),
}


class Fixed:
    def permissions(self) -> Permissions:
        return Permissions.settled(1, {}, Directory({
            "ana@acme.test": Person(("security",)), "ben@acme.test": Person(()), "di@acme.test": Person(())}))


@pytest.fixture
def parts(ledger: Ledger, memory_folder: Path) -> GapComponents:
    encoder = HashedEncoder(ANALYSER, 256)
    passages = [passage(text, chunk_id=f"{n:032x}", path=path, title=path)
                for n, (path, (text, _)) in enumerate(PAPERS.items())]
    labels = {one.chunk_id: PAPERS[one.path][1] for one in passages}
    return GapComponents(
        memory_folder, ledger, MemoryIndex(passages, labels, encoder, ANALYSER), Fixed(), lambda: encoder,
        ANALYSER, lambda vectors, smallest: [-1] * len(vectors), GapLimits(alike=0.3), weeks=4, low_confidence=0.4,
        owners=OwnersByPath({}),
    )


def ask_all(ledger: Ledger, texts: list[str], people: int, prefix: str = "p", **how: Any) -> None:
    for n in range(people):
        put(ledger, f"{prefix}{n}-{texts[0]}".replace(" ", ""), texts[n % len(texts)], f"user:{prefix}{n}", NOW - DAY,
            **how)


def named(report: dict[str, Any]) -> list[str]:
    return [one["path"] for gap in report["gaps"] for one in gap["documents"]]


def report(parts: GapComponents, *tags: str) -> dict[str, Any]:
    return GapService(parts, lambda: NOW).report(tags)


def test_a_gap_is_told_with_the_documents_that_come_nearest(parts: GapComponents) -> None:
    ask_all(parts.ledger, BADGES, 4)
    ask_all(parts.ledger, ["Is lunch at noon?"], 2, "few")
    ask_all(parts.ledger, ["When is lunch?"], 5, "well", action="answered", confidence=0.9)
    (gap,) = (told := report(parts))["gaps"]
    assert told["readers"] == [PUBLIC] and (gap["questions"], gap["askers"], gap["before"]) == (4, 4, None)
    assert "badge" in gap["title"] and gap["why"] == {"declined": 4}
    assert named(told)[0] == "badges.md"
    assert "lunch" not in json.dumps(gap["title"] + gap["examples"])


BEN, DI = "user:ben@acme.test", "user:di@acme.test"
OWNED = {"badges.md": [ANA], "security/badge-fraud.md": ["group:security", BEN], "lunch.md": [DI]}


def owned(parts: GapComponents, owner: str, *tags: str) -> dict[str, Any]:
    return GapService(replace(parts, owners=OwnersByPath(OWNED)), lambda: NOW).report(tags, owner=owner)


def test_owners_are_named_beside_documents_that_may_be_named(parts: GapComponents) -> None:
    ask_all(parts.ledger, BADGES, 4)
    parts = replace(parts, owners=OwnersByPath(OWNED))
    for tags, owners in (((), [[ANA], [DI]]), ((ANA,), [["group:security", BEN], [ANA], [DI]])):
        (gap,) = report(parts, *tags)["gaps"]
        assert [one["owners"] for one in gap["documents"]] == owners


def test_an_owner_is_told_of_gaps_near_documents_of_theirs(parts: GapComponents) -> None:
    ask_all(parts.ledger, BADGES, 4)
    told = owned(parts, ANA)
    assert told["owner"] == ANA and told["readers"] == [ANA] and len(told["gaps"]) == 1
    assert named(told)[0] == "security/badge-fraud.md", "she may read it, as one of group:security"
    assert named(owned(parts, "group:security"))[0] == "security/badge-fraud.md"
    assert owned(parts, "user:stranger@acme.test")["gaps"] == [] == owned(parts, PUBLIC)["gaps"]
    assert "fraud" not in json.dumps(owned(parts, ANA, PUBLIC)), "nor what a further reader may not read"


def test_owning_a_document_lets_nobody_read_it(parts: GapComponents) -> None:
    """Ben owns a document that he may not read: neither its name nor the gap near it is his."""
    ask_all(parts.ledger, BADGES, 4)
    assert owned(parts, BEN)["gaps"] == []
    assert len(owned(parts, DI)["gaps"]) == 1 and "fraud" not in json.dumps(owned(parts, DI)), "hers is near it too"


def test_an_owner_taken_for_a_reader_would_be_seen(parts: GapComponents, monkeypatch: pytest.MonkeyPatch) -> None:
    """The plant: whoever owns a document is let in as one of its readers."""
    ask_all(parts.ledger, BADGES, 4)
    view = parts.index.view

    def widened(audience: Audience) -> Any:
        mine = {f"group:{path.partition('/')[0]}" for path, tags in OWNED.items()
                if audience.readers[0].name in tags}
        return view(Audience(tuple(replace(one, principals=one.principals | mine) for one in audience.readers)))

    monkeypatch.setattr(parts.index, "view", widened)
    assert "fraud" in json.dumps(owned(parts, BEN))


def examples(told: dict[str, Any]) -> list[str]:
    return [text for gap in told["gaps"] for text in gap["allowed_examples"]]


def test_questions_are_shown_only_of_askers_who_allow_it(parts: GapComponents) -> None:
    ask_all(parts.ledger, BADGES, 4)
    assert examples(report(parts)) == [] == examples(owned(parts, ANA))
    parts.ledger.examples.allow("user:p0", NOW - 2 * DAY)
    assert examples(report(parts)) == ["how do i renew my badge"] == examples(owned(parts, ANA))
    assert "user:p0" not in json.dumps(report(parts)), "nothing tells who asked"
    put(parts.ledger, "own", "Is my old badge renewed?", "user:p3", NOW - DAY, share=True)
    assert examples(report(parts)) == ["how do i renew my badge", "is my old badge renewed"]
    parts.ledger.examples.deny("user:p0", NOW)
    parts.ledger.examples.deny("user:p3", NOW)
    assert examples(report(parts)) == []


def test_consent_that_is_ignored_would_be_seen(parts: GapComponents, monkeypatch: pytest.MonkeyPatch) -> None:
    """The plant: every question may be shown."""
    ask_all(parts.ledger, BADGES, 4)
    unmet = gap_run.unmet
    monkeypatch.setattr(gap_run, "unmet", lambda *given: [replace(one, example=True) for one in unmet(*given)])
    assert examples(report(parts)) != []


def test_an_owner_sees_no_gap_without_shared_words_or_an_example(parts: GapComponents) -> None:
    vectors = {"aqua": 0, "brim": 0, "colt": 0}
    for n, text in enumerate(vectors):
        put(parts.ledger, text, text, f"user:p{n}", NOW - DAY)
    parts = replace(parts, limits=GapLimits(alike=-1.0))
    assert [gap["title"] for gap in report(parts)["gaps"]] == [[]]
    assert owned(parts, ANA)["gaps"] == []
    parts.ledger.examples.allow("user:p1", NOW - 2 * DAY)
    assert examples(owned(parts, ANA)) == ["brim"]


def test_people_who_are_alone_change_no_byte_whatever_they_allow(parts: GapComponents) -> None:
    ask_all(parts.ledger, BADGES, 4)
    parts.ledger.examples.allow("user:p1", NOW - 2 * DAY)
    before = [json.dumps(told) for told in (report(parts), owned(parts, ANA), owned(parts, DI))]
    for n in range(9):
        put(parts.ledger, f"alone{n}", f"Is jazz {n} loud?", f"user:alone{n % 2}", NOW - DAY, share=True)
        parts.ledger.examples.allow(f"user:alone{n % 2}", NOW - 2 * DAY)
    assert [json.dumps(told) for told in (report(parts), owned(parts, ANA), owned(parts, DI))] == before
    ask_all(parts.ledger, ["Is jazz loud?"], 3, "many", share=True)
    assert json.dumps(report(parts)) != before[0]


def test_hidden_documents_change_no_byte_of_an_owners_gaps(parts: GapComponents) -> None:
    ask_all(parts.ledger, BADGES, 4)
    index: Any = parts.index
    others = [one for one in index.passages if one.path != "security/badge-fraud.md"]
    without = replace(parts, index=MemoryIndex(others, index.labels, parts.encoder(), ANALYSER))
    for owner in (BEN, DI, "user:stranger@acme.test"):
        assert json.dumps(owned(parts, owner)) == json.dumps(owned(without, owner)), owner
    assert owned(parts, ANA) != owned(without, ANA)


def test_without_an_index_it_is_said_that_there_is_none(parts: GapComponents) -> None:
    class Empty:
        def view(self, audience: Audience) -> Any:
            raise NotFound("there is no index yet", cure="vouch ingest makes one")

    with pytest.raises(NotFound, match="no index yet"):
        report(replace(parts, index=Empty()))    # type: ignore[arg-type]


def test_a_hidden_document_is_named_to_nobody_who_may_not_read_it(parts: GapComponents) -> None:
    ask_all(parts.ledger, BADGES, 4)
    assert named(report(parts, ANA))[0] == "security/badge-fraud.md"
    for tags in ([], ["user:ben@acme.test"], [ANA, PUBLIC], ["group:staff"]):
        assert "fraud" not in json.dumps(report(parts, *tags)), tags


def test_documents_looked_up_with_every_row_would_be_seen(
    parts: GapComponents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The plant: the nearest documents of a view that nobody asked for."""
    ask_all(parts.ledger, BADGES, 4)
    everything = Audience((Reader("root", frozenset({PUBLIC, "group:security"})),))
    view = parts.index.view
    monkeypatch.setattr(parts.index, "view", lambda audience: view(everything))
    assert "fraud" in json.dumps(report(parts))


def test_what_else_is_told_does_not_depend_on_the_reader(parts: GapComponents) -> None:
    ask_all(parts.ledger, BADGES, 4)
    one, other = report(parts), report(parts, ANA)
    for told in (one, other):
        told.pop("readers")
        for gap in told["gaps"]:
            gap.pop("documents")
    assert one == other


def test_voted_down_and_low_confidence_count_and_small_talk_does_not(parts: GapComponents) -> None:
    ask_all(parts.ledger, BADGES, 2, "down", action="answered", confidence=0.9, votes={"user:x": "down"})
    ask_all(parts.ledger, BADGES, 2, "low", action="answered_with_caution", confidence=0.39)
    ask_all(parts.ledger, BADGES, 9, "fine", action="answered", confidence=0.41)
    ask_all(parts.ledger, BADGES, 9, "fault", judged=False)
    (gap,) = report(parts)["gaps"]
    assert gap["why"] == {"low confidence": 2, "voted down": 2} and gap["askers"] == 4


def test_without_gaps_nothing_is_loaded(parts: GapComponents) -> None:
    def loaded() -> Any:
        raise AssertionError

    assert report(replace(parts, encoder=loaded))["gaps"] == []


def test_a_reader_that_is_none_is_refused(parts: GapComponents) -> None:
    with pytest.raises(BadAccess):
        report(parts, "everybody")


def test_no_words_are_logged_at_info(parts: GapComponents, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    ask_all(parts.ledger, BADGES, 4)
    report(parts)
    assert "badge" not in caplog.text.lower()


def test_the_weeks_that_are_asked_for_are_looked_at(parts: GapComponents) -> None:
    ask_all(parts.ledger, BADGES, 4)
    for n in range(3):
        put(parts.ledger, f"old{n}", BADGES[n], f"user:p{n}", NOW - 10 * DAY)
    found = [gap_run.gap_rows(parts, (), NOW, weeks=weeks)["gaps"][0] for weeks in (1, 2)]
    assert [(gap["questions"], gap["before"], gap["trend"]) for gap in found] == [(4, 3, 1), (7, None, None)]


def test_of_one_person_the_newest_texts_are_embedded(parts: GapComponents) -> None:
    encoder, embedded = parts.encoder(), list[str]()

    class Counted:
        def questions(self, texts: Sequence[str]) -> Any:
            embedded.extend(texts)
            return encoder.questions(texts)

    for n in range(6):
        put(parts.ledger, f"q{n}", f"question number {n}", "user:lone", NOW - DAY * (n + 1))
    counted = replace(parts, encoder=Counted, limits=replace(parts.limits, texts=2))    # type: ignore[arg-type]
    assert report(counted)["gaps"] == []
    assert embedded == ["question number 0", "question number 1"]
