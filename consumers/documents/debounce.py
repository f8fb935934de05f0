"""Gathers what messages say has changed, per source, until the source has been quiet for a while."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from consumers.worker.message_processor import AttemptCounter
from vouch.messages import DocumentsChanged
from vouch.ports.log import Record

MOST_NAMED = 5_000                      # beyond it the whole source is looked at


@dataclass
class Gathered:
    """The changes of one source that wait to be ingested, and the messages that told of them, oldest first."""

    source: str
    first_at: float
    last_at: float
    records: list[Record] = field(default_factory=list)
    paths: set[str] | None = field(default_factory=set)     # None: anywhere
    failures: int = 0
    tries: AttemptCounter | None = None          # at its first message, which stands for all
    first_attempt: datetime | None = None
    not_before: float = 0.0
    held: bool = False                  # a guard or a hold stopped it: only a person can let it go on

    def add(self, records: Sequence[Record], paths: Collection[str] | None, at: float) -> None:
        self.records.extend(records)
        self.last_at = at
        if self.paths is not None and paths is not None:
            self.paths.update(paths)
        if paths is None or (self.paths is not None and len(self.paths) > MOST_NAMED):
            self.paths = None


class ChangeDebouncer:
    """A source is due after `quiet_s` without a message, and `longest_s` after its first one at the latest."""

    def __init__(self, quiet_s: float, longest_s: float, clock: Callable[[], float]) -> None:
        self._quiet_s = quiet_s
        self._longest_s = longest_s
        self._clock = clock
        self._sources: dict[str, Gathered] = {}

    def add(self, record: Record, message: DocumentsChanged) -> None:
        now = self._clock()
        waiting = self._sources.setdefault(message.source, Gathered(message.source, now, now))
        waiting.add([record], message.paths, now)

    def put_back(self, gathered: Gathered, after_s: float) -> None:
        """It is due again after that time, together with what has come since."""
        gathered.not_before = self._clock() + after_s
        later = self._sources.get(gathered.source)
        if later is not None:
            gathered.add(later.records, later.paths, later.last_at)
        self._sources[gathered.source] = gathered

    def take_due(self, *, at_once: bool = False) -> Gathered | None:
        """The one that has waited longest of those that are due; `at_once`: quiet or not, but none that is held."""
        now = self._clock()
        fit = [g for g in self._sources.values() if (not g.held if at_once else self._quiet(g, now))]
        due = [g for g in fit if g.not_before <= now]
        if not due:
            return None
        return self._sources.pop(min(due, key=lambda g: max(g.first_at, g.not_before)).source)

    def waiting(self) -> list[Gathered]:
        return list(self._sources.values())

    def only_held(self) -> bool:
        return all(gathered.held for gathered in self._sources.values())

    def _quiet(self, gathered: Gathered, now: float) -> bool:
        return now - gathered.last_at >= self._quiet_s or now - gathered.first_at >= self._longest_s
