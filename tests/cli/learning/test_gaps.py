"""vouch gaps as a person runs it, with the encoder that comes with vouch and questions of known topics."""

import json
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from learning_scene.past_answers import put
from learning_scene.simulated_topics import ALONE, IN_GERMAN, TOPICS

from vouch.adapters.ledger import Ledger, open_ledger
from vouch.learning.gaps.gap_titles import Titles

DAY = timedelta(days=1)
STAFF, PUBLIC = "group:security", "public"


@pytest.fixture
def ledger_of(vouch: Any, home: Path, tmp_path: Path) -> Any:
    """Opens the ledger of a home with a public paper about badges and one for the security group alone."""
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / "badges.md").write_text("# Badges\n\nDoor badges are given out at the front desk.\n")
    (papers / "fraud.md").write_text("# Renewal of badges\n\nHow an expired door badge was renewed by a thief.\n")
    (papers / "lunch.md").write_text("# Lunch\n\nLunch is from noon to two.\n")
    (papers / "access.yaml").write_text(
        'rules:\n  - {match: "**", allow: [public]}\n  - {match: fraud.md, allow: ["group:security"]}\n'
        'owners:\n  - {match: badges.md, owners: ["group:security"]}\n'
        '  - {match: fraud.md, owners: ["user:ben@acme.test"]}\n')
    assert vouch("source", "add", "papers", "--kind", "folder", "--path", papers)[0] == 0
    assert vouch("ingest")[0] == 0

    def opened() -> Ledger:
        return open_ledger(home / "ledger.sqlite")

    return opened


def ask(ledger: Ledger, name: str, texts: list[str], people: str, at: datetime) -> None:
    for n, text in enumerate(texts):
        put(ledger, f"{name}-{n}".replace(" ", ""), text, f"user:{people}{n}@acme.test", at)


@pytest.mark.model
@pytest.mark.slow
def test_topics_are_found_and_what_few_asked_changes_no_byte(vouch: Any, ledger_of: Any) -> None:
    """Six people ask about each topic, in six ways; ten questions that nobody else asks come on top."""
    at = datetime.now(UTC) - 2 * DAY
    with closing(ledger_of()) as ledger:
        for topic, texts in TOPICS.items():
            ask(ledger, topic, texts, topic.replace(" ", ""), at)
    code, out, _ = vouch("gaps", "--json")
    before = json.loads(out)
    assert code == 0 and [gap["askers"] for gap in before["gaps"]] == [6] * len(TOPICS)
    titles = [set(gap["title"]) for gap in before["gaps"]]
    for words in ({"badge"}, {"brazil", "visa"}, {"parking"}, {"parental", "leave"}, {"laptop"}):
        assert sum(words <= title for title in titles) == 1, titles
    with closing(ledger_of()) as ledger:
        for n, text in enumerate(ALONE):
            put(ledger, f"alone{n}", text, f"user:alone{n}@acme.test", at)
        for n in range(100):                    # and one person asks all the time
            put(ledger, f"often{n}", f"jazz concerts on day {n}", "user:often@acme.test", at)
    after = json.loads(vouch("gaps", "--json")[1])
    for told in (before, after):
        told.pop("from"), told.pop("until")
    assert before == after

    named = json.dumps(after)
    assert "papers" in named and "badges.md" in named and "fraud" not in named
    assert "fraud.md" in vouch("gaps", "--as", STAFF)[1]
    assert "fraud" not in vouch("gaps", "--as", STAFF, "--as", PUBLIC)[1]
    assert "papers:badges.md (group:security)" in vouch("gaps")[1]
    theirs = json.loads(vouch("gaps", "--owner", STAFF, "--json")[1])["gaps"]
    assert len(theirs) == len(TOPICS), "with three documents each gap is near all of them"
    out = vouch("gaps", "--owner", "user:ben@acme.test")[1]
    assert "no gaps near documents of user:ben@acme.test" in out and "fraud" not in out


@pytest.mark.model
@pytest.mark.slow
def test_questions_that_share_a_language_alone_are_no_gap(
    vouch: Any, ledger_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(ledger_of()) as ledger:
        ask(ledger, "german", IN_GERMAN, "g", datetime.now(UTC) - 2 * DAY)
    assert json.loads(vouch("gaps", "--json")[1])["gaps"] == []
    monkeypatch.setattr(Titles, "is_language_alone", lambda self, asked: False)      # the plant
    assert json.loads(vouch("gaps", "--json")[1])["gaps"] != []


@pytest.mark.model
@pytest.mark.slow
def test_the_table_is_for_people(vouch: Any, ledger_of: Any) -> None:
    at = datetime.now(UTC) - 2 * DAY
    assert "no gaps: nothing was asked in vain by 3 people or more" in vouch("gaps")[1]
    with closing(ledger_of()) as ledger:
        ask(ledger, "badge", TOPICS["badge"], "p", at)
        ask(ledger, "same", ["Where is the map?"] * 3, "q", at)
        ask(ledger, "earlier", TOPICS["badge"], "p", at - 28 * DAY)
    code, out, err = vouch("gaps", "--weeks", "4", "--as", "user:nobody@acme.test")
    assert code == 0 and "user:nobody@acme.test is not in the directory" in err
    badge, same = out.splitlines()[1:3]
    assert badge.startswith("badge") and "6 declined" in badge and "papers:badges.md" in badge
    assert "under 3 askers" in same and "map: where is the map" in out
    assert vouch("gaps", "--weeks", "0")[0] == 2
