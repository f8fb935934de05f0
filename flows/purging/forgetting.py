"""Forgets the documents whose purge was asked for, everywhere, and proves it by a search.

Each stage may be repeated, so a purge that was killed is simply run again.
What to search for is noted in one file before anything is deleted, for
afterwards nobody knows it any more; that file goes last, once all is proven.
"""

import hashlib
import logging
import shutil
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from flows.purging.purged import PurgeNotes
from flows.shared.components import IngestComponents
from flows.shared.home_files.folders import forget_searches, refuse_links
from flows.shared.home_files.golden_file import forget_golden
from flows.shared.home_files.weekly_reports import forget_reports
from flows.shared.reporting import Progress, silent
from indexers.parts.document_parts import Place
from indexers.purging.purge import IndexPurge
from indexers.purging.residue import Residue, terms_left
from indexers.storage import disk_errors
from vouch.adapters.erasure.byte_search import Matcher, matcher_of
from vouch.adapters.erasure.file_search import Found, in_values, report, search_files
from vouch.adapters.ledger import Purge
from vouch.adapters.ledger.removal.erasure import Erased as ErasedRows
from vouch.adapters.ledger.removal.erasure import Target
from vouch.adapters.ledger.removal.purges import DONE, PROVEN
from vouch.adapters.sources.folder.source import NO_HASH
from vouch.adapters.sources.human_answers import NAME, HumanAnswers
from vouch.adapters.sources.kinds import kind_of
from vouch.answering.answer import REMOVED_TEXT
from vouch.answering.answer_text import NOTHING, NOTHING_FOR_ALL
from vouch.documents.fingerprints import Fingerprints
from vouch.errors import Damaged, Guarded, VouchError
from vouch.messages import about
from vouch.ports.log import Erased, Record

_LOGGER = logging.getLogger(__name__)
COMMON = frozenset({NO_HASH, hashlib.sha256(b"").hexdigest()})      # of what could not be read, of an empty file
_SHOWN = 10
_STAGES = ("index", "vectors", "ledger", "log", "leftovers", "search")


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What one run took away. `version` is the new current one; `rewritten` versions were changed in place."""

    places: tuple[str, ...]
    contents: int
    version: int | None
    rewritten: tuple[int, ...]
    vectors: int
    answers: int
    candidates: int
    labels: int
    messages: int
    searched_for: int
    unproven: tuple[str, ...] = ()      # what cannot be shown to be gone, in words


def resume_purges(components: IngestComponents, progress: Progress = silent) -> None:
    """Goes on with purges that were killed or could not be proven; what is still wrong is logged, not raised.

    To be called under the home's ingest lock.
    """
    try:
        log_unproven(finish_purges(components, progress))
    except VouchError as error:
        _LOGGER.error("a purge is not done: %s", error)


def log_unproven(done: Forgotten | None) -> None:
    """For those who show nobody what was done."""
    for words in done.unproven if done is not None else ():
        _LOGGER.warning("not shown to be gone: %s", words)


def finish_purges(components: IngestComponents, progress: Progress = silent) -> Forgotten | None:
    """Forgets every document whose purge is not done; None if there is none.

    To be called under the home's ingest lock. Raises Damaged, saying where,
    if anything is left, or a folder of reports is a link: the purge is then
    not done, and may be run again.
    """
    rows = components.ledger.purges.unfinished()
    if not rows:
        return None
    refuse_links(components.home)
    return _Forgetting(components, rows, progress).run()


class _Forgetting:
    def __init__(self, components: IngestComponents, rows: Sequence[Purge], progress: Progress) -> None:
        self._m = components
        self._rows = rows
        self._ids = [row.id for row in rows]
        self._places = {row.place for row in rows}
        self._progress = progress
        self._notes = PurgeNotes(components.home)

    def run(self) -> Forgotten:
        if all(row.state == PROVEN for row in self._rows):
            self._finish()
            return self._report(0, None, (), searched_for=0)
        index = self._look()
        remains = index.remains()
        fingerprints, matcher = self._note(remains, index.lineage.left, index.lineage.hashes)
        self._stage("index")
        purged = index.run()
        self._stage("vectors")
        vectors = self._m.vectors.keep_only(remains.kept_keys)
        self._stage("ledger")
        fingerprints, erased = self._ledger(self._places | index.lineage.left, fingerprints, matcher)
        self._stage("log")
        messages = self._messages(fingerprints.asked, matcher)
        self._stage("leftovers")
        _drop_prefect(self._m.home)
        forget_reports(self._m.home)
        forget_searches(self._m.home)
        forget_golden(self._m.home, lambda data: bool(matcher.find(data)), frozenset(p for _, p in self._places))
        HumanAnswers(self._m.home, self._m.ledger).settle(datetime.now(UTC))
        self._stage("search")
        self._prove(fingerprints, matcher, messages.waiting)
        self._finish()
        done = self._report(len(index.lineage.contents), purged.version, purged.rewritten, _size(fingerprints))
        return replace(
            done, vectors=vectors, answers=erased.answers, candidates=erased.candidates,
            labels=erased.labels, messages=messages.deleted, unproven=purged.unproven + messages.unproven,
        )

    def _look(self) -> IndexPurge:
        """What the index holds of the documents. Their contents are noted as refused. Raises Guarded for copies."""
        hashes = {digest for row in self._rows for digest in row.hashes}
        index = IndexPurge(self._m.home, self._m.ledger.versions, self._places, hashes, COMMON, self._m.store.lexical)
        if index.lineage.copies:
            raise copies_stand(index.lineage.copies)
        self._m.ledger.purges.learn(self._ids, index.lineage.hashes - COMMON)
        return index

    def _note(self, remains: Residue, left: Set[Place], hashes: Set[str]) -> tuple[Fingerprints, Matcher]:
        """What to search for: what was noted before, and what is found now but does not stand elsewhere too.

        A document that is one passage and nothing else has a row key that its hash begins with. The hash is kept, so
        that the document does not come back.
        """
        fingerprints = self._notes.read() | remains.fingerprints
        kept = {*hashes, *(digest for row in self._rows for digest in row.hashes)}
        fingerprints = replace(fingerprints, keys=frozenset(
            key for key in fingerprints.keys if not any(digest.startswith(key.hex()) for digest in kept)))
        matcher = matcher_of(fingerprints)
        elsewhere = fingerprints.pieces & matcher.origins(in_values(self._elsewhere(remains, left), matcher))
        fingerprints = replace(fingerprints, pieces=fingerprints.pieces - elsewhere)
        self._notes.write(fingerprints)
        return fingerprints, matcher.without(elsewhere)

    def _elsewhere(self, remains: Residue, left: Set[Place]) -> Iterator[bytes]:
        """Other documents, the names of places, which are kept, and what vouch itself says."""
        for text in remains.others():
            yield text
            yield b" ".join(text.split())
        yield from (f"{source}:{path}".encode() for source, path in self._places | left)
        yield from self._m.ledger.erasure.kept()
        yield from (NOTHING.encode(), NOTHING_FOR_ALL.encode(), REMOVED_TEXT.encode())

    def _ledger(
        self, places: set[Place], fingerprints: Fingerprints, matcher: Matcher
    ) -> tuple[Fingerprints, ErasedRows]:
        """Which answers are reduced is noted before: afterwards nobody could tell what messages speak of them."""
        erasure = self._m.ledger.erasure
        target = Target(places, fingerprints.ids, lambda data: bool(matcher.find(data)))
        made_from = erasure.made_from(target)
        fingerprints = replace(
            fingerprints, asked=fingerprints.asked | made_from.keys() | set(made_from.values()),
            question_keys=fingerprints.question_keys | erasure.question_keys(made_from),
        )
        self._notes.write(fingerprints)
        erased = erasure.erase(target, made_from, fingerprints.asked, fingerprints.question_keys)
        erasure.scour()
        return fingerprints, erased

    def _messages(self, asked: Set[str], matcher: Matcher) -> Erased:
        """Those with words of the document, and all about the answers that were made from it."""
        def of_it(record: Record) -> bool:
            return about(record.value, asked) or bool(matcher.find(record.content()))

        erased = self._m.messages.erase(of_it)
        self._m.messages.scour()
        return erased

    def _prove(self, fingerprints: Fingerprints, matcher: Matcher, waiting: int) -> None:
        """Raises Damaged unless no own file holds any fingerprint, and no message about its answers waits."""
        if names := self._m.ledger.erasure.models_with(lambda data: bool(matcher.find(data))):
            raise Damaged(f"words of the document are in the model {names[0]}", cure=_RETIRE.format(names[0]))
        rows = [row for row in self._m.ledger.sources.list() if row.name != NAME]   # vouch keeps that one itself
        sources = [kind_of(row).place(row.path)[0] for row in rows]
        leftovers = list(search_files(self._m.home, matcher, [self._notes.path, *sources]))
        leftovers += report("ledger", in_values(self._m.ledger.erasure.values(), matcher), matcher)
        terms = [*terms_left(self._m.home, fingerprints.terms), *self._m.store.lexical.terms_left(fingerprints.terms)]
        leftovers += [Found(name, "term", count) for name, count in terms]
        left = self._m.ledger.erasure.labels_left(fingerprints.question_keys)
        leftovers += [Found("ledger", "label", left)] if left else []
        leftovers += [Found("log", "message that waits to be read", waiting)] if waiting else []
        if leftovers:
            raise Damaged(f"the purge is not complete: {_told(leftovers)}", cure=_CURE)

    def _finish(self) -> None:
        """The notes go last; between these steps a purge is as good as done."""
        self._m.ledger.purges.mark(self._ids, PROVEN)
        self._notes.delete()
        self._m.ledger.purges.mark(self._ids, DONE, datetime.now(UTC))

    def _report(self, contents: int, version: int | None, rewritten: tuple[int, ...], searched_for: int) -> Forgotten:
        names = tuple(sorted(f"{source}:{path}" for source, path in self._places))
        return Forgotten(names, contents, version, rewritten, 0, 0, 0, 0, 0, searched_for)

    def _stage(self, name: str) -> None:
        self._progress("purging", _STAGES.index(name) + 1, len(_STAGES))


_CURE = "run it again once the questions that wait are answered, or remove what is named by hand"

_RETIRE = "vouch models retire {}, then run the purge again"


def copies_stand(copies: Sequence[tuple[str, str]]) -> Guarded:
    names = ", ".join(f"{source}:{path}" for source, path in copies)
    return Guarded(f"the same words are also at {names}", cure="purge those places too: --with-copies")


def _drop_prefect(home: Path) -> None:
    """Deletes the history of runs of the Prefect server that earlier releases started inside `vouch ingest`."""
    folder = home / "prefect"
    if folder.is_dir() and not folder.is_symlink():
        with disk_errors(folder):
            shutil.rmtree(folder)


def _size(of: Fingerprints) -> int:
    return sum(map(len, (of.pieces, of.ids, of.keys, of.vectors, of.terms)))


def _told(found: Sequence[Found]) -> str:
    words = [f"{one.place} holds {one.count} {one.kind}{'s' if one.count > 1 else ''}" for one in found[:_SHOWN]]
    return "; ".join(words) + (f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else "")
