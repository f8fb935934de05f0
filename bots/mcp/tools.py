"""What an assistant may do for one person, the desk of a process that serves one, and what it is told of an error."""

import logging
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar

from vouch.documents.instructions import may_order_a_model, named
from vouch.errors import (
    BadInput,
    Denied,
    Guarded,
    NotFound,
    NothingIngested,
    Overloaded,
    Unidentified,
    Usage,
    VouchError,
)
from vouch.filters import EVERYTHING, Filters

T = TypeVar("T")
LONGEST = 200                           # passages of a document that are read at once
_WITHHELD = "withheld: it reads like instructions to a language model"
_UNTITLED = {"title": "", "section": []}


class Library(Protocol):
    def search(
        self, text: str, tags: Sequence[str], top: int, mode: str | None, filters: Filters = EVERYTHING
    ) -> dict[str, Any]:
        """Without a mode, by the best that this process can do."""
        ...

    def show(self, chunk_id: str, tags: Sequence[str], around: int) -> dict[str, Any]: ...

    def document(self, source: str, path: str, tags: Sequence[str], after: int, most: int) -> dict[str, Any]: ...

    def documents(self, tags: Sequence[str], after: tuple[str, str], most: int) -> dict[str, Any]: ...


class Desk(Protocol):
    async def ask(self, question: str, tag: str, filters: Filters) -> dict[str, Any]:
        """The answer, once it is there."""
        ...

    async def run(self, tag: str, work: Callable[[], T]) -> T:
        """What `work` returns, done in a thread when it is this person's turn."""
        ...


class Tools:
    """As values. A passage that gives orders to a language model is never given to one."""

    def __init__(self, desk: Desk, library: Library, tag: str) -> None:
        self._desk = desk
        self._library = library
        self._tag = tag

    async def ask(self, question: str, filters: Filters = EVERYTHING) -> dict[str, Any]:
        if not question.strip():
            raise BadInput("the question is empty", cure="write a question")
        return await self._desk.ask(question, self._tag, filters)

    async def search(self, query: str, top: int, filters: Filters = EVERYTHING) -> dict[str, Any]:
        most = max(1, min(top, 50))
        found = await self._run(partial(self._library.search, query, [self._tag], most, None, filters))
        return {**found, "results": [_safe(one) for one in found["results"]]}

    async def show(self, chunk_id: str, around: int) -> dict[str, Any]:
        shown = await self._run(partial(self._library.show, chunk_id, [self._tag], max(0, min(around, 10))))
        lead = {**_UNTITLED, "path": safe_path(shown["path"])} if shown["flagged"] else {}
        return {**shown, **lead, "passages": [_safe(one) for one in shown["passages"]]}

    async def documents(self, after: tuple[str, str], most: int) -> dict[str, Any]:
        found = await self._run(partial(self._library.documents, [self._tag], after, most))
        return {**found, "documents": [{**one, **({"title": ""} if one["flagged"] else {})}
                                       for one in found["documents"]]}

    async def read(self, source: str, path: str) -> dict[str, Any]:
        """A long document as its first passages, and the number of those left out."""
        read = dict(await self._run(partial(self._library.document, source, path, [self._tag], 0, LONGEST)))
        left_out = read.pop("count") - len(read["passages"])
        more = {"left_out": left_out, "note": f"{left_out} more passages: search for them"} if left_out else {}
        passages = [_safe(one) for one in read["passages"]]
        flagged = bool(left_out) or any(one["flagged"] for one in passages)     # it may be what was left out
        lead = {"title": "", "path": safe_path(path)} if flagged else {}
        return {**read, **lead, "passages": passages, **more}

    def _run(self, work: Callable[[], T]) -> Awaitable[T]:
        return self._desk.run(self._tag, work)


def _safe(passage: Mapping[str, Any]) -> dict[str, Any]:
    if not passage["flagged"]:
        return dict(passage)
    return {**passage, **_UNTITLED, "path": safe_path(passage["path"]), "text": _WITHHELD}


def safe_path(path: str) -> str:
    """Of a document with orders to a language model: empty if some of them may stand in its path."""
    return "" if may_order_a_model(named(path)) else path


class AskClient(Protocol):
    def ask(
        self, text: str, tags: Sequence[str], thread: str | None = None, *, filters: Filters = EVERYTHING
    ) -> dict[str, Any]:
        """The answer, however long it takes. Not to be called twice at a time."""
        ...


class OneAtATime:
    """Implements Desk."""

    def __init__(self, client: AskClient) -> None:
        self._client = client
        self._lock = threading.Lock()

    async def ask(self, question: str, tag: str, filters: Filters) -> dict[str, Any]:
        return await self.run(tag, lambda: self._client.ask(question, (tag,), filters=filters))

    async def run(self, tag: str, work: Callable[[], T]) -> T:
        from anyio import to_thread

        def alone() -> T:
            with self._lock:
                return work()

        return await to_thread.run_sync(alone)


INSIDE = "something failed inside vouch; try again in a moment"
_TOLD = (BadInput, Denied, Guarded, NotFound, NothingIngested, Overloaded, Unidentified, Usage)
_log = logging.getLogger(__name__)


def told(error: VouchError) -> str:
    """What failed inside may name hidden documents: it is told as a failure alone."""
    if not is_told(error):
        return INSIDE
    return f"{error.cause} ({error.cure})" if error.cure else error.cause


def is_told(error: VouchError) -> bool:
    """Whether its words are for whoever asked."""
    return isinstance(error, _TOLD)


async def done(work: Awaitable[T], failure: Callable[[VouchError], Exception]) -> T:
    """What comes of the work. Raises `failure` of a VouchError, whose words the assistant is told."""
    try:
        return await work
    except VouchError as error:
        if not is_told(error):
            _log.warning("mcp: %s: %s", type(error).__name__, error)
        raise failure(error) from None
