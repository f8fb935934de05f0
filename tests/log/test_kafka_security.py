"""TLS and SASL against a real broker: who is trusted gets in, everybody else is told why not."""

import contextlib
import dataclasses
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr
from servers.fixtures import running
from servers.kafka import Kafka
from servers.process import Process, free_port

from vouch.adapters.message_log.kafka.connection import KafkaConnection
from vouch.adapters.message_log.kafka.log import KafkaLog
from vouch.adapters.message_log.kafka.topics import KafkaTopics
from vouch.errors import LogDown

pytestmark = pytest.mark.integration

LOGIN = "org.apache.kafka.common.security.plain.PlainLoginModule required user_vouch=\"secret\";"


def certificate(folder: Path, name: str, host: str) -> Path:
    """A self-signed certificate, NAME.pem, with its key before it in NAME.both."""
    key, cert = folder / f"{name}.key", folder / f"{name}.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", cert,
         "-subj", f"/CN={name}", "-addext", f"subjectAltName={host}"], check=True, capture_output=True,
    )  # fmt: skip
    (folder / f"{name}.both").write_text(key.read_text() + cert.read_text())
    return cert


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaConnection]:
    """A broker with a second door that asks for TLS and a password."""
    folder, port = tmp_path_factory.mktemp("certificates"), free_port()
    trusted = certificate(folder, "broker", "IP:127.0.0.1")

    def kafka(place: Path) -> Kafka:
        made = Kafka(place)
        if not isinstance(made.runs, Process):
            pytest.skip("the broker is a container, whose listeners are its own")
        config = place / "server.properties"
        lines = dict(line.split("=", 1) for line in config.read_text().splitlines())
        door = f"SASL_SSL://127.0.0.1:{port}"
        lines["listeners"] += f",{door}"
        lines["advertised.listeners"] += f",{door}"
        lines["listener.security.protocol.map"] += ",SASL_SSL:SASL_SSL"
        lines |= {
            "inter.broker.listener.name": "PLAINTEXT", "sasl.enabled.mechanisms": "PLAIN",
            "listener.name.sasl_ssl.plain.sasl.jaas.config": LOGIN,
            "ssl.keystore.type": "PEM", "ssl.keystore.location": str(folder / "broker.both"),
        }
        config.write_text("".join(f"{key}={value}\n" for key, value in lines.items()))
        return made

    with running(kafka):
        yield KafkaConnection(
            f"127.0.0.1:{port}", partitions=1, timeout_seconds=5.0, tls=True, tls_ca_file=str(trusted),
            sasl_mechanism="PLAIN", sasl_user="vouch", sasl_password=SecretStr("secret"),
        )


@pytest.mark.slow
@pytest.mark.services
def test_who_is_trusted_and_knows_the_password_gets_in(guarded: KafkaConnection) -> None:
    KafkaTopics(guarded, 86_400_000, 86_400_000, ["t"]).create()
    with contextlib.closing(KafkaLog(guarded)) as log:
        producer, member = log.producer(), log.consumer("g", ["t"])
        producer.send("t", b"k", b"v")
        record = member.poll(15)
        assert record and record.value == b"v" and member.commit(record) and log.lag("g", "t") == 0
        producer.close()
        member.close()


@pytest.mark.slow
@pytest.mark.services
@pytest.mark.parametrize("wrong", [{"sasl_password": SecretStr("guess")}, {"tls_ca_file": ""}])
def test_everybody_else_is_told_what_to_look_at(guarded: KafkaConnection, wrong: dict[str, object]) -> None:
    log = KafkaLog(dataclasses.replace(guarded, timeout_seconds=1.5, **wrong))  # type: ignore[arg-type]
    for ask in (lambda: log.consumer("g", ["t"]), lambda: log.producer().send("t", b"k", b"v")):
        with pytest.raises(LogDown) as told:
            ask()
        assert "certificates, this user and this password" in told.value.cure and "guess" not in str(told.value)
