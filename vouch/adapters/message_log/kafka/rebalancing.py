"""How a member joins a group on Kafka, and what it hears of the partitions that come and go."""

from collections import deque
from typing import Any

from kafka import ConsumerRebalanceListener
from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor

from vouch.adapters.message_log.kafka.connection import KafkaConnection

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
