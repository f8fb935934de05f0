"""An import keeps judgments of passages that there are, whatever is purged meanwhile."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from machines.ledger_place import new_ledger
from two_world.stand_ins import HashEncoder, MemoryVectors
from two_world.worlds import ANALYSER, SOURCE, make_record, publish

from indexers.publishing.held_chunks import held_chunks
from indexers.publishing.index_store import IndexStore
from services.labeling.label_import import Imported, LabelImport
from vouch.access import Directory
from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.removal.erasure import Target
from vouch.errors import BadAccess, Busy, Damaged, NotFound
from vouch.learning.labels.label import Label
from vouch.ports.index import Readable

NOW = datetime(2026, 11, 23, 10, 0, tzinfo=UTC)
THERE, GONE = "a" * 32, "b" * 32


def label(chunk: str) -> Label:
    return Label("How?", ("public",), chunk, None, 0, 2, "judged", 1.0, NOW)


def all_of(readers: Sequence[str], chunk_ids: Sequence[str]) -> Readable:
    return Readable(set(chunk_ids), Directory().audience(readers))


def begin_purge(ledger: Ledger) -> None:
    ledger.erasure.made_from(Target([], ["other"], lambda data: False))


def test_what_no_version_holds_is_left_out(ledger: Ledger) -> None:
    done = LabelImport(ledger, lambda ids: ids & {THERE} if isinstance(ids, set) else (), all_of).take(
        [label(THERE), label(GONE)])
    assert done == Imported(1, 1) and ledger.labels.list() == [label(THERE)]


def test_an_old_file_undoes_no_newer_judgment_of_the_same_person(ledger: Ledger) -> None:
    """The former file and the one after it, in either order, leave the same."""
    ana, bo = (replace(label(THERE), person=person) for person in ("user:ana@acme.test", "user:bo@acme.test"))
    newer = replace(ana, relevance=0, at=NOW + timedelta(days=1))
    service = LabelImport(ledger, set, all_of)
    assert service.take([newer]) == Imported(1, 0)
    assert service.take([ana, bo]) == Imported(1, 0, 1)
    assert ledger.labels.list() == [bo, newer]
    again = replace(newer, relevance=1)
    assert service.take([again]) == Imported(1, 0), "of the same moment the file counts"
    assert ledger.labels.list() == [bo, again]


def test_what_the_readers_of_a_question_may_not_read_is_left_out(ledger: Ledger) -> None:
    """THERE is the staff's alone; nobody knows who was in the conversation, or who Zoe is."""
    def visible_to(readers: Sequence[str], chunk_ids: Sequence[str]) -> Readable:
        if "user:zoe@acme.test" in readers:
            raise BadAccess("nobody is called so")
        seen = set(chunk_ids) - ({THERE} if "group:staff" not in readers else set())
        return Readable(seen, Directory().audience(readers))

    def of(chunk: str, *tags: str) -> Label:
        return replace(label(chunk), audience=tags)

    kept = [of(THERE, "group:staff"), of(GONE, "public"), of(THERE, "conversation:slack:C1")]
    hidden = [of(THERE, "public"), of(GONE, "user:zoe@acme.test")]
    assert LabelImport(ledger, set, visible_to).take([*kept, *hidden]) == Imported(3, 2)
    assert {one.key for one in ledger.labels.list()} == {one.key for one in kept}


def test_a_purge_between_look_and_save_is_noticed(ledger: Ledger) -> None:
    looks: list[set[str]] = [{THERE, GONE}, {THERE}]

    def held(ids: Collection[str]) -> set[str]:
        found = looks.pop(0)
        if looks:
            begin_purge(ledger)
        return found

    assert LabelImport(ledger, held, all_of).take([label(THERE), label(GONE)]) == Imported(1, 1)
    assert ledger.labels.list() == [label(THERE)]

    def always(ids: Collection[str]) -> set[str]:
        begin_purge(ledger)
        return set(ids)

    with pytest.raises(Busy):
        LabelImport(ledger, always, all_of).take([label(GONE)])
    assert ledger.labels.list() == [label(THERE)]


def test_a_chunk_is_held_as_long_as_a_kept_version_holds_it(tmp_path: Path) -> None:
    ledger = new_ledger(tmp_path / "ledger.sqlite")
    store, vectors = IndexStore(tmp_path, ledger.versions, ANALYSER, 8.0), MemoryVectors(HashEncoder())
    with pytest.raises(NotFound, match="vouch ingest"):
        held_chunks(store, [THERE])
    first = make_record(SOURCE, "a.md", [("Vault", ["it opens at nine"])])
    second = make_record(SOURCE, "a.md", [("Vault", ["it closes at four"])])
    publish(store, vectors, [first])
    publish(store, vectors, [second])
    ids = {first.chunks[0].id, second.chunks[0].id}
    assert len(ids) == 2 and held_chunks(store, [*ids, THERE, "c1", "zz" * 16]) == ids
    for manifest in (tmp_path / "versions").rglob("manifest.json"):
        manifest.write_text("{")
    with pytest.raises(Damaged, match="version 1 cannot be opened"):
        held_chunks(IndexStore(tmp_path, ledger.versions, ANALYSER, 8.0), ids)
