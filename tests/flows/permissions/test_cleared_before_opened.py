"""A page that was closed, cleared of what nobody should see, and then opened was never opened as it was before."""

from pathlib import Path

import pytest
from homes.cleared_company import Company
from homes.ingest_bench import Bench

from indexers.versions import limits
from indexers.versions.last_grants import LastGrants
from vouch.errors import Guarded

SECRET, CLEARED, LATER = "The plan is zephyr.", "The plan is public.", "The plan is done."


@pytest.fixture
def cleared(bench: Bench, tmp_path: Path) -> Company:
    """Version 1 holds the secret, closed; version 2, cleared and open."""
    company = Company(bench, tmp_path / "docs")
    company.write("plan.md", SECRET)
    company.rules("group:hr")
    bench.ingest()
    company.write("plan.md", CLEARED)
    company.rules("public")
    bench.ingest()
    assert CLEARED in company.public_reads()
    return company


def test_a_rollback_would_show_it_and_is_refused(cleared: Company) -> None:
    with pytest.raises(Guarded, match=r"docs:plan\.md"):
        cleared.rollback(1)
    cleared.rollback(1, hide=True)
    assert cleared.public_reads() == {"Another plan."}
    cleared.bench.ledger.holds.release()
    cleared.bench.ingest()
    assert CLEARED in cleared.public_reads()


def test_a_version_in_place_of_a_damaged_one_hides_it(cleared: Company) -> None:
    cleared.spoil(2)
    assert cleared.public_reads() == {"Another plan."}


def test_an_earlier_version_among_several_is_held_to_its_own_rules(cleared: Company) -> None:
    for _ in range(2):
        cleared.write("plan.md", LATER)
        cleared.bench.ingest()
    cleared.rollback(2)                     # open as it was when it was current
    assert CLEARED in cleared.public_reads()
    with pytest.raises(Guarded):
        cleared.rollback(1)


def test_what_was_opened_while_it_stood_there_comes_back(bench: Bench, tmp_path: Path) -> None:
    company = Company(bench, tmp_path / "docs")
    company.write("plan.md", SECRET)
    company.rules("group:hr")
    bench.ingest()
    company.rules("public")
    bench.ingest()                          # which publishes nothing, and grants it as it stands
    assert SECRET in company.public_reads()
    company.write("plan.md", CLEARED)
    bench.ingest()
    company.rollback(1)
    assert SECRET in company.public_reads()


def test_what_waits_for_a_scan_was_not_granted_yet(bench: Bench, tmp_path: Path) -> None:
    """Opened, and cleared before any scan found it open."""
    company = Company(bench, tmp_path / "docs")
    company.write("plan.md", SECRET)
    company.rules("group:hr")
    bench.ingest()
    company.rules("public")
    company.write("plan.md", CLEARED)
    bench.ingest()
    with pytest.raises(Guarded):
        company.rollback(1)


def test_a_rollback_of_a_rollback_knows_what_the_first_one_hid(cleared: Company) -> None:
    cleared.rollback(1, hide=True)          # version 3 is version 1 again
    cleared.bench.ledger.holds.release()
    cleared.bench.ingest()
    with pytest.raises(Guarded, match=r"plan\.md"):
        cleared.rollback(3)


def test_without_the_former_rules_it_is_shown(cleared: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: limits by places and the rules of now alone."""
    monkeypatch.setattr(LastGrants, "limits", lambda self: iter(()))
    assert limits.LastGrants is LastGrants
    cleared.rollback(1)
    assert SECRET in cleared.public_reads()
