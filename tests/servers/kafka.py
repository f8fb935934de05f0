"""A real Kafka broker on loopback: one node, KRaft."""

import base64
import os
import subprocess
from pathlib import Path

from servers import docker
from servers.docker import Container
from servers.files import java, server_files
from servers.process import Process, free_port
from servers.server import Server

IMAGE = "apache/kafka:4.1.0"
_CONTROLLER = 9093                      # inside a container


class Kafka(Server):
    """`folder` is its own. Raises Missing.

    Clients are told to come to the port `advertised`, if that is another one.
    """

    name = "kafka"

    def __init__(self, folder: Path, heap: str = "384m", advertised: int | None = None) -> None:
        self.port = free_port()
        self.advertised = advertised or self.port
        self.runs = self._container() if docker.answers() else self._process(folder, heap)

    @property
    def bootstrap(self) -> str:
        return f"127.0.0.1:{self.advertised}"

    def settings(self) -> dict[str, str]:
        return {"VOUCH_LOG__KIND": "kafka", "VOUCH_LOG__SERVERS": self.bootstrap}

    def ready(self) -> bool:
        """Whether the broker is part of its cluster: it takes connections some moments earlier."""
        from kafka import KafkaAdminClient
        from kafka.errors import KafkaError

        try:
            client = KafkaAdminClient(
                bootstrap_servers=self.bootstrap, bootstrap_timeout_ms=2000, request_timeout_ms=5000
            )
        except KafkaError:
            return False
        try:
            return bool(client.describe_cluster()["brokers"])
        except KafkaError:
            return False
        finally:
            client.close()

    def _process(self, folder: Path, heap: str) -> Process:
        java_bin = str(java(17) / "bin" / "java")
        classes = f"{server_files(self.name)}/*"
        config = folder / "server.properties"
        folder.mkdir(parents=True, exist_ok=True)
        lines = properties(free_port(), "127.0.0.1", str(self.port), self.bootstrap)
        lines["log.dirs"] = str(folder / "data")
        config.write_text("".join(f"{key}={value}\n" for key, value in lines.items()))
        soon = [java_bin, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
        soon.append("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
        name = base64.urlsafe_b64encode(b"v" + os.urandom(15)).decode()     # as its random-uuid makes them, without a -
        subprocess.run([*soon, "-cp", classes, "kafka.tools.StorageTool", "format", "-t", name, "-c", str(config)],
                       capture_output=True, check=True)
        return Process([*soon, f"-Xmx{heap}", "-cp", classes, "kafka.Kafka", str(config)], folder, self.ready)

    def _container(self) -> Container:
        lines = properties(_CONTROLLER, "0.0.0.0", "9092", self.bootstrap)
        environment = {f"KAFKA_{key.replace('.', '_').upper()}": value for key, value in lines.items()}
        return Container(IMAGE, self.port, 9092, self.ready, environment)


def properties(controller: int, host: str, port: str, advertised: str) -> dict[str, str]:
    return {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@127.0.0.1:{controller}",
        "listeners": f"PLAINTEXT://{host}:{port},CONTROLLER://127.0.0.1:{controller}",
        "advertised.listeners": f"PLAINTEXT://{advertised}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "controller.listener.names": "CONTROLLER",
        "offsets.topic.replication.factor": "1",
        "offsets.topic.num.partitions": "4",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
        "group.initial.rebalance.delay.ms": "0",
        "auto.create.topics.enable": "false",
        "log.cleaner.dedupe.buffer.size": "4194304",    # half a small heap otherwise: restarts died with many topics
        "group.min.session.timeout.ms": "500",         # members that fall silent are noticed soon
    }
