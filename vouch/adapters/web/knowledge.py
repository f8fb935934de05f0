"""Knowledge from the web: question, words, pages, passages; pages are read in the parsing child."""

import hashlib
import logging
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from vouch.adapters.sandbox.isolated import IsolatedParser
from vouch.adapters.sandbox.limits import ParsingLimits
from vouch.adapters.web.guard.fetcher import Expiring, Fetcher, Page
from vouch.documents.chunk import chunk_header, model_input
from vouch.documents.document import Content
from vouch.errors import Unreadable, VouchError, WebDown
from vouch.plurals import count
from vouch.ports.ingestion import Tokenizer
from vouch.ports.models import Analyser, Reranker
from vouch.ports.web import Found, SearchEngine
from vouch.retrieval.injections import without_orders
from vouch.values.candidate import Candidate, Passage

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
        """The passages of the page, flagged where they read as orders to a language model.

        Raises Unreadable; WebDown if its turn has not come by `until` of `time.monotonic`.
        """
        name = f"page{page.suffix}"     # decides how it is read, so the web's own name has no say in it
        content = Content(name, page.data, hashlib.sha256(page.data).hexdigest(), encoding=page.encoding)
        with self._turn:
            if time.monotonic() > until:
                raise WebDown("no reply in time")
            parse = self._parser.take_apart(page.url, content, size=self._size, overlap=self._overlap)
        return [
            Passage(
                chunk_id=chunk.id, source=SOURCE, path=page.url, title=parse.title, section=chunk.section,
                text=parse.text[chunk.start : chunk.end], start=chunk.start, end=chunk.end, first_line=chunk.first_line,
                last_line=chunk.last_line, ordinal=chunk.ordinal, document_chunks=len(parse.chunks), page=chunk.page,
                has_table=chunk.has_table, url=page.url, header=chunk_header(parse.text, chunk), markup=chunk.markup,
                origin="external", fetched_at=page.fetched_at, injection=chunk.injection,
            )
            for chunk in parse.chunks
        ]

    def close(self) -> None:
        """Ends the child; the next page would start another."""
        self._parser.close()


T = TypeVar("T")
_KEPT = 256                             # pages and lists of results in memory
_SCORED = 20                            # passages of all pages that the reranker reads: those with most of the words
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WebLimits:
    pages: int = 5
    seconds: float = 15.0               # for all of it
    cache_s: float = 3600.0
    pause_s: float = 15.0               # that a search service which failed is not asked again


class WebKnowledge:
    """Implements ports.WebSearch. Results and passages are kept in memory for a while, and nowhere else."""

    def __init__(
        self, query: Callable[[str], str], engine: SearchEngine, fetcher: Fetcher, reader: PageReader,
        reranker: Reranker, analyser: Analyser, limits: WebLimits,
    ) -> None:  # fmt: skip
        self._query, self._engine, self._fetcher, self._reader = query, engine, fetcher, reader
        self._reranker, self._analyser, self._limits = reranker, analyser, limits
        self._addresses: Expiring[Sequence[str]] = Expiring(_KEPT, limits.cache_s)
        self._failed: Expiring[str] = Expiring(1, limits.pause_s)
        self._pages: Expiring[Sequence[Passage]] = Expiring(_KEPT, limits.cache_s)

    def passages(self, question: str, top: int) -> Found:
        """Raises WebDown if the search service fails, or none of the pages it found can be read."""
        until = time.monotonic() + self._limits.seconds
        query = self._query(question)
        if not query:
            return Found()
        addresses = self._search(query, until)
        if not addresses:
            return Found(notes=("the web search found no page",))
        pages, failures = self._read(addresses, until)
        if not pages:
            pages_found = count(len(addresses), "page")
            raise WebDown(f"the web search found {pages_found}, and none could be read: {_summed(failures)}")
        return Found(self._best(question, [passage for page in pages for passage in page], top))

    def close(self) -> None:
        """Afterwards no process of it is left."""
        self._reader.close()

    def _search(self, query: str, until: float) -> Sequence[str]:
        """A service that failed is left alone for a while, or each question would wait for it."""
        known = self._addresses.get(query)
        if known is not None:
            return known
        if failed := self._failed.get("search"):
            raise WebDown(failed)
        [asked] = _in_time([partial(self._engine.addresses, query, self._limits.pages, until)], until)
        if failed := _failure(asked):
            self._failed.put("search", failed)
            raise WebDown(failed)
        known = asked.result()
        self._addresses.put(query, known)
        return known

    def _read(self, addresses: Sequence[str], until: float) -> tuple[list[Sequence[Passage]], list[str]]:
        """The pages that came in time, in the order of `addresses`; what kept the others away."""
        pages, failures = [], []
        for future in _in_time([partial(self._page, one, until) for one in addresses], until):
            reason = _failure(future)
            if reason:
                failures.append(reason)
            else:
                pages.append(future.result())
        _log.info("the web: %d pages read, %d not", len(pages), len(failures))
        return pages, failures

    def _page(self, url: str, until: float) -> Sequence[Passage]:
        known = self._pages.get(url)
        if known is None:
            known = self._reader.read(self._fetcher.fetch(url, until), until)
            self._pages.put(url, known)
        return known

    def _best(self, question: str, passages: Sequence[Passage], top: int) -> Sequence[Passage]:
        """Ties in the order of the results; passages with the same words count once. Orders to a model are left out."""
        sound, _ = without_orders([Candidate(one) for one in passages], 0)
        pool = self._with_words(question, [one.passage for one in sound])
        inputs = [model_input(one.section, one.text, one.header) for one in pool]
        scores = self._reranker.scores([(question, text) for text in inputs])
        order = sorted(range(len(pool)), key=lambda n: -scores[n])
        return [pool[n] for n in order[:top]]

    def _with_words(self, question: str, passages: Sequence[Passage]) -> list[Passage]:
        asked = set(self._analyser.terms(question))
        distinct = list({" ".join(one.text.split()): one for one in reversed(passages)}.values())[::-1]
        shared = {
            one.chunk_id: len(asked.intersection(self._analyser.terms(f"{one.title} {one.text}"))) for one in distinct
        }
        return sorted(distinct, key=lambda one: -shared[one.chunk_id])[:_SCORED]


def _in_time(works: "Sequence[Callable[[], T]]", until: float) -> "list[Future[T]]":
    """Side by side, each done by `until` or given up: a name may take long to look up, and cannot be hurried."""
    pool = ThreadPoolExecutor(len(works), thread_name_prefix="web")
    try:
        begun = [pool.submit(work) for work in works]
        wait(begun, timeout=max(0.0, until - time.monotonic()))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return begun


def _failure(future: "Future[T]") -> str:
    """In words that hold nothing of a page or a query."""
    if not future.done() or future.cancelled():
        return "no reply in time"
    error = future.exception()
    if error is None:
        return ""
    if isinstance(error, VouchError) and not isinstance(error, Unreadable):     # whose cause may quote the page
        return error.cause
    _log.warning("a page of the web cannot be read: %s", type(error).__name__)
    return "a page that cannot be read"


def _summed(failures: Sequence[str]) -> str:
    counted = Counter(failures).most_common(3)
    return "; ".join(f"{cause} ({number})" if number > 1 else cause for cause, number in counted)
