"""The label of a document: the rules of now, its own narrowing, and what limits it in a version of before."""

from pathlib import Path

import pytest
from two_world.stand_ins import HashEncoder, MemoryVectors, MemoryVersions
from two_world.worlds import ANALYSER, DIRECTORY, SOURCE, make_record, publish

from indexers.publishing.index_store import IndexStore
from indexers.search.labels import label_documents
from indexers.versions.files import IndexFiles
from vouch.access import NOBODY, PUBLIC_TAGS, Label, Limits, Permissions, Rule, RuleBook, Stand

PEOPLE = frozenset({"group:people"})
BOOK = RuleBook((Rule("**", PUBLIC_TAGS), Rule("hr/**", PEOPLE)))
AT_HR: Limits = ((Stand("hr/a.md"),),)


@pytest.mark.usefixtures("quick_disk")
@pytest.mark.parametrize("narrowed", [None, PEOPLE])
@pytest.mark.parametrize(("limits", "groups"), [((), ()), (NOBODY, ((),)), (AT_HR, ((Label(PEOPLE),),))])
def test_narrowing_and_limits_count_each_for_itself(
    memory_folder: Path, narrowed: frozenset[str] | None, limits: Limits, groups: tuple[tuple[Label, ...], ...]
) -> None:
    store = IndexStore(memory_folder, MemoryVersions(), ANALYSER, 8.0)
    publish(store, MemoryVectors(HashEncoder()), [make_record(SOURCE, "a.md", [("R", ("travel",))], narrowed),
                                                  make_record(SOURCE, "b.md", [("R", ("leave",))])])
    held = {(SOURCE, "a.md"): limits} if limits else {}
    version = IndexFiles(memory_folder).open(store.manifest(1), held)
    table = label_documents(version, Permissions.settled(1, {SOURCE: BOOK}, DIRECTORY))
    found = {header.path: table.labels[n] for header, n in zip(version.headers, table.of_document, strict=True)}
    assert found == {"a.md": Label(PUBLIC_TAGS, narrowed, limits=groups), "b.md": Label(PUBLIC_TAGS)}
