"""Where a company among poison has its log and its ledger: in files, or on a real Kafka and a real PostgreSQL."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

from faults.delivery.poison import LARGE, Company
from http_scene.callback_receiver import CallbackReceiver
from machines.kafka_log import fresh_log
from machines.ledger_place import on_a_server
from servers.kafka import Kafka
from servers.postgres import Postgres

from vouch.adapters.ledger import open_ledger
from vouch.adapters.message_log.embedded.log import EmbeddedLog

Opener = Callable[[], AbstractContextManager[Company]]
SAID = {"files": "embedded log, SQLite", "servers": "Kafka, PostgreSQL"}
ANSWER_S = 2.0                          # Kafka is given so long before it counts as away


@contextmanager
def in_files(folder: Path) -> Iterator[Company]:
    log = EmbeddedLog(folder / "log.sqlite")
    with CallbackReceiver() as receiver, closing(open_ledger(folder / "ledger.sqlite")) as ledger:
        made = Company(log, ledger, receiver, lambda key, value: made.producer.send("questions", key, value))
        yield made


@contextmanager
def on_servers(kafka: Kafka, postgres: Postgres) -> Iterator[Company]:
    """Questions come through a topic that its owner lets take more than vouch sends; its dead twin does not."""
    from kafka import KafkaAdminClient, KafkaProducer
    from kafka.admin import ConfigResource, ConfigResourceType

    log = fresh_log(kafka, timeout_seconds=ANSWER_S)
    topic, options = log.place.topic("questions"), log.place.options()
    wider = ConfigResource(ConfigResourceType.TOPIC, topic, {"max.message.bytes": str(2 * LARGE)})
    with closing(KafkaAdminClient(**options)) as admin:
        admin.alter_configs([wider])
    with (
        on_a_server(postgres) as place,
        closing(log),
        closing(KafkaProducer(**options, acks="all", max_request_size=2 * LARGE)) as others,
        CallbackReceiver() as receiver,
    ):
        def stranger(key: bytes, value: bytes) -> None:
            others.send(topic, key=key, value=value).get(timeout=30)

        made = Company(log, place.open(), receiver, stranger)
        with closing(made.producer):
            yield made
