"""The message log on Kafka. Topics are made beforehand (topics.py), never by a first message."""

import contextlib
import threading
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition, errors
from kafka.admin import OffsetSpec

from vouch.adapters.message_log.kafka.connection import KafkaConnection, record_of
from vouch.adapters.message_log.kafka.consumer import KafkaMember
from vouch.adapters.message_log.kafka.discarded import Discarded
from vouch.adapters.message_log.kafka.follower import KafkaFollower
from vouch.adapters.message_log.kafka.producer import KafkaSender
from vouch.errors import LogDown
from vouch.ports.log import Record

_PAGE = 500
_SLICE_MS = 500


class KafkaLog:
    """Implements ports.Log. Threads may share it; `lag`, `read` and `discard` share one connection."""

    def __init__(self, place: KafkaConnection) -> None:
        self.place = place
        self._turn = threading.RLock()
        self._admin: Any = None

    def producer(self, *, durable: bool = True) -> KafkaSender:
        """Brokers acknowledge what they are sent in either case: whoever is told so cheaply needs no other client."""
        return KafkaSender(self.place)

    def follow(self, topics: Sequence[str]) -> KafkaFollower:
        return KafkaFollower(self.place, [self.place.topic(topic) for topic in topics])

    def consumer(self, group: str, topics: Sequence[str]) -> KafkaMember:
        return KafkaMember(self.place, group, [self.place.topic(topic) for topic in topics])

    def lag(self, group: str, topic: str) -> int:
        return sum(self.lags(group, topic).values())

    def lags(self, group: str, topic: str) -> dict[int, int]:
        name, group = self.place.topic(topic), self.place.group(group)
        with self._asking(f"looking at {name}") as admin:
            places = self._partitions(admin, name)
            first, end = _ends(admin, places)
            done = self.place.patiently(lambda: admin.list_group_offsets({group: places})[group])
        begun = {place: max(first[place], done[place].offset if place in done else 0) for place in places}
        return {place.partition: end[place] - begun[place] for place in places}

    def read(self, topic: str) -> Iterator[Record]:
        return self._read(topic, discarded=False)

    def everything(self, topic: str) -> Iterator[Record]:
        """What `read` gives, and what was discarded and is still there."""
        return self._read(topic, discarded=True)

    def _read(self, topic: str, *, discarded: bool) -> Iterator[Record]:
        name = self.place.topic(topic)
        with self._asking(f"looking at {name}") as admin:
            places = self._partitions(admin, name)
            first, end = _ends(admin, places)
            gone = {} if discarded else Discarded(self.place, admin).of(places)
        with self.place.ours(f"reading {name}"), contextlib.closing(self._reader()) as client:
            for place in places:
                if first[place] < end[place]:
                    records = self._records(client, place, first[place], end[place])
                    yield from (record for record in records if record.offset not in gone.get(place, ()))

    def discard(self, topic: str, places: Collection[tuple[int, int]]) -> None:
        name = self.place.topic(topic)
        with self._asking(f"discarding in {name}") as admin:
            wanted: dict[Any, set[int]] = {}
            for partition, offset in places:
                wanted.setdefault(TopicPartition(name, partition), set()).add(offset)
            first, _ = _ends(admin, sorted(wanted))
            Discarded(self.place, admin).add(wanted, first)

    def close(self) -> None:
        with self._turn:
            admin, self._admin = self._admin, None
            if admin is not None:
                admin.close()

    @contextlib.contextmanager
    def _asking(self, doing: str) -> Iterator[Any]:
        """The connection for questions about the log, made at its first use and after a failure."""
        with self._turn, self.place.ours(doing):
            if self._admin is None:
                self._admin = KafkaAdminClient(**self.place.options())
            try:
                yield self._admin
            except errors.KafkaError:
                self.close()
                raise

    def _partitions(self, admin: Any, name: str) -> list[Any]:
        [found] = admin.describe_topics([name])
        if found["error_code"]:
            error = errors.for_code(found["error_code"])
            raise self.place.missing([name]) if error is errors.UnknownTopicOrPartitionError else error()
        return sorted(TopicPartition(name, one["partition_index"]) for one in found["partitions"])

    def _reader(self) -> Any:
        return KafkaConsumer(
            **self.place.options(), group_id=None, enable_auto_commit=False, auto_offset_reset="earliest",
            allow_auto_create_topics=False, max_poll_records=_PAGE,
        )

    def _records(self, client: Any, place: Any, first: int, end: int) -> Iterator[Record]:
        """Those of one partition up to `end`, which was its end a moment ago."""
        client.assign([place])
        client.seek(place, first)
        idle = 0.0
        while client.position(place, timeout_ms=self.place.milliseconds) < end:
            found = client.poll(timeout_ms=_SLICE_MS).get(place, [])
            idle = 0.0 if found else idle + _SLICE_MS / 1000
            if idle > self.place.timeout_seconds:
                raise LogDown(f"{self.place.named}: {place.topic} cannot be read to its end", cure="try again")
            yield from (record_of(self.place, one) for one in found if one.offset < end)


def _ends(admin: Any, places: Sequence[Any]) -> tuple[dict[Any, int], dict[Any, int]]:
    """First offset and the one after the last, per partition."""
    first = admin.list_partition_offsets(dict.fromkeys(places, OffsetSpec.EARLIEST))
    end = admin.list_partition_offsets(dict.fromkeys(places, OffsetSpec.LATEST))
    return ({place: first[place].offset for place in places}, {place: end[place].offset for place in places})
