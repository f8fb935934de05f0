"""Reads what arrives on Kafka from now on, without joining a group."""

from collections import deque
from collections.abc import Sequence
from typing import Any

from kafka import KafkaConsumer, TopicPartition

from vouch.adapters.message_log.kafka.connection import KafkaConnection, record_of
from vouch.ports.log import Record

_PAGE = 100
_CLOSE_MS = 1_000


class KafkaFollower:
    """Implements ports.Follower. One thread works it."""

    def __init__(self, place: KafkaConnection, topics: Sequence[str]) -> None:
        """Raises LogDown, also where a topic is missing."""
        self._place = place
        self._ahead: deque[Record] = deque()
        with place.ours("following"):
            self._client: Any = KafkaConsumer(
                **place.options(), group_id=None, enable_auto_commit=False, auto_offset_reset="latest",
                allow_auto_create_topics=False, max_poll_records=_PAGE,
            )
        try:
            with place.ours("following"):
                self._begin(topics)
        except BaseException:
            self.close()
            raise

    def poll(self, timeout_s: float) -> Record | None:
        if not self._ahead:
            with self._place.ours("following"):
                found = self._client.poll(timeout_ms=max(1, int(timeout_s * 1000)))
            for records in found.values():
                self._ahead.extend(record_of(self._place, one) for one in records)
        return self._ahead.popleft() if self._ahead else None

    def close(self) -> None:
        with self._place.ours("following no more"):
            self._client.close(autocommit=False, timeout_ms=_CLOSE_MS)

    def _begin(self, topics: Sequence[str]) -> None:
        """At the ends as they are now: what comes later is read, whenever the first poll is."""
        missing = sorted(set(topics) - set(self._client.topics()))
        if missing:
            raise self._place.missing(missing)
        parts = [
            TopicPartition(topic, number) for topic in topics
            for number in sorted(self._client.partitions_for_topic(topic) or ())
        ]  # fmt: skip
        self._client.assign(parts)
        for part, end in self._client.end_offsets(parts).items():
            self._client.seek(part, end)
