"""Labels are those of the rules of now, memberships end at their moment, and a purge waits for no publish."""

from datetime import timedelta
from pathlib import Path

import pytest
from two_world.stand_ins import FixedPermissions, HashEncoder, MemoryVectors, MemoryVersions
from two_world.worlds import ANALYSER, DIRECTORY, NOW, SOURCE, make_record, publish

from indexers.live_index import LiveIndex
from indexers.publishing.index_store import IndexStore
from indexers.purging.purge import IndexPurge
from indexers.search.visibility import unexpired
from indexers.versions.version_locks import publishing
from vouch.access import Audience, Permissions, Reader, Rule, RuleBook
from vouch.errors import Busy

OPEN = RuleBook((Rule("**", frozenset({"public"})),))
SHUT = RuleBook((*OPEN.rules, Rule("hr/**", frozenset({"group:people"}))))


@pytest.mark.usefixtures("quick_disk")
def test_a_new_epoch_labels_anew_and_digits_name_visible_chunks_alone(memory_folder: Path) -> None:
    store = IndexStore(memory_folder, MemoryVersions(), ANALYSER, 8.0)
    records = [make_record(SOURCE, path, [("R", (f"travel {path[0]}",))]) for path in ("a.md", "hr/b.md")]
    publish(store, MemoryVectors(HashEncoder()), records)
    held = FixedPermissions(Permissions.settled(1, {SOURCE: OPEN}, DIRECTORY))
    index, public = LiveIndex(store, held, lambda: NOW), DIRECTORY.audience(["public"], NOW)
    [hidden] = index.view(public).of_document(SOURCE, "hr/b.md")
    assert index.view(public).starting(hidden[:6]) == [hidden]
    held.held = Permissions.settled(2, {SOURCE: SHUT}, DIRECTORY)
    view = index.view(public)
    assert not view.shows(hidden) and view.starting(hidden[:6]) == []


@pytest.mark.usefixtures("quick_disk")
def test_a_document_that_gets_the_label_of_another_one_is_hidden_with_it(memory_folder: Path) -> None:
    """The labels there are, and which of them the public reads, stay the same."""
    store = IndexStore(memory_folder, MemoryVersions(), ANALYSER, 8.0)
    paths = ("a.md", "hr/b.md", "it/c.md")
    publish(store, MemoryVectors(HashEncoder()), [make_record(SOURCE, path, [("R", ("travel",))]) for path in paths])
    closed = Rule("it/**", frozenset({"group:people"}))
    before, after = (RuleBook((*book.rules, closed)) for book in (OPEN, SHUT))
    held = FixedPermissions(Permissions.settled(1, {SOURCE: before}, DIRECTORY))
    index, public = LiveIndex(store, held, lambda: NOW), DIRECTORY.audience(["public"], NOW)
    [hidden] = index.view(public).of_document(SOURCE, "hr/b.md")
    held.held = Permissions.settled(2, {SOURCE: after}, DIRECTORY)
    assert not index.view(public).shows(hidden)


def test_at_the_moment_it_ends_a_membership_counts_no_more() -> None:
    ana = Reader("user:ana", frozenset({"public", "group:people"}), NOW)
    [one] = unexpired(Audience((ana,)), NOW).readers
    assert one.principals == {"public"}
    assert unexpired(Audience((ana,)), NOW - timedelta(microseconds=1)).readers == (ana,)


@pytest.mark.usefixtures("quick_disk")
def test_a_purge_beside_a_publish_does_nothing(memory_folder: Path) -> None:
    versions = MemoryVersions()
    store = IndexStore(memory_folder, versions, ANALYSER, 8.0)
    publish(store, MemoryVectors(HashEncoder()), [make_record(SOURCE, "a.md", [("R", ("travel",))])])
    with publishing(memory_folder), pytest.raises(Busy):
        IndexPurge(memory_folder, versions, [(SOURCE, "a.md")]).run()
    assert versions.current() == 1
