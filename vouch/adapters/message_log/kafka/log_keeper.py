"""What can be let go of on Kafka, and what only Kafka lets go of."""

from collections import Counter
from collections.abc import Callable
from contextlib import closing

from vouch.adapters.message_log.kafka.connection import KafkaConnection
from vouch.adapters.message_log.kafka.log import KafkaLog
from vouch.adapters.message_log.kafka.topics import NAMES
from vouch.messages import DEAD
from vouch.ports.log import Record
from vouch.ports.log_keeper import Erased


class KafkaLogKeeper:
    """Implements ports.LogKeeper. Brokers delete whole files of messages, by the age their topics are made with."""

    def __init__(self, place: KafkaConnection) -> None:
        self._place = place

    def expired(self, before_ms: int, dead_before_ms: int) -> int:
        return 0

    def expire(self, before_ms: int, dead_before_ms: int) -> int:
        return 0

    def erase(self, of_it: Callable[[Record], bool]) -> Erased:
        """Dead messages are dropped; others may have readers of their own, and stay. Both are told as not proven."""
        found: Counter[str] = Counter()
        dropped = 0
        with closing(KafkaLog(self._place)) as log:
            for topic in NAMES:
                hits = {(r.partition, r.offset) for r in log.everything(topic) if of_it(r)}
                found[topic] += len(hits)
                if hits and topic.endswith(DEAD):
                    dropped += len(hits & {(r.partition, r.offset) for r in log.read(topic)})
                    log.discard(topic, hits)
        return Erased(dropped, unproven=tuple(self._told(found)))

    def scour(self) -> None:
        """The files are the brokers'."""

    def _told(self, found: Counter[str]) -> list[str]:
        where = ", ".join(f"{topic} {count}" for topic, count in sorted(found.items()) if count)
        kept = f"{self._place.named} keeps messages with its words or about answers made from it ({where}), " \
            "until their retention ends"
        files = f"{self._place.named} may keep in its files what was deleted there, until their retention ends"
        return [kept, files] if where else [files]
