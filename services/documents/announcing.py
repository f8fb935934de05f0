"""Puts messages of changed documents on the log."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic import ValidationError

from consumers.monitoring.telemetry import Telemetry
from flows.runs.named_paths import below
from vouch.adapters.ledger import Ledger, SourceRow
from vouch.errors import BadMessage, Usage
from vouch.messages import LARGEST_PATHS, DocumentsChanged, encode, key_of, topic_of
from vouch.ports.log import Producer


@dataclass(frozen=True)
class Announcer:
    """Announces changed documents on the log. Threads may share it."""

    ledger: Ledger
    producer: Producer
    clock: Callable[[], datetime]
    telemetry: Telemetry
    shown: Callable[[], AbstractContextManager[None]]   # in it others see how this process is

    def sources(self, names: Sequence[str]) -> list[SourceRow]:
        """The sources that were named, or all. Raises NotFound."""
        return [self.ledger.sources.get(name) for name in names] if names else self.ledger.sources.list()

    def announce(self, source: str, paths: Sequence[str] | None) -> DocumentsChanged:
        """`send` of documents and folders as a person names them; none means all of the source.

        Raises NotFound for a source that is not there, Usage for a path that is not below it.
        """
        row = self.ledger.sources.get(source)
        return self.send(source, [below(Path(row.path), path) for path in paths] if paths else None)

    def send(self, source: str, paths: Sequence[str] | None) -> DocumentsChanged:
        """The message as the log has it now: of the whole source if the paths are too many or too long for one."""
        try:
            few = None if paths is None or len(paths) > LARGEST_PATHS else tuple(paths)
            message = DocumentsChanged(source=source, paths=few, at=self.clock())
            data = encode(message)
        except BadMessage:
            message = DocumentsChanged(source=source, at=self.clock())
            data = encode(message)
        except (ValidationError, UnicodeError) as error:
            cure = "name documents as vouch documents shows them"
            raise Usage("a path is empty, or not text", cure=cure) from error
        self.producer.send(topic_of(message), key_of(message), data)
        return message


def told(paths: Sequence[str] | None) -> str:
    """One line for people about what was announced."""
    if paths is None:
        return "all of it"
    more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
    return ", ".join(paths[:3]) + more
