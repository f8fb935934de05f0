"""What was computed for one state of a version is not used for another that has its number."""

from pathlib import Path

import pytest
from two_world.every_row import every_row
from two_world.stand_ins import FixedPermissions, HashEncoder, MemoryVectors, MemoryVersions
from two_world.worlds import ANALYSER, DIRECTORY, NOW, PERMISSIONS, PUBLIC, SOURCE, make_record, publish

from indexers.live_index import LiveIndex
from indexers.publishing.index_store import IndexStore
from indexers.purging.purge import IndexPurge
from indexers.search.engines import LexicalIndex
from indexers.search.visibility import Visibility, VisibleRows
from vouch.access import Permissions, Rule, RuleBook
from vouch.errors import Denied
from vouch.filters import Filters

BOOK = RuleBook((Rule("**", frozenset({"public"})), Rule("hr/**", frozenset({"group:people"}))))


@pytest.mark.usefixtures("quick_disk")
def test_a_purge_under_a_running_reader_changes_no_label(memory_folder: Path) -> None:
    """The first of three documents leaves version 1; version 2 is damaged, so that the new version 1 is served."""
    versions, vectors = MemoryVersions(), MemoryVectors(HashEncoder())
    store = IndexStore(memory_folder, versions, ANALYSER, 8.0)
    publish(store, vectors, [make_record(SOURCE, path, [("R", (f"travel {path[0]}",))])
                             for path in ("a.md", "hr/b.md", "z.md")])
    held = FixedPermissions(Permissions.settled(1, {SOURCE: BOOK}, DIRECTORY))
    index, public = LiveIndex(store, held, lambda: NOW), DIRECTORY.audience(["public"], NOW)
    old = store.open(1)
    rows = every_row(old)

    def seen() -> set[str]:
        view = index.view(public)
        return {p.path for p in view.passages([hit.chunk_id for hit in view.lexical(["travel"], 9)])}

    assert seen() == {"a.md", "z.md"}
    done = IndexPurge(memory_folder, versions, [(SOURCE, "a.md")]).run()
    manifest = memory_folder / "versions" / str(done.version) / "manifest.json"
    manifest.write_bytes(b"{}")
    store._opener.limits = lambda target, current: {}       # type: ignore[method-assign]  # the labels alone decide
    assert seen() == {"z.md"}
    with pytest.raises(Denied):
        LexicalIndex(store.open(1)).search(["travel"], rows, 9)


@pytest.mark.usefixtures("quick_disk")
def test_rows_are_made_from_permissions_alone_and_stay_as_they_were_made(memory_folder: Path) -> None:
    store = IndexStore(memory_folder, MemoryVersions(), ANALYSER, 8.0)
    publish(store, MemoryVectors(HashEncoder()), [make_record(SOURCE, "people/a.md", [("R", ("travel",))])])
    version = store.open(1)
    rows = Visibility().rows(version, PERMISSIONS, PUBLIC, NOW)
    assert rows.count == 0
    with pytest.raises(ValueError, match="read-only"):
        rows.mask[:] = True
    with pytest.raises(TypeError):
        VisibleRows(version.rows, version.rows.live, 1, object())


@pytest.mark.usefixtures("quick_disk")
def test_a_view_is_narrowed_to_what_it_shows_in_its_own_version(memory_folder: Path) -> None:
    store = IndexStore(memory_folder, MemoryVersions(), ANALYSER, 8.0)
    vectors, held = MemoryVectors(HashEncoder()), FixedPermissions(Permissions.settled(1, {SOURCE: BOOK}, DIRECTORY))
    pages = [make_record(SOURCE, path, [("R", ("travel",))]) for path in ("a.md", "b/c.md", "hr/b.md")]
    publish(store, vectors, pages)
    index, public = LiveIndex(store, held, lambda: NOW), DIRECTORY.audience(["public"], NOW)
    view = index.view(public)

    def seen(**filters: tuple[str, ...]) -> set[str]:
        narrow = view.narrowed(Filters(**filters))
        assert narrow.statistics(["travel"]).rows == len(narrow.lexical(["travel"], 9)) and narrow.version == 1
        return {p.path for p in narrow.passages([hit.chunk_id for hit in narrow.lexical(["travel"], 9)])}

    publish(store, vectors, [*pages, make_record(SOURCE, "b/d.md", [("R", ("travel",))])])
    assert index.view(public).version == 2
    assert seen() == {"a.md", "b/c.md"} and seen(paths=("b",)) == {"b/c.md"} and seen(sources=(SOURCE,)) == seen()
    assert seen(paths=("hr/*",)) == seen(sources=("other",)) == seen(owners=("user:x@acme.test",)) == set()
