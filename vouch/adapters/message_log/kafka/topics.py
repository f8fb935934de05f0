"""The topics of a Kafka log: making them, and what can be let go of in them."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Any

from kafka import KafkaAdminClient, errors

from vouch.adapters.message_log.kafka.connection import KafkaConnection
from vouch.adapters.message_log.kafka.log import KafkaLog
from vouch.messages import BEST_EFFORT, DEAD, WORKED
from vouch.ports.log import Erased, Record

NAMES = (*(name + end for name in WORKED for end in ("", DEAD)), *BEST_EFFORT)
_MOST_BYTES = 1_048_588                 # of a message; what brokers take when nobody says otherwise


@dataclass(frozen=True, slots=True)
class TopicState:
    """`partitions` by name, of those that exist; `unlike` have another number than the settings say."""

    partitions: Mapping[str, int]
    missing: tuple[str, ...]
    unlike: tuple[str, ...]


class KafkaTopics:
    """`keep_ms` says how long brokers keep the messages of a topic and of its dead twin."""

    def __init__(self, place: KafkaConnection, keep_ms: int, keep_dead_ms: int, names: Sequence[str] = NAMES) -> None:
        self._place = place
        self._keep_ms = {False: keep_ms, True: keep_dead_ms}
        self._names = tuple(place.topic(name) for name in names)

    def state(self) -> TopicState:
        with self._place.ours("looking at topics"), closing(self._admin()) as admin:
            return self._look(admin)

    def create(self) -> tuple[str, ...]:
        """The names of those that were made; existing ones stay as they are."""
        with self._place.ours("creating topics"), closing(self._admin()) as admin:
            missing = self._look(admin).missing
            if missing:
                with suppress(errors.TopicAlreadyExistsError):      # somebody else makes them in the same moment
                    admin.create_topics({name: self._wanted(name) for name in missing})
                admin.wait_for_topics(list(missing))
            return missing

    def _look(self, admin: Any) -> TopicState:
        found = {one["name"]: len(one["partitions"]) for one in admin.describe_topics() if not one["error_code"]}
        ours = {name: found[name] for name in self._names if name in found}
        missing = tuple(name for name in self._names if name not in found)
        return TopicState(ours, missing, tuple(n for n, count in ours.items() if count != self._place.partitions))

    def _wanted(self, name: str) -> dict[str, Any]:
        return {
            "num_partitions": self._place.partitions,
            "replication_factor": self._place.replication or -1,
            "configs": {
                "retention.ms": str(self._keep_ms[name.endswith(DEAD)]),
                "max.message.bytes": str(_MOST_BYTES),
                "cleanup.policy": "delete",
            },
        }

    def _admin(self) -> Any:
        return KafkaAdminClient(**self._place.options())


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
        counts: Counter[str] = Counter()
        dropped = 0
        with closing(KafkaLog(self._place)) as log:
            for topic in NAMES:
                hits = {(r.partition, r.offset) for r in log.everything(topic) if of_it(r)}
                counts[topic] += len(hits)
                if hits and topic.endswith(DEAD):
                    dropped += len(hits & {(r.partition, r.offset) for r in log.read(topic)})
                    log.discard(topic, hits)
        return Erased(dropped, unproven=tuple(self._told(counts)))

    def scour(self) -> None:
        """The files are the brokers'."""

    def _told(self, found: Counter[str]) -> list[str]:
        where = ", ".join(f"{topic} {count}" for topic, count in sorted(found.items()) if count)
        kept = f"{self._place.named} keeps messages with its words or about answers made from it ({where}), " \
            "until their retention ends"
        files = f"{self._place.named} may keep in its files what was deleted there, until their retention ends"
        return [kept, files] if where else [files]
