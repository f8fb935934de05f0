"""Each passage of a page is held to what it last had to meet, wherever it stood, whatever was edited beside it."""

from pathlib import Path

import pytest
from homes.cleared_company import Company
from homes.ingest_bench import Bench

from indexers.versions.last_grants import LastGrants, Ways
from indexers.versions.limits import _Documents
from vouch.errors import Guarded

SECRET, LATER = "The plan is zephyr.", "The plan is done."
COMMON, CONTACT, AGAIN = "The common plan.", "The contact plan.", "The contact plan is mended."


def page(*passages: str) -> str:
    return "\n\n".join(f"## About {number}\n\n{passage}" for number, passage in enumerate(passages))


@pytest.fixture
def copied(bench: Bench, tmp_path: Path) -> Company:
    """Version 1 holds the secret, closed; in version 2 the page is cleared and open, and a copy kept for the board."""
    company = Company(bench, tmp_path / "docs")
    company.write("plan.md", page(COMMON, SECRET))
    company.rules("group:board")
    bench.ingest()
    company.write("board/plan.md", page(COMMON, SECRET))
    company.write("plan.md", page(COMMON))
    company.rules("public", "board/**")
    bench.ingest()
    assert company.public_reads() == {COMMON, "Another plan."}
    return company


@pytest.fixture
def mended(bench: Bench, tmp_path: Path) -> Company:
    """The secret is open in versions 1 and 2, between which only something else is edited, closed, then cleared."""
    company = Company(bench, tmp_path / "docs")
    company.write("plan.md", page(COMMON, SECRET, CONTACT))
    company.rules("public")
    bench.ingest()
    company.write("plan.md", page(COMMON, SECRET, AGAIN))
    bench.ingest()
    company.rules("public", "plan.md")
    company.write("plan.md", page(COMMON))
    bench.ingest()
    company.rules("public")
    bench.ingest()
    company.write("other.md", LATER)
    bench.ingest()
    return company


@pytest.fixture
def reworded(bench: Bench, tmp_path: Path) -> Company:
    """As `mended`, but the edit in version 2 is within the secret passage, and version 3 has it no more."""
    company = Company(bench, tmp_path / "docs")
    company.write("plan.md", page(COMMON, SECRET))
    company.rules("public")
    bench.ingest()
    company.write("plan.md", page(COMMON, SECRET.replace("is", "was")))
    bench.ingest()
    company.rules("public", "plan.md")
    company.write("plan.md", page(COMMON))
    bench.ingest()
    company.rules("public")
    bench.ingest()
    return company


def shown_secrets(company: Company) -> set[str]:
    return {text for text in company.public_reads() if "zephyr" in text}


HISTORIES = ("copied", "mended", "reworded")


@pytest.mark.parametrize("history", HISTORIES)
def test_a_passage_is_held_to_its_own_history(history: str, request: pytest.FixtureRequest) -> None:
    company: Company = request.getfixturevalue(history)
    current = company.bench.ledger.versions.current()
    for number in range(1, 3 if history != "copied" else 2):
        with pytest.raises(Guarded, match=r"docs:plan\.md"):
            company.rollback(number)
        company.rollback(number, hide=True)
        assert shown_secrets(company) == set()
        company.bench.ledger.holds.release()
    assert company.bench.ledger.versions.current() != current


@pytest.mark.parametrize("history", HISTORIES)
def test_a_passage_is_held_to_its_own_history_by_a_stand_in(history: str, request: pytest.FixtureRequest) -> None:
    company: Company = request.getfixturevalue(history)
    current = company.bench.ledger.versions.current()
    assert current is not None
    for number in range(current, 1, -1):
        company.spoil(number)
        assert shown_secrets(company) == set()
        assert company.public_reads(), "served is an earlier version"


def test_a_page_that_shares_a_passage_is_not_all_of_it(copied: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: a page is where one of its passages is."""
    ways = _Documents.ways

    def where_it_was(self, header, earlier):
        found = ways(self, header, earlier)
        here = [group for group in found.groups if header.place in (one.place for one in group)]
        return Ways(tuple(here or found.groups))

    monkeypatch.setattr(_Documents, "ways", where_it_was)
    copied.rollback(1)
    assert shown_secrets(copied)


@pytest.mark.parametrize("history", ["mended", "reworded"])
def test_whole_contents_alone_do_not_tell(
    history: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """Planted: what a later state of the same page had to meet says nothing of an earlier one."""
    company: Company = request.getfixturevalue(history)
    had = LastGrants.had

    def of_the_bytes(self, row, own, header, ways):
        if row.number == self._current or any(one.hash == header.hash for group in ways.groups for one in group):
            had(self, row, own, header, ways)

    monkeypatch.setattr(LastGrants, "had", of_the_bytes)
    company.rollback(1)
    assert shown_secrets(company)
