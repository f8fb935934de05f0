"""A fetched page becomes passages, taken apart in the child process that documents are taken apart in."""

import hashlib
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path

from vouch.adapters.sandbox.isolated import IsolatedParser
from vouch.adapters.sandbox.limits import ParsingLimits
from vouch.adapters.web.guard.fetcher import Page
from vouch.documents.chunk import chunk_header
from vouch.documents.document import Content
from vouch.errors import WebDown
from vouch.ports.tokenizer import Tokenizer
from vouch.retrieval.candidate import Passage

SOURCE = "web"
LIMITS = ParsingLimits(seconds=3.0, memory_mb=512, pages=200, document_bytes=10_000_000)


class PageReader:
    """May be used by several threads, which take turns with one child."""

    def __init__(
        self, tokenizer: Callable[[], Tokenizer], model: Path | None, *, size: int, overlap: int
    ) -> None:
        self._parser = IsolatedParser(tokenizer, model, LIMITS)
        self._size, self._overlap = size, overlap
        self._turn = threading.Lock()
        weakref.finalize(self, self._parser.close)      # also when the process ends

    def read(self, page: Page, until: float) -> Sequence[Passage]:
        """The passages of the page, without those that read as orders to a language model.

        Raises Unreadable; WebDown if its turn has not come by `until` of `time.monotonic`.
        """
        name = f"page{page.suffix}"     # decides how it is read, so the web's own name has no say in it
        content = Content(name, page.data, hashlib.sha256(page.data).hexdigest(), encoding=page.encoding)
        with self._turn:
            if time.monotonic() > until:
                raise WebDown("no reply in time")
            found = self._parser.take_apart(page.url, content, size=self._size, overlap=self._overlap)
        return [
            Passage(
                chunk_id=one.id, source=SOURCE, path=page.url, title=found.title, section=one.section,
                text=found.text[one.start : one.end], start=one.start, end=one.end, first_line=one.first_line,
                last_line=one.last_line, ordinal=one.ordinal, document_chunks=len(found.chunks), page=one.page,
                has_table=one.has_table, url=page.url, header=chunk_header(found.text, one), markup=one.markup,
                origin="external", fetched_at=page.fetched_at,
            )
            for one in found.chunks if not one.injection
        ]

    def close(self) -> None:
        """Ends the child; the next page would start another."""
        self._parser.close()
