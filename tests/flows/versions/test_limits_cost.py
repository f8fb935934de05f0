"""What it costs to serve an earlier version: the history is looked up once, and not again at each question."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from homes.ingest_bench import Bench
from sqlalchemy import text

from indexers.live_index import LiveIndex
from indexers.publishing.index_store import IndexStore
from indexers.versions import version_cache
from services.documents.versions import VersionService
from vouch.access import PUBLIC, Rule, RuleBook
from vouch.adapters.ledger import SourceRow
from vouch.adapters.ledger.documents.versions import Versions
from vouch.errors import Damaged

NOW = datetime(2026, 11, 22, tzinfo=UTC)
MANY = 40


class Counted:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.former = self.limits = 0
        rules, limits = Versions.former_rules, version_cache.limits_of

        def former_rules(store, number):
            self.former += 1
            return rules(store, number)

        def limits_of(*words):
            self.limits += 1
            return limits(*words)

        monkeypatch.setattr(Versions, "former_rules", former_rules)
        monkeypatch.setattr(version_cache, "limits_of", limits_of)


@pytest.fixture
def edited(bench: Bench, tmp_path: Path) -> Bench:
    """Two public versions without a document in common."""
    root = tmp_path / "docs"
    root.mkdir()
    bench.folder("docs", root)
    bench.ledger.sources.add(SourceRow("docs", "folder", str(root)))
    bench.ledger.access.set_rules("docs", RuleBook((Rule("**", frozenset({PUBLIC})),)), "d")
    for word in ("first", "second"):
        for number in range(MANY):
            (root / f"{number}.md").write_text(f"# Plan\n\nThe {word} plan is {number}.\n")
        bench.ingest()
    return bench


def spoil(home: Path, number: int) -> None:
    (home / "versions" / str(number) / "manifest.json").write_bytes(b"damage")


def ask(index: LiveIndex, bench: Bench) -> int:
    audience = bench.ledger.access.permissions().directory.audience([PUBLIC], NOW)
    return len(index.view(audience).lexical(["plan"], 99))


def live(store: IndexStore, bench: Bench) -> LiveIndex:
    return LiveIndex(store, bench.ledger.access, lambda: NOW)


def test_the_rules_of_a_version_are_read_once_for_all_its_documents(
    edited: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, counted = edited.components.store, Counted(monkeypatch)
    assert store.limits(1) == {}
    assert counted.former == 1


def test_nothing_can_be_told_and_is_looked_up_once(edited: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    spoil(edited.home, 2)
    store, counted = edited.components.store, Counted(monkeypatch)
    index = live(store, edited)
    for _ in range(5):
        with pytest.raises(Damaged, match="of no document can be told"):
            ask(index, edited)
    assert counted.limits == 1


def test_what_is_restored_is_served_half_a_minute_later(edited: Bench) -> None:
    manifest = edited.home / "versions" / "2" / "manifest.json"
    sound, clock = manifest.read_bytes(), [NOW]
    spoil(edited.home, 2)
    index = LiveIndex(edited.components.store, edited.ledger.access, lambda: clock[0])
    with pytest.raises(Damaged):
        ask(index, edited)
    manifest.write_bytes(sound)
    clock[0] = NOW.replace(minute=1)
    assert ask(index, edited) == MANY


def test_the_current_version_is_opened_again_and_again_and_the_history_looked_up_once(
    edited: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil(edited.home, 2)
    store, counted = edited.components.store, Counted(monkeypatch)
    for _ in range(3):
        store.open_current(documents_only=True)
    assert counted.limits == 1


def test_a_version_in_between_that_is_restored_is_heard_again(edited: Bench, tmp_path: Path) -> None:
    (tmp_path / "docs" / "0.md").write_text("# Plan\n\nThe third plan.\n")
    edited.ingest()
    manifest = edited.home / "versions" / "2" / "manifest.json"
    sound, store = manifest.read_bytes(), edited.components.store
    manifest.write_bytes(b"damage")
    assert len(store.limits(1)) == MANY
    manifest.write_bytes(sound)
    assert store.limits(1) == {}


def test_many_equal_files_cost_no_square_of_them(edited: Bench, tmp_path: Path) -> None:
    for number in range(150):
        (tmp_path / "docs" / f"same{number}.md").write_text("# Licence\n\nThe very same words stand here.\n")
    edited.ingest()
    equal = edited.ledger.versions.current()
    for number in range(0, 150, 2):
        (tmp_path / "docs" / f"same{number}.md").write_text(f"# Other\n\nWritten anew, {number}.\n")
    edited.ingest()
    limits = edited.components.store.limits(equal)
    changed = [groups for (_, path), groups in limits.items() if path.startswith("same")]
    assert len(changed) == 75 and max(len(group) for groups in changed for group in groups) == 64


def test_a_rollback_looks_its_history_up_once(edited: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Counted(monkeypatch)
    history = VersionService(edited.home, edited.ledger, edited.components.store)
    number, hidden = history.rollback(1, edited.ledger.access.permissions())
    assert (hidden, counted.limits) == ([], 1)
    assert edited.ledger.versions.current() == number
    assert ask(live(edited.components.store, edited), edited) == MANY


def forget_notes(bench: Bench, how: str) -> None:
    with bench.ledger.access._database.write() as connection:
        connection.execute(text(how))


LOST = ("UPDATE versions SET rules = NULL WHERE number = 1", "DELETE FROM former_rules")


@pytest.mark.parametrize("how", LOST)
def test_what_nobody_noted_is_for_nobody(edited: Bench, how: str) -> None:
    """Who was let in by the version that had it is not known any more."""
    forget_notes(edited, how)
    assert all(() in groups for groups in edited.components.store.limits(1).values())
    assert len(edited.components.store.limits(1)) == MANY


@pytest.mark.parametrize("how", LOST)
def test_what_the_current_version_has_too_needs_no_note(edited: Bench, tmp_path: Path, how: str) -> None:
    (tmp_path / "docs" / "0.md").write_text("# Plan\n\nThe third plan.\n")
    edited.ingest()
    forget_notes(edited, how.replace("number = 1", "number < 3"))
    assert set(edited.components.store.limits(2)) == {("docs", "0.md")}
