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
from past_answers import put
from small_world import passage

from flows.monitoring import gap_run
from flows.monitoring.gap_run import GapComponents
from services.labeling.gaps import GapService
from vouch.access import PUBLIC, Audience, Directory, Label, Permissions, Person, Reader
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.ledger import Ledger
from vouch.errors import BadAccess
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
        return Permissions.settled(1, {}, Directory({"ana@acme.test": Person(("security",))}))


@pytest.fixture
def parts(ledger: Ledger, memory_folder: Path) -> GapComponents:
    encoder = HashedEncoder(ANALYSER, 256)
    passages = [passage(text, chunk_id=f"{n:032x}", path=path, title=path)
                for n, (path, (text, _)) in enumerate(PAPERS.items())]
    labels = {one.chunk_id: PAPERS[one.path][1] for one in passages}
    return GapComponents(
        memory_folder, ledger, MemoryIndex(passages, labels, encoder, ANALYSER), Fixed(), lambda: encoder,
        ANALYSER, lambda vectors, smallest: [-1] * len(vectors), GapLimits(alike=0.3), weeks=4, low_confidence=0.4,
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

    assert report(replace(parts, encoder=loaded, index=None))["gaps"] == []    # type: ignore[arg-type]


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
