"""Kafka logs for tests: each on topics and groups of its own, so that tests can share a broker."""

import uuid
from collections.abc import Sequence
from typing import Any

from servers.kafka import Kafka

from vouch.adapters.message_log.kafka.connection import KafkaConnection
from vouch.adapters.message_log.kafka.log import KafkaLog
from vouch.adapters.message_log.kafka.topics import KafkaTopics

DAY_MS = 86_400_000


def fresh_place(server: Kafka, **settings: Any) -> KafkaConnection:
    return KafkaConnection(server.bootstrap, topic_prefix=f"{uuid.uuid4().hex[:8]}-", **{"partitions": 4, **settings})


def fresh_log(server: Kafka, names: Sequence[str] | None = None, **settings: Any) -> KafkaLog:
    """With the topics of vouch, or those named."""
    place = fresh_place(server, **settings)
    topics = KafkaTopics(place, DAY_MS, DAY_MS, *([names] if names is not None else []))
    topics.create()
    return KafkaLog(place)
