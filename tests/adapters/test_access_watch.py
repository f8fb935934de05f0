"""An edit of an access file counts from the next look on, and no slower process takes it back."""

from pathlib import Path

import pytest

from vouch.access import Directory, Permissions, RuleBook
from vouch.adapters.access_watch import WatchedPermissions
from vouch.adapters.ledger import SourceRow, open_ledger

OPEN, SHUT = 'rules: [{match: "**", allow: [public]}]', "rules: []"


class Rules:
    """Remembers the rules in force; `meanwhile` happens once, between reading a file and writing its rules."""

    def __init__(self, meanwhile=lambda: None) -> None:
        self.book = RuleBook()
        self.meanwhile = meanwhile

    def set_rules(self, source: str, rules: RuleBook, digest: str) -> bool:
        happen, self.meanwhile = self.meanwhile, lambda: None
        happen()
        self.book = rules
        return True

    def permissions(self) -> Permissions:
        return Permissions.settled(1, {"docs": self.book}, Directory())


class Sources:
    def __init__(self, path: Path) -> None:
        self.path = path

    def list(self):
        return [SourceRow("docs", "folder", "/docs", str(self.path))]


@pytest.fixture
def docs(ledger):
    ledger.sources.add(SourceRow("docs", "folder", "/docs"))
    return ledger


@pytest.fixture
def file(tmp_path) -> Path:
    path = tmp_path / "access.yaml"
    path.write_text(OPEN)
    return path


def allowed(watched: WatchedPermissions) -> frozenset[str]:
    return watched.permissions().rulebooks["docs"].allowed("a.md")


def test_an_edit_counts_at_the_next_look(file):
    watched = WatchedPermissions(Sources(file), Rules())
    assert allowed(watched) == {"public"}
    file.write_text(SHUT)
    assert allowed(watched) == frozenset()


@pytest.mark.parametrize("edit", [lambda f: f.unlink(), lambda f: f.write_text("rules: [oops")])
def test_a_file_that_is_gone_or_broken_grants_nothing(file, edit):
    watched = WatchedPermissions(Sources(file), Rules())
    assert allowed(watched) == {"public"}
    edit(file)
    assert allowed(watched) == frozenset()


def test_a_revocation_during_a_look_is_not_overwritten(file):
    """The file is shut after this process has read it open and before it has written what it read."""
    rules = Rules(meanwhile=lambda: file.write_text(SHUT))
    assert allowed(WatchedPermissions(Sources(file), rules)) == frozenset()


def test_unwatched_files_are_left_to_the_ledger(file):
    assert allowed(WatchedPermissions(Sources(file), Rules(), watch=False)) == frozenset()


def test_another_process_that_cannot_read_the_file_shuts_nobody_out_for_longer_than_it_looks(file, docs):
    here = WatchedPermissions(Sources(file), docs.access)
    assert allowed(here) == {"public"}
    there = WatchedPermissions(Sources(file.parent / "not mounted.yaml"), open_ledger(docs.name).access)
    assert allowed(there) == frozenset()
    assert allowed(here) == {"public"} and allowed(here) == {"public"}
    assert allowed(there) == frozenset(), "and it grants nothing by what others can read"


def test_what_is_read_again_is_the_file_and_not_what_was_known_of_it(file, docs):
    """Another process's old copy opened what is shut here, and the file here is gone by now."""
    here, old = WatchedPermissions(Sources(file), docs.access), file.parent / "old.yaml"
    file.write_text(SHUT)
    assert allowed(here) == frozenset()
    old.write_text(OPEN)
    there = WatchedPermissions(Sources(old), docs.access)
    assert allowed(there) == {"public"}
    assert allowed(here) == frozenset()
    assert allowed(there) == {"public"}
    file.unlink()
    assert allowed(here) == frozenset()


def test_whoever_agrees_writes_nothing(file, docs):
    first, second = (WatchedPermissions(Sources(file), docs.access) for _ in range(2))
    epochs = {watched.permissions().epoch for _ in range(3) for watched in (first, second)}
    file.write_text(SHUT)
    epochs |= {watched.permissions().epoch for _ in range(3) for watched in (first, second)}
    assert len(epochs) == 2
