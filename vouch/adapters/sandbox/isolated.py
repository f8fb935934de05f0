"""Takes documents apart so that none of them can stop, stall or swell the run."""

import threading
from collections.abc import Callable
from pathlib import Path

from vouch.adapters.parsers.registry import too_large
from vouch.adapters.sandbox.frames import BadFrame
from vouch.adapters.sandbox.limits import SMALL_TEXT, Ended, Killed, ParsingLimits, TooLarge, TooSlow
from vouch.adapters.sandbox.parsed_chunks import ParsedChunks, take_apart, unpack
from vouch.adapters.sandbox.process import Child
from vouch.chunking.document_chunks import Profile
from vouch.documents.document import Content
from vouch.documents.formats import format_of
from vouch.errors import Unavailable, Unreadable
from vouch.ports.ingestion import Tokenizer


class IsolatedParser:
    """May be used by several threads; they take turns with one child.

    The child starts with the first document that needs it: any but text in
    UTF-8 of up to `SMALL_TEXT` bytes, in a format that is parsed in process. `tokenizer` must be that of `model`.
    """

    def __init__(
        self, tokenizer: Callable[[], Tokenizer], model: Path | None = None, limits: ParsingLimits | None = None,
        profile: Profile = "usual",
    ) -> None:  # fmt: skip
        self._tokenizer = tokenizer
        self._model = model
        self._limits = limits or ParsingLimits()
        self._profile: Profile = profile
        self._child: Child | None = None
        self._turn = threading.Lock()

    @property
    def fingerprint(self) -> str:
        """Changes whenever a quarantined document might be read now."""
        return self._limits.fingerprint

    def take_apart(self, source: str, content: Content, *, size: int, overlap: int) -> ParsedChunks:
        """Text and chunks. Raises Unreadable with a reason a person understands, Unavailable if no child starts."""
        if len(content.data) > self._limits.document_bytes:
            raise too_large(self._limits.document_bytes)
        form = format_of(content.path)
        if form is not None and form.in_process and len(content.data) <= SMALL_TEXT and _is_utf_8(content.data):
            return self._here(source, content, size, overlap)
        with self._turn:
            try:
                return self._in_child(source, content, size, overlap)
            except TooSlow as error:
                raise Unreadable(f"took longer than {self._limits.seconds:g} s", cure=_raise("SECONDS")) from error
            except TooLarge as error:
                raise Unreadable(f"needed more than {self._limits.memory_mb} MB", cure=_raise("MEMORY_MB")) from error
            except Killed as error:
                cure = "free memory, or lower VOUCH_PARSING__MEMORY_MB"
                raise Unavailable("the system killed the process that parses documents", cure=cure) from error
            except Ended as error:
                raise Unreadable(f"made its parser crash ({error})", cure="repair the file") from error
            except BadFrame as error:
                raise Unreadable("made its parser return nonsense", cure="repair the file") from error

    def _here(self, source: str, content: Content, size: int, overlap: int) -> ParsedChunks:
        try:
            return take_apart(source, content, self._tokenizer(), size=size, overlap=overlap, limits=self._limits,
                              profile=self._profile)
        except MemoryError as error:    # so little text is not to blame
            raise Unavailable("memory ran out", cure="run again when the machine has more of it") from error

    def _in_child(self, source: str, content: Content, size: int, overlap: int) -> ParsedChunks:
        used = self._child is not None
        try:
            return self._ask(source, content, size, overlap)
        except TooLarge:
            if not used:
                raise
        except TooSlow:
            raise
        except Ended:
            pass
        return self._ask(source, content, size, overlap)    # in a fresh child: what others left in it decides nothing

    def close(self) -> None:
        """Ends the child; the next document would start another."""
        with self._turn:
            self._end()

    def _ask(self, source: str, content: Content, size: int, overlap: int) -> ParsedChunks:
        if self._child is None:
            self._child = Child(self._limits, self._model)
        header = {"path": content.path, "encoding": content.encoding, "size": size, "overlap": overlap,
                  "profile": self._profile}
        try:
            return unpack(self._child.ask(header, content.data), source, content.path)
        except Unreadable:
            raise
        except BaseException:
            self._end()
            raise

    def _end(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None


def _is_utf_8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _raise(setting: str) -> str:
    return f"simplify or split it, or raise VOUCH_PARSING__{setting}"
