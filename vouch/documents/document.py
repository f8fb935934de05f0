"""A document and how it changes: what sources yield, parsers make, and a version remembers."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from vouch.documents.chunk import Chunk
from vouch.documents.text.markup import UNMARKED, DocumentMarkup

BlockKind = Literal["heading", "paragraph", "list", "code", "table", "quote"]
Operation = Literal["upsert", "rename", "remove"]


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between a source and what a version knows of it.

    `upsert`: new or other bytes at `path`; `old_path` is set if the document
    moved as well. `rename`: equal bytes, now at `path`. `remove`: gone.
    """

    operation: Operation
    path: str
    hash: str = ""                      # sha256 (hex) of the bytes; empty for a removal
    size: int = 0
    changed_at: datetime | None = None
    old_path: str | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """A path a source will not read (kind, pattern, link out of the folder, special file), and why.

    `group` is what such paths are counted under; a whole folder may be one of them.
    """

    path: str
    reason: str
    source: str = ""                    # known where several sources meet
    group: str = "other"


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of a document as read just now; `hash` is of exactly these bytes.

    `encoding` is what the source says of text that is not UTF-8; None has it found out.
    """

    path: str
    data: bytes
    hash: str
    changed_at: datetime | None = None
    url: str | None = None
    encoding: str | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """A run of text that should not be cut if avoidable: `text[start:end]` of the parsed document."""

    kind: BlockKind
    start: int
    end: int
    level: int = 0                      # of a heading, 1 to 6
    title: str = ""                     # of a heading, without markup
    page: int | None = None             # of a PDF, or slide, from 1


@dataclass(frozen=True, slots=True)
class Parsed:
    """The text people will see quoted, its blocks in order and its marks. `narrowed` is the `access:` front matter.

    `begins` is where its author's own words begin, below what the format says of it; `owners` are those it states.
    """

    text: str
    title: str
    blocks: tuple[Block, ...]
    narrowed: frozenset[str] | None = None
    markup: DocumentMarkup = UNMARKED
    begins: int = 0
    owners: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A document that could not be read, and why; it has no chunks until it changes."""

    path: str
    hash: str
    reason: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """A document as one version holds it. `state` is indexed or quarantined (then no text, no chunks)."""

    source: str
    path: str
    hash: str
    state: Literal["indexed", "quarantined"]
    title: str = ""
    text: str = ""
    chunks: tuple[Chunk, ...] = ()
    narrowed: frozenset[str] | None = None
    reason: str = ""
    changed_at: datetime | None = None
    url: str | None = None
    owners: frozenset[str] = frozenset()                # whom its own text states


@dataclass(frozen=True, slots=True)
class RunReport:
    """What one ingest step did; the counts `vouch ingest --json` prints. `version` is None if there is none yet.

    `quarantined` are the documents that this step tried in vain; of them
    `withdrawn` could be read in the version before. Those of earlier steps
    are `still_quarantined`. `empty` ones were read and hold no words.
    """

    version: int | None
    added: int = 0
    changed: int = 0
    renamed: int = 0
    removed: int = 0
    unchanged: int = 0
    quarantined: int = 0
    withdrawn: int = 0
    still_quarantined: int = 0
    empty: int = 0
    chunks_added: int = 0
    chunks_removed: int = 0
    chunks_kept: int = 0
    embedded: int = 0
    seconds: float = 0.0
    skipped: tuple[Skipped, ...] = field(default=())
    problems: tuple[Quarantined, ...] = field(default=())
    notes: tuple[str, ...] = ()         # how the changes were found, where that was out of the ordinary
    warnings: tuple[str, ...] = ()      # what keeps documents from readers, or a source from this run
