"""The log, who works off which of its topics, what makes them, and what deletes from them."""

from pathlib import Path
from typing import TYPE_CHECKING

from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.extras import require
from vouch.messages import BEST_EFFORT
from vouch.ports.log import Log, LogKeeper
from vouch.settings import Settings
from vouch.settings.stores import KafkaLog as KafkaSettings

if TYPE_CHECKING:
    from vouch.adapters.message_log.kafka.connection import KafkaConnection
    from vouch.adapters.message_log.kafka.topics import KafkaTopics

GROUP = "vouch"
DOCUMENTS_GROUP = "vouch-documents"     # of its own: a long ingest holds up no question
GROUPS = {"questions": GROUP, "feedback": GROUP, "documents.changed": DOCUMENTS_GROUP}
UNREAD = ("answers", *BEST_EFFORT)      # topics that no group of ours reads
_DAY_MS = 86_400_000
_ON_KAFKA = "kafka", "VOUCH_LOG__KIND=kafka"


def open_log(settings: Settings, home: Path) -> Log:
    """Connects to nothing before its first use."""
    if isinstance(settings.log, KafkaSettings):
        require(*_ON_KAFKA)
        from vouch.adapters.message_log.kafka.log import KafkaLog

        return KafkaLog(_kafka_connection(settings.log))
    return EmbeddedLog(home / "log.sqlite", settings.log.partitions, settings.log.lease_seconds)


def open_topics(settings: Settings) -> "KafkaTopics | None":
    """What makes topics; None where the log makes them itself."""
    if not isinstance(settings.log, KafkaSettings):
        return None
    require(*_ON_KAFKA)
    from vouch.adapters.message_log.kafka.topics import KafkaTopics

    kept = settings.retention
    return KafkaTopics(_kafka_connection(settings.log), int(kept.log_days * _DAY_MS), int(kept.answers_days * _DAY_MS))


def _kafka_connection(settings: KafkaSettings) -> "KafkaConnection":
    from vouch.adapters.message_log.kafka.connection import KafkaConnection

    return KafkaConnection(**settings.model_dump(exclude={"kind"}))


def open_keeper(settings: Settings, home: Path) -> LogKeeper:
    """What deletes messages of the log."""
    if not isinstance(settings.log, KafkaSettings):
        return embedded_keeper(home)
    require(*_ON_KAFKA)
    from vouch.adapters.message_log.kafka.topics import KafkaLogKeeper

    return KafkaLogKeeper(_kafka_connection(settings.log))


def embedded_keeper(home: Path) -> LogKeeper:
    """The same of the embedded log of a home."""
    from vouch.adapters.message_log.embedded.trim import LogTrim

    return LogTrim(home / "log.sqlite", UNREAD)
