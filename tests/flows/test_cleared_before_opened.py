"""A page that was closed, cleared of what nobody should see, and then opened was never opened as it was before."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from ingest_bench import Bench

from cli.history import History
from indexers import limits
from indexers.last_grants import LastGrants
from indexers.reader import LiveIndex
from vouch.access import PUBLIC, Rule, RuleBook
from vouch.adapters.ledger import SourceRow
from vouch.errors import Damaged, Guarded

SECRET, CLEARED, LATER = "The plan is zephyr.", "The plan is public.", "The plan is done."
NOW = datetime(2026, 11, 22, tzinfo=UTC)


def book(tag: str) -> RuleBook:
    return RuleBook((Rule("**", frozenset({tag})),))


class Company:
    def __init__(self, bench: Bench, root: Path) -> None:
        self.bench, self.root, self.clock = bench, root, 1_700_000_000
        root.mkdir()
        bench.folder("docs", root)
        bench.ledger.sources.add(SourceRow("docs", "folder", str(root)))
        self.write("other.md", "Another plan.")

    def write(self, name: str, text: str) -> None:
        self.clock += 10
        (self.root / name).write_text(f"# Plan\n\n{text}\n")
        os.utime(self.root / name, (self.clock, self.clock))

    def rules(self, tag: str) -> None:
        self.bench.ledger.access.set_rules("docs", book(tag), tag)

    def public_reads(self) -> set[str]:
        audience = self.bench.ledger.access.permissions().directory.audience([PUBLIC], NOW)
        index = LiveIndex(self.bench.machines.store, self.bench.ledger.access, lambda: NOW)
        try:
            view = index.view(audience)
        except Damaged:
            return set()
        hits = view.lexical(["plan"], 99)
        return {p.text.strip() for p in view.passages([hit.chunk_id for hit in hits])}

    @property
    def history(self) -> History:
        return History(self.bench.home, self.bench.ledger, self.bench.machines.store)

    def rollback(self, number: int, **way: bool) -> None:
        self.history.rollback(number, self.bench.ledger.access.permissions(), **way)

    def spoil(self, number: int) -> None:
        """A byte of what that version alone has."""
        manifest = self.bench.machines.store.manifest(number)
        file = self.bench.home / "parts" / manifest.parts[-1].id / "texts.bin"
        data = file.read_bytes()
        file.chmod(0o600)
        file.write_bytes(bytes([data[0] ^ 1]) + data[1:])


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
