"""An import keeps judgments of passages that there are, whatever is purged meanwhile."""

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from machines.ledger_place import new_ledger
from two_world.stand_ins import HashEncoder, MemoryVectors
from two_world.worlds import ANALYSER, SOURCE, make_record, publish

from indexers.publishing.held_chunks import held_chunks
from indexers.publishing.index_store import IndexStore
from services.labeling.label_import import Imported, LabelImport, TakenBack
from vouch.access import Directory, Person
from vouch.adapters.data_files.labels import read_labels, read_questions
from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.removal.erasure import Target
from vouch.errors import BadAccess, BadInput, Busy, Damaged, NotFound
from vouch.learning.labels.label import Label
from vouch.ports.index import Readable

NOW = datetime(2026, 11, 23, 10, 0, tzinfo=UTC)
NO_VIEW: Any = None
THERE, GONE = "a" * 32, "b" * 32


def label(chunk: str) -> Label:
    return Label("How?", ("public",), chunk, None, 0, 2, "judged", 1.0, NOW)


def all_of(readers: Sequence[str], chunk_ids: Sequence[str]) -> Readable:
    return Readable(set(chunk_ids), Directory().audience(readers), NO_VIEW)


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
        return Readable(seen, Directory().audience(readers), NO_VIEW)

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


def test_what_is_there_already_is_left_out_and_counted(ledger: Ledger) -> None:
    """As qrels nobody is named: who exports and imports them is no further person."""
    ana = replace(label(THERE), person="user:ana@acme.test", text_hash="a" * 64)
    service = LabelImport(ledger, set, all_of)
    assert service.take([ana]) == Imported(1, 0)
    later = NOW + timedelta(days=1)
    assert service.take([replace(label(THERE), at=later)]) == Imported(0, 0, 0, 1)
    assert service.take([replace(ana, at=later, text_hash=None)]) == Imported(0, 0, 0, 1)
    assert ledger.labels.list() == [ana]
    for new in (replace(ana, text_hash="b" * 64, at=later), replace(label(THERE), relevance=0), label(GONE)):
        assert service.take([new]) == Imported(1, 0), "another text, another value, another passage"
    assert service.take([replace(label(THERE), at=later)]) == Imported(1, 0), "nobody's own word is changed"


def test_an_import_is_taken_back(ledger: Ledger) -> None:
    """All that the file says, and nothing that was judged anew since."""
    ana, bo = (replace(label(THERE), person=person) for person in ("user:ana@acme.test", "user:bo@acme.test"))
    service = LabelImport(ledger, set, all_of)
    service.take([label(GONE), ana, bo])
    anew = replace(bo, relevance=0, at=NOW + timedelta(days=1))
    ledger.labels.put([anew])
    assert service.take_back([label(GONE), ana, bo]) == TakenBack(2, 1)
    assert ledger.labels.list() == [anew]
    assert service.take_back([label(GONE)]) == TakenBack(0, 1)


def test_who_is_not_in_the_directory_is_refused_with_the_line(ledger: Ledger, tmp_path: Path) -> None:
    known = Directory(people={"ana@acme.test": Person(())})
    file = tmp_path / "judged.jsonl"
    rows = [{"question": "How?", "audience": ["public"], "chunk_id": THERE, "relevance": 2, "person": person}
            for person in ("user:ana@acme.test", "user:anna@acme.test")]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    service = LabelImport(ledger, set, all_of, lambda: known)
    with pytest.raises(BadInput, match=r"line 2.*not in the directory; did you mean user:ana@acme\.test"):
        read_labels(file, 1.0, NOW, service.stranger())
    nobody = LabelImport(ledger, set, all_of).stranger()
    assert len(read_labels(file, 1.0, NOW, nobody)) == 2, "no directory is loaded"


def test_an_earlier_line_is_named_with_its_number(tmp_path: Path) -> None:
    file = tmp_path / "judged.jsonl"
    rows = [{"question": "How?", "audience": ["public"], "chunk_id": THERE, "relevance": n} for n in (2, 3)]
    file.write_text("\n\n".join(map(json.dumps, rows)))
    with pytest.raises(BadInput, match="line 3 cannot be read: line 1 judges the same passage"):
        read_labels(file, 1.0, NOW)


def test_questions_to_judge_may_be_those_to_ask(tmp_path: Path) -> None:
    file = tmp_path / "asked.jsonl"
    file.write_text('{"id": "q1", "text": "How?", "as": ["public"]}\n{"question": "Who?", "audience": ["group:a"]}\n'
                    '{"text": "When?"}\n')
    assert read_questions(file) == [("How?", ("public",)), ("Who?", ("group:a",)), ("When?", ())]
