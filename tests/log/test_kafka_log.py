"""What only Kafka has: topics made beforehand, a largest size, outages, messages picked out, limits of a purge."""

import contextlib
import time
from collections.abc import Iterator

import pytest
from machines.kafka_log import DAY_MS, fresh_log, fresh_place
from servers.kafka import Kafka
from servers.process import free_port

from vouch.adapters.message_log.kafka.connection import KafkaConnection
from vouch.adapters.message_log.kafka.discarded import _MOST, _offsets, _text
from vouch.adapters.message_log.kafka.log import KafkaLog
from vouch.adapters.message_log.kafka.topics import NAMES, KafkaLogKeeper, KafkaTopics
from vouch.errors import BadMessage, Guarded, LogDown, Usage
from vouch.messages import DEAD, LARGEST, DeadLetter

pytestmark = pytest.mark.integration


@pytest.fixture
def log(kafka_server: Kafka) -> Iterator[KafkaLog]:
    with contextlib.closing(fresh_log(kafka_server)) as made:
        yield made


def test_missing_topics_are_named_made_once_and_left_as_they_are(kafka_server: Kafka) -> None:
    place = fresh_place(kafka_server)
    topics = KafkaTopics(place, DAY_MS, 2 * DAY_MS)
    wanted = tuple(place.topic_prefix + name for name in NAMES)
    assert topics.state().missing == wanted
    log, producer = KafkaLog(place), KafkaLog(place).producer()
    for ask in (
        lambda: producer.send("questions", b"k", b"v"), lambda: log.consumer("g", ["questions"]),
        lambda: log.lag("g", "questions"), lambda: list(log.read("questions")),
    ):
        with pytest.raises(LogDown, match=r"has no topic .*questions") as told:
            ask()
        assert "doctor --fix" in told.value.cure
    assert topics.state().missing == wanted             # nobody's question has made one
    assert topics.create() == wanted and topics.create() == ()
    more = KafkaConnection(place.servers, topic_prefix=place.topic_prefix, partitions=6)
    assert KafkaTopics(more, DAY_MS, DAY_MS).state().unlike == wanted
    assert producer.send("questions", b"k", b"v")[1] == 0
    producer.close()
    log.close()


def test_the_largest_message_goes_and_dies_and_a_larger_one_is_refused(log: KafkaLog) -> None:
    producer, whole = log.producer(), b"x" * LARGEST
    letter = DeadLetter("questions", 0, 0, "é" * 2000, "BadMessage", 5, "2026-11-21T10:00:00", "2026-11-21T10:00:00")
    producer.send("questions", b"k" * 200, whole)
    producer.send("questions" + DEAD, b"k" * 200, whole, letter.headers())
    assert [record.value == whole for record in log.read("questions")] == [True]
    member = log.consumer("g", ["questions"])
    record = member.poll(15)
    assert record and record.value == whole and member.commit(record)
    with pytest.raises(BadMessage, match="5000000 bytes"):
        producer.send("questions", b"k", b"x" * 5_000_000)
    assert producer.send("questions", b"k", b"and it goes on")
    member.close()
    producer.close()


def test_the_largest_message_holds_its_process_up_for_no_time() -> None:
    """The library counts its checksum with every other thread waiting; without help it does so in Python."""
    from kafka.record.util import calc_crc32c

    began = time.thread_time()
    calc_crc32c(b"x" * LARGEST)
    assert time.thread_time() - began < 0.02


def test_a_broker_that_is_not_there_is_an_outage_that_names_it() -> None:
    place = KafkaConnection(f"127.0.0.1:{free_port()}", timeout_seconds=1.0)
    log = KafkaLog(place)
    for ask in (
        lambda: log.producer().send("questions", b"k", b"v"), lambda: log.consumer("g", ["questions"]),
        lambda: log.lag("g", "questions"), lambda: list(log.read("questions")),
    ):
        began = time.monotonic()
        with pytest.raises(LogDown, match=place.servers):
            ask()
        assert time.monotonic() - began < 10


@pytest.mark.parametrize("wrong", [
    {"sasl_mechanism": "PLAIN", "sasl_user": "u"}, {"sasl_mechanism": "SCRAM-SHA-256", "tls": True},
    {"tls_ca_file": "/nothere"},
])  # fmt: skip
def test_settings_that_cannot_go_together_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(Usage, match=r"VOUCH_LOG__|TLS"):
        KafkaConnection("127.0.0.1:9092", **wrong)  # type: ignore[arg-type]


def test_a_file_for_tls_that_is_not_there_is_named_and_no_secret_is_shown() -> None:
    from pydantic import SecretStr

    place = KafkaConnection(
        "127.0.0.1:1", tls=True, tls_ca_file="/nothere.pem", sasl_mechanism="PLAIN", sasl_user="u",
        sasl_password=SecretStr("hush"), timeout_seconds=1.0,
    )
    assert "hush" not in repr(place)
    with pytest.raises(Usage, match=r"nothere\.pem"):
        KafkaLog(place).consumer("g", ["questions"])


def test_marks_of_single_messages_are_kept_as_ranges_and_have_a_bound() -> None:
    offsets = {0, 1, 2, 7, 9, 10}
    assert _text(offsets) == "0-2,7,9-10" and _offsets(_text(offsets)) == offsets and _offsets("") == set()
    assert len(_text(set(range(100_000)))) < _MOST
    with pytest.raises(Guarded):
        _text(set(range(0, 10_000, 2)))


def test_a_purge_drops_dead_messages_and_says_what_it_cannot_take(log: KafkaLog) -> None:
    producer = log.producer()
    for topic, value in (("questions", b"the secret word"), ("questions", b"another"),
                         ("questions" + DEAD, b"secret, too"), ("answers" + DEAD, b"harmless")):
        producer.send(topic, b"k", value, [("trace", b"7")])
    producer.close()
    keeper = KafkaLogKeeper(log.place)
    erased = keeper.erase(lambda record: b"secret" in record.content())
    assert erased.deleted == 1 and len(list(log.read("questions"))) == 2
    assert list(log.read("questions" + DEAD)) == [] and len(list(log.read("answers" + DEAD))) == 1
    held, files = erased.unproven
    assert "questions 1" in held and "retention" in held and "retention" in files
    assert len(keeper.erase(lambda record: b"nowhere" in record.content()).unproven) == 1
    assert (keeper.expired(10**15, 10**15), keeper.expire(10**15, 10**15)) == (0, 0)


def test_of_two_static_members_of_one_name_the_older_ends_with_a_message(kafka_server: Kafka) -> None:
    with contextlib.closing(fresh_log(kafka_server, instance="one", session_seconds=3.0)) as log:
        producer = log.producer()
        for number in range(4):
            producer.send("questions", str(number).encode(), b"v")
        older = log.consumer("g", ["questions"])
        record = older.poll(15)
        newer = log.consumer("g", ["questions"])
        assert record and newer.poll(15)
        with pytest.raises(Usage, match="another process is member 'one'"):
            older.commit(record)
        newer.close()
        older.close()
        producer.close()
