"""A question that somebody waits for, how far it is, and what is to be done about it next. Pure."""

from dataclasses import dataclass, field
from enum import Enum

from bots.slack.place import Place
from bots.slack.progress.cards import STATUSES, Chunk, cards, changes
from vouch.messages import QuestionProgress

FIRST_STATUS, LAST_STATUS = "is looking through the documents", "is looking who reads along"
PATIENCE_S = 0.3                        # an answer that comes so soon needs no stages
STATUS_S, EVERY_S = 60.0, 2.0           # Slack takes a status away after two minutes; two of them are so far apart
ALIVE_S = 60.0                          # so often a stream is written to, though nothing is new


class Step(Enum):
    TELL = "tell"                       # the asker alone, that somebody looks
    STATUS = "status"
    START = "start"
    APPEND = "append"
    CHECK = "check"                     # whether the answer is there by now
    TIDY = "tidy"                       # the answer is there
    LATE = "late"                       # it should be there by now


@dataclass
class Watched:
    """Moments are of a monotonic clock. `busy`: somebody is at work on it, who alone changes what is shown."""

    question_id: str
    place: Place
    user: str
    team: str
    until: float
    newest: QuestionProgress | None = None
    since: float = 0.0                  # when the first progress came
    shown: dict[str, Chunk] = field(default_factory=dict)
    ts: str = ""                        # of the stream
    tried: bool = False                 # a stream may be there, even if it is not known where
    refused: bool = False               # no stream is begun or gone on with
    status: str = ""
    status_at: float = float("-inf")
    touched: float = 0.0                # when the stream was written to last
    due: float = float("-inf")          # nothing is done before
    over: bool = False
    check: bool = False
    failures: int = 0
    busy: bool = False

    @property
    def alone(self) -> bool:
        """Whether the answer comes under no message that all see, where Slack shows no status and no stream."""
        return bool(self.place.only) or not self.place.thread_ts

    def wanted_status(self) -> str:
        if self.newest is None:
            return FIRST_STATUS
        return LAST_STATUS if self.newest.stage is None else STATUSES[self.newest.stage]

    def fresh(self) -> list[Chunk]:
        """What the stream does not show yet."""
        return [] if self.newest is None else changes(cards(self.newest), self.shown)


def next_step(one: Watched, now: float, *, may_start: bool, may_append: bool) -> Step | None:
    if one.busy or now < one.due:
        return None
    if one.over:
        return Step.TIDY
    if now >= one.until:
        return Step.LATE
    if one.check:
        return Step.CHECK
    if one.alone:
        return Step.TELL if one.place.only and not one.status else None
    if one.ts and not one.refused:
        new = bool(one.fresh()) or now - one.touched >= ALIVE_S
        return Step.APPEND if new and may_append else None
    waited = one.newest is not None and one.newest.stage is not None and now - one.since >= PATIENCE_S
    if waited and may_start and not one.refused:
        return Step.START
    changed = one.status != one.wanted_status() and now - one.status_at >= EVERY_S
    return Step.STATUS if changed or now - one.status_at >= STATUS_S else None
