"""The message bus: a record, those who write and those who read, and what lets it forget."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


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


class Follower(Protocol):
    """Reads what arrives from its making on, as a member of no group: nobody waits for it, and it commits nothing."""

    def poll(self, timeout_s: float) -> Record | None:
        """The next record, in order within a partition, or None. What arrived during an outage may be missed."""
        ...

    def close(self) -> None: ...


class Log(Protocol):
    def producer(self, *, durable: bool = True) -> Producer:
        """Unless it is `durable`, what it sends may be lost when a machine dies, and holds up others less."""
        ...

    def follow(self, topics: Sequence[str]) -> Follower: ...

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
class Erased:
    """How many messages were deleted, how many wait to be read first; what cannot be shown to be gone, in words."""

    deleted: int
    waiting: int = 0
    unproven: tuple[str, ...] = ()


class LogKeeper(Protocol):
    """Lets go of messages that are old, or that hold words to be forgotten."""

    def expired(self, before_ms: int, dead_before_ms: int) -> int:
        """How many messages `expire` would delete."""
        ...

    def expire(self, before_ms: int, dead_before_ms: int) -> int:
        """Deletes messages sent before then that all their readers have done, and dead ones by a time of their own."""
        ...

    def erase(self, of_it: Callable[[Record], bool]) -> Erased:
        """Deletes messages that are `of_it`, unless they wait to be read."""
        ...

    def scour(self) -> None:
        """Nothing that was deleted is left in files that are ours. Raises Busy."""
        ...
