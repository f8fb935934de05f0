"""A member of a group on Kafka: joins, reads a little ahead, commits, notices what was taken away."""

import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from kafka import ConsumerRebalanceListener, KafkaConsumer, OffsetAndMetadata, TopicPartition, errors
from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
from kafka.structs import MemberState

from vouch.adapters.message_log.kafka.connection import KafkaConnection, record_of
from vouch.errors import LogDown
from vouch.ports.log import Record

ALL = 1_000_000                         # kafka-python 3.0.12 loses what a pause finds half handed out, so all is taken
_AHEAD_BYTES = 65_536                   # read ahead of a partition, and one record at least; then it is paused


class RebalanceListener(ConsumerRebalanceListener):  # type: ignore[misc]
    """What a rebalance did, told by the library's thread, noticed by ours."""

    def __init__(self) -> None:
        self.seen: deque[tuple[bool, Any]] = deque()

    def on_partitions_assigned(self, assigned: Any) -> None:
        self.seen.extend((True, place) for place in assigned)

    def on_partitions_revoked(self, revoked: Any) -> None:
        self.seen.extend((False, place) for place in revoked)

    def on_partitions_lost(self, lost: Any) -> None:
        self.on_partitions_revoked(lost)


def member_options(place: KafkaConnection, group: str) -> dict[str, Any]:
    """What the library is given for a member of `group`."""
    session = int(place.session_seconds * 1000)
    return place.options() | {
        "group_id": place.group(group),
        "group_instance_id": f"{place.instance}-{group}" if place.instance else None,
        "enable_auto_commit": False,
        "auto_offset_reset": "earliest",
        "allow_auto_create_topics": False,
        "partition_assignment_strategy": [CooperativeStickyAssignor],
        "max_poll_records": ALL,
        "max_partition_fetch_bytes": _AHEAD_BYTES,
        "max_poll_interval_ms": int(place.poll_seconds * 1000),
        "session_timeout_ms": session,
        "heartbeat_interval_ms": min(1_000, session // 4),     # members hear of one another by it
    }


_LOOK_S = 0.05                          # between looks at the brokers while there is something to hand out
_SLICE_S = 0.5
_JOIN_S = 5.0                           # a commit waits so long for a rebalance to end
_LEAVE_MS = 2_000                       # for a good-bye; without one the session ends by itself


@dataclass(slots=True)
class _Holding:
    """A partition of ours: what is read ahead, the next offset to hand out, the next one to commit."""

    ahead: deque[Record] = field(default_factory=deque)
    position: int = -1
    committed: int = -1


class KafkaMember:
    """All methods belong to one thread; the library keeps the session alive in another.

    Every call looks at the brokers now and then, so that whoever calls `poll`
    or `renew` more often than the poll interval keeps its partitions, however
    long the work on a record takes.
    """

    def __init__(self, place: KafkaConnection, group: str, topics: list[str]) -> None:
        self._place = place
        self._moves = RebalanceListener()
        self._held: dict[Any, _Holding] = {}
        self._again: set[Any] = set()       # to be read again from what is committed
        self._last: Any = None
        self._looked = 0.0
        self._more = False
        self._heard = time.monotonic()
        self._closed = False
        with place.ours(f"joining {group}"):
            self._client = KafkaConsumer(**member_options(place, group))
        try:
            with place.ours(f"joining {group}"):
                missing = sorted(set(topics) - set(self._client.topics()))
                if missing:
                    raise place.missing(missing)
                self._client.subscribe(topics, listener=self._moves)
        except BaseException:
            self._client.close(autocommit=False, timeout_ms=1_000)
            raise

    def poll(self, timeout_s: float) -> Record | None:
        until = time.monotonic() + timeout_s
        if self._more or time.monotonic() - self._looked >= _LOOK_S:
            self._look(0.0)
        while (record := self._next()) is None:
            left = until - time.monotonic()
            if left <= 0:
                return None
            self._look(min(left, _SLICE_S))
        return record

    def commit(self, record: Record) -> bool:
        until = time.monotonic() + _JOIN_S
        while (place := self._place_of(record)) is not None:
            holding = self._held[place]
            done = max(holding.committed, record.offset + 1)
            if done == holding.committed:
                return True
            if self._store(place, done, until):
                holding.committed = done
                return True
        return False

    def holds(self, record: Record) -> bool:
        """Asks the brokers, by a commit that says nothing new: they refuse those who are out of the group."""
        until = time.monotonic() + _JOIN_S
        while (place := self._place_of(record)) is not None:
            if self._store(place, self._held[place].committed, until):
                return True
        return False

    def renew(self) -> None:
        if time.monotonic() - self._looked >= _LOOK_S:
            self._look(0.0)

    def seek(self, topic: str, partition: int, offset: int) -> bool:
        place = TopicPartition(self._place.topic(topic), partition)
        if place not in self._held:
            return False
        if not self._store(place, offset, time.monotonic() + _JOIN_S) or place not in self._held:
            return False
        self._client.seek(place, offset)
        self._held[place] = _Holding(position=offset, committed=offset)
        return True

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        self._held.clear()
        with self._place.ours("leaving"):
            self._client.close(autocommit=False, timeout_ms=_LEAVE_MS)

    def _place_of(self, record: Record) -> Any:
        """The record's partition, if it is ours and was when the record was handed out; else it is read again."""
        place = TopicPartition(self._place.topic(record.topic), record.partition)
        holding = self._held.get(place)
        if holding is None or record.offset >= holding.position:
            self._give_up(place)
            return None
        return place

    def _give_up(self, place: Any) -> None:
        """What was handed out of it and is not committed comes again, to us or to whoever has it then."""
        self._held.pop(place, None)
        self._again.add(place)

    def _store(self, place: Any, offset: int, until: float) -> bool:
        """False if the partition may have gone, which then is to be looked at again. Raises LogDown."""
        with self._place.ours("committing"):
            try:
                wait = self._place.milliseconds
                self._client.commit({place: OffsetAndMetadata(offset, "", -1)}, timeout_ms=wait)
                return True
            except errors.RebalanceInProgressError:
                rebalancing = True
            except errors.CommitFailedError as error:
                rebalancing = any(isinstance(cause, errors.RebalanceInProgressError) for cause in error.args)
        if not rebalancing:
            self._give_up(place)
        elif time.monotonic() > until:
            raise LogDown(f"{self._place.named}: the group is being rebalanced", cure="it continues by itself")
        else:
            self._look(_LOOK_S)
        return False

    def _next(self) -> Record | None:
        """One of what is read ahead, of each partition in turn; none while the group is being shared out."""
        if self._client.group_metadata().state != MemberState.STABLE:
            return None
        for partition in self._in_turn():
            holding = self._held[partition]
            if holding.ahead:
                record = holding.ahead.popleft()
                if holding.committed < 0:
                    holding.committed = record.offset
                holding.position = record.offset + 1
                self._last = partition
                return record
        return None

    def _in_turn(self) -> list[Any]:
        """The partition read last comes last, so that a full one starves no other."""
        places = sorted(self._held)
        after = sum(place <= self._last for place in places) if self._last else 0
        return places[after:] + places[:after]

    def _look(self, timeout_s: float) -> None:
        """Takes part in the group and reads ahead where nothing is. Raises LogDown when no broker is heard."""
        with self._place.ours("reading"):
            self._notice()
            self._reread()
            assigned = self._client.assignment()
            full = [partition for partition in assigned if partition in self._held and self._held[partition].ahead]
            self._client.pause(*full)
            self._client.resume(*(assigned - set(full)))
            if self._client.group_metadata().state == MemberState.REBALANCING:
                self._client._coordinator.request_rejoin()      # 3.0.12 forgets a join that one poll did not see end
            batches = self._client.poll(timeout_ms=max(1, int(timeout_s * 1000)), max_records=ALL)
            self._notice()
            for partition, records in batches.items():
                if partition not in self._again:
                    holding = self._held.setdefault(partition, _Holding())
                    holding.ahead.extend(record_of(self._place, message) for message in records)
        self._more = bool(batches)
        self._looked = time.monotonic()
        self._check_heard(bool(batches))

    def _notice(self) -> None:
        while self._moves.seen:
            ours, place = self._moves.seen.popleft()
            self._held.pop(place, None)
            if ours:
                self._again.discard(place)
                self._held[place] = _Holding()

    def _reread(self) -> None:
        """Partitions we gave up but still have are begun again at what is committed."""
        for place in self._again & set(self._client.assignment()):
            offset = self._client.committed(place, timeout_ms=self._place.milliseconds)
            if offset is None:
                self._client.seek_to_beginning(place)
            else:
                self._client.seek(place, offset)
            self._held[place] = _Holding()
            self._again.discard(place)

    def _check_heard(self, found: bool) -> None:
        """The library waits without a word when the brokers are away; we say so."""
        now = time.monotonic()
        if found or not self._client._coordinator.coordinator_unknown():
            self._heard = now
        elif now - self._heard > self._place.timeout_seconds:
            silent = f"no broker has answered for {now - self._heard:.0f} s"
            raise LogDown(f"{self._place.named}: {silent}", cure="it continues by itself when they are back")
