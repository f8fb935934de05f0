"""A message of Kafka as ours."""

from typing import Any

from vouch.adapters.message_log.kafka.connection import KafkaConnection
from vouch.ports.log import Record


def record_of(place: KafkaConnection, found: Any) -> Record:
    headers = tuple((name, value or b"") for name, value in found.headers)
    topic, key, value = found.topic[len(place.topic_prefix):], found.key or b"", found.value or b""
    return Record(topic, found.partition, found.offset, key, value, headers, found.timestamp)
