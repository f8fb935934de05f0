"""What the system needs of its machines. Each Protocol has a suite in tests/contracts/.

Every method may raise `Unavailable` (the machine does not answer; nothing
was lost) besides what its docstring names. None returns an empty result in
place of a failure.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from threading import Event
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from vouch.access import Audience, Permissions
from vouch.documents.document import Change, Content, Parsed, Skipped
from vouch.retrieval.candidate import Candidate, Hit, Passage, Statistics

Vector = NDArray[np.float32]


class Tokenizer(Protocol):
    """Counts text in the encoder's tokens, without loading the encoder."""

    @property
    def limit(self) -> int:
        """Most tokens one encoder input may have, special tokens included."""
        ...

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Character ranges of the tokens of `text`, in order, special tokens left out."""
        ...

    def count(self, text: str) -> int:
        """How many `spans` of `text` there are, found out faster."""
        ...


class Analyser(Protocol):
    """Turns text into index terms; one instance of one kind for documents and questions."""

    @property
    def fingerprint(self) -> str: ...

    def terms(self, text: str) -> list[str]:
        """Terms in order, repeats kept, stop words left out; there are no blanks in a term."""
        ...


class Encoder(Protocol):
    """Sentence vectors. A text's numbers do not depend on its neighbours or their order, bit for bit."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever a vector of an equal text could change (weights, dtype, shapes, pooling)."""
        ...

    @property
    def dimensions(self) -> int: ...

    def passages(self, texts: Sequence[str]) -> Vector:
        """float32, shape (len(texts), dimensions), rows of unit length, in the order of `texts`."""
        ...

    def questions(self, texts: Sequence[str]) -> Vector: ...


class Reranker(Protocol):
    """Scores how well passages match questions, many pairs at once."""

    @property
    def fingerprint(self) -> str: ...

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """One score per (question, passage), higher is better; a pair's score ignores its neighbours."""
        ...


class Evaluator(Protocol):
    """Judges from a candidate's features how likely its passage holds the answer."""

    @property
    def fingerprint(self) -> str: ...

    @property
    def thresholds(self) -> tuple[float, float]:
        """(lower, upper): below lower is incorrect, from upper on correct, between ambiguous."""
        ...

    def probabilities(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        """Calibrated P(passage answers question), one per candidate, in [0, 1]."""
        ...


class View(Protocol):
    """One pinned version as one audience sees it. Nothing in it tells of rows the audience may not read."""

    @property
    def version(self) -> int: ...

    @property
    def epoch(self) -> int: ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What whoever reads results of this view must be told: where the promise about permissions does not hold."""
        ...

    def lexical(self, terms: Sequence[str], top: int) -> list[Hit]:
        """BM25 over the visible rows, best first, ties by chunk id, scores > 0 only."""
        ...

    def dense(self, vector: Vector, top: int) -> list[Hit]:
        """Exact inner product over the visible rows, best first, ties by chunk id."""
        ...

    def statistics(self, terms: Iterable[str]) -> Statistics: ...

    def passages(self, chunk_ids: Sequence[str]) -> list[Passage]:
        """In the order asked. Raises Denied for an id that is unknown or not visible, without telling which."""
        ...

    def around(self, chunk_id: str, before: int, after: int) -> list[str]:
        """Ids of the chunk's neighbours in its document, in document order, itself left out."""
        ...

    def same_section(self, chunk_id: str) -> list[str]:
        """Ids of the chunks with the same section path in its document, itself left out, in document order."""
        ...


class Index(Protocol):
    """The current version and the current permissions, looked up anew at every call."""

    def view(self, audience: Audience) -> View: ...

    def visible(self, audience: Audience, chunk_ids: Sequence[str]) -> set[str]:
        """Those of `chunk_ids` that the audience may read in the current version under current permissions."""
        ...


@dataclass(frozen=True, slots=True)
class Scan:
    """What a source found: net changes in order of path, and the cursor once they are published."""

    changes: tuple[Change, ...]
    skipped: tuple[Skipped, ...]
    cursor: Mapping[str, Any]
    unchanged: int
    more: bool                          # another scan from `cursor` would find more
    notes: tuple[str, ...] = ()         # what a person should know about how the changes were found


class Source(Protocol):
    """A place documents come from."""

    @property
    def name(self) -> str: ...

    def scan(
        self,
        known: Mapping[str, str],
        cursor: Mapping[str, Any],
        *,
        step: int | None = None,
        until: int | None = None,
        paths: Sequence[str] | None = None,
    ) -> Scan:
        """Changes since (`known`: path → hash in the version, `cursor`: the version's), folded per path.

        `step`: at most that many events, rounded up so that one commit stays
        whole. `until`: none after the N-th event of the source (of this run,
        for a source without events). `paths`: documents and folders that are
        said to have changed; a source without events looks at nothing else and
        leaves the cursor as it was. Raises BadInput or Unavailable.
        """
        ...

    def load(self, change: Change) -> Content:
        """The bytes of an upsert or rename. Raises Unreadable if they are gone or too large."""
        ...


class Watch(Protocol):
    """Notices changes of a source's place, for as long as somebody looks."""

    def changes(self, stop: Event, looked: Callable[[], object]) -> Iterator[Sequence[str] | None]:
        """Documents and folders that may have changed, as they do; None for all of the source.

        None comes first, and again when a place that had gone is back. Ends soon
        after `stop` is set. Calls `looked` every few seconds, whatever it finds.
        """
        ...


class IngestStarter(Protocol):
    """Has changes ingested, here or elsewhere."""

    def ingest(self, source: str, paths: Sequence[str] | None, stopped: Callable[[], bool]) -> None:
        """Once it returns, the current version has what changed at `paths` of the source (None: anywhere).

        Raises NotFound for a source that does not exist, and Busy, Guarded or
        Unavailable where the same may succeed later; the last of them also soon
        after `stopped` says so.
        """
        ...


class Parser(Protocol):
    def parse(self, content: Content) -> Parsed:
        """Raises Unreadable with a reason a person understands."""
        ...


@dataclass(frozen=True, slots=True)
class Evidence:
    """A refined passage given to the writer: `number` is what citations use, strips are its kept ranges."""

    number: int
    passage: Passage
    strips: tuple[tuple[int, int], ...]  # ranges within passage.text, in order, not overlapping
    probability: float


@dataclass(frozen=True, slots=True)
class DraftSentence:
    """A sentence of the answer; `quotes` are (evidence number, start, end) ranges within passage.text."""

    text: str
    quotes: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """No sentences means the writer found nothing that answers; `reason` then says why."""

    sentences: tuple[DraftSentence, ...]
    model: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    warnings: tuple[str, ...] = ()
    reason: str = ""


class Writer(Protocol):
    def write(self, question: str, evidence: Sequence[Evidence]) -> Draft:
        """A draft that quotes only `evidence`. Raises ModelDown when its model cannot be reached."""
        ...


@dataclass(frozen=True, slots=True)
class Record:
    """A message as it lies on the log."""

    topic: str
    partition: int
    offset: int
    key: bytes
    value: bytes
    headers: tuple[tuple[str, bytes], ...]
    timestamp_ms: int

    def content(self) -> bytes:
        """Everything in it that somebody may have written."""
        return b"\0".join((self.key, self.value, *(value for _, value in self.headers)))


@dataclass(frozen=True, slots=True)
class Erased:
    """How many messages were deleted, and what cannot be shown to be gone, in words."""

    deleted: int
    unproven: tuple[str, ...] = ()


class LogKeeper(Protocol):
    """Lets go of messages that are old, or that hold words to be forgotten."""

    def expired(self, before_ms: int, dead_before_ms: int) -> int:
        """How many messages `expire` would delete."""
        ...

    def expire(self, before_ms: int, dead_before_ms: int) -> int:
        """Deletes messages sent before then that all their readers have done, and dead ones by a time of their own."""
        ...

    def erase(self, holds: Callable[[bytes], bool]) -> Erased:
        """Deletes messages whose bytes `holds` finds something in, unless they wait to be read."""
        ...

    def scour(self) -> None:
        """Nothing that was deleted is left in files that are ours. Raises Busy."""
        ...


class Producer(Protocol):
    def send(
        self, topic: str, key: bytes, value: bytes, headers: Sequence[tuple[str, bytes]] = ()
    ) -> tuple[int, int]:
        """(partition, offset) once the log has it durably. Equal keys go to one partition, in order."""
        ...

    def close(self) -> None: ...


class Consumer(Protocol):
    """A member of a group on some topics. Each partition is read by one member at a time."""

    def poll(self, timeout_s: float) -> Record | None:
        """The next record of a held partition, or None. A record not committed comes again after a restart."""
        ...

    def commit(self, record: Record) -> bool:
        """Everything up to `record` is done.

        False if its partition was lost since it was read; then nothing changed,
        and what was read of it and is not committed comes again to whoever has it.
        """
        ...

    def holds(self, record: Record) -> bool:
        """Whether its partition was held ever since it was read. Asked before what others would see is done."""
        ...

    def renew(self) -> None:
        """Says that this member is still at work on its last record; poll and commit say so as well."""
        ...

    def seek(self, topic: str, partition: int, offset: int) -> bool:
        """The next record of that partition is the one at `offset`. False if the partition is not held."""
        ...

    def close(self) -> None:
        """Leaves the group; another member may take the partitions at once."""
        ...


class Log(Protocol):
    def producer(self) -> Producer: ...

    def consumer(self, group: str, topics: Sequence[str]) -> Consumer: ...

    def lag(self, group: str, topic: str) -> int:
        """How many records of the topic the group has not committed yet."""
        ...

    def lags(self, group: str, topic: str) -> Mapping[int, int]:
        """`lag` by partition; nothing for a topic that does not exist yet."""
        ...

    def read(self, topic: str) -> Iterator[Record]:
        """Every record of the topic, by partition and offset, without joining a group."""
        ...

    def discard(self, topic: str, places: Collection[tuple[int, int]]) -> None:
        """`read` gives these (partition, offset) no more. For topics that no group reads; may be repeated."""
        ...


@dataclass(frozen=True, slots=True)
class Delivery:
    """An answer on its way to the surface it was asked on."""

    question_id: str
    thread: str | None
    answer: Mapping[str, Any]


AfterDoubt = Literal["ask", "repeat"]
"""What to do when a post may or may not have arrived.

ask      the receiver tells whether it has the question id: `has` is called, and `post` only if it has not
repeat   the receiver cannot be asked, but keeps the first post of a question id and drops others: `post` is called
"""


class Surface(Protocol):
    """A place where people ask and read. The question id travels with each post, for the receiver to know it by.

    A receiver that can neither be asked nor drops repeats is none: nobody
    could promise that an answer comes once.
    """

    @property
    def after_doubt(self) -> AfterDoubt: ...

    def has(self, delivery: Delivery) -> bool:
        """Whether the answer to this question is there already. Raises Unavailable where nobody can tell now."""
        ...

    def post(self, delivery: Delivery) -> None:
        """Afterwards it is there for people to see, with the question id. One attempt, within a minute.

        Raises Unavailable when the receiver is down or slow, and whenever it
        may or may not have arrived; Denied where nobody may ever post it;
        BadInput where the receiver refuses this answer and might take another.
        """
        ...


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A version as the ledger knows it; `state` is building, published, retired or abandoned."""

    number: int
    parent: int | None
    state: str
    created_at: datetime


class VersionStore(Protocol):
    """Numbers and the pointer; the files are the indexers'."""

    def allocate(self, parent: int | None) -> VersionRow:
        """A number never given before, in state building."""
        ...

    def current(self) -> int | None: ...

    def swap(self, expected: int | None, new: int, *, despite_hold: bool = False) -> None:
        """Moves the pointer from `expected` to `new`, which becomes published.

        Raises Conflict if it was elsewhere, and Held while a rollback is in
        force, unless `despite_hold`.
        """
        ...

    def roll_back(self, expected: int | None, new: int, content_of: int) -> None:
        """Like `swap`, and in the same moment a hold is in force, in place of any other."""
        ...

    def abandon(self, number: int) -> None:
        """A version never published never will be."""
        ...

    def retire(self, number: int) -> None:
        """A published version that is not current gives up its files. Raises Usage for any other."""
        ...

    def rows(self) -> list[VersionRow]:
        """All versions, oldest first."""
        ...


class PermissionStore(Protocol):
    def permissions(self) -> Permissions:
        """The rules, memberships and epoch in force now."""
        ...
