"""The servers that other tests stand on: real ones, that keep what they acknowledged when they are killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from servers import docker, run
from servers.elastic import Elasticsearch
from servers.files import server_files
from servers.fixtures import running
from servers.kafka import Kafka
from servers.keeper import keep
from servers.postgres import Postgres
from servers.process import alive, birth, end_family

ORPHAN = "setsid sleep 300 & echo $!; exec sleep 300"


@pytest.mark.soak                       # tests/faults kills it in the short form too
def test_kafka_keeps_an_acknowledged_message(kafka_server: Kafka) -> None:
    from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer
    from kafka.admin import NewTopic

    admin = KafkaAdminClient(bootstrap_servers=kafka_server.bootstrap)
    admin.create_topics([NewTopic("kept", 1, 1)])
    admin.close()
    producer = KafkaProducer(bootstrap_servers=kafka_server.bootstrap, acks="all")
    producer.send("kept", b"words").get(timeout=10)
    producer.close()
    kafka_server.stop(kill=True)
    kafka_server.start()
    consumer = KafkaConsumer(
        "kept", bootstrap_servers=kafka_server.bootstrap, auto_offset_reset="earliest", consumer_timeout_ms=20_000
    )
    assert next(iter(consumer)).value == b"words"
    consumer.close()


def test_postgres_keeps_a_committed_row(postgres_server: Postgres) -> None:
    import psycopg

    dsn = postgres_server.new_database().replace("+psycopg", "")
    with psycopg.connect(dsn) as connection:
        connection.execute("CREATE TABLE kept (words text)")
        connection.execute("INSERT INTO kept VALUES ('words')")
    postgres_server.stop(kill=True)
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(dsn, connect_timeout=2)
    postgres_server.start()
    with psycopg.connect(dsn) as connection:
        assert connection.execute("SELECT words FROM kept").fetchall() == [("words",)]


@pytest.mark.soak                       # so is this one
def test_elasticsearch_keeps_an_acknowledged_document(elasticsearch_server: Elasticsearch) -> None:
    import elasticsearch

    with elasticsearch.Elasticsearch(elasticsearch_server.url, request_timeout=30) as client:
        client.index(index="kept", id="1", document={"words": "words"})
        elasticsearch_server.stop(kill=True)
        with pytest.raises(elasticsearch.ConnectionError):
            client.get(index="kept", id="1")
        elasticsearch_server.start()
        assert client.get(index="kept", id="1")["_source"] == {"words": "words"}
        client.indices.delete(index="kept")


@pytest.mark.parametrize("kind", [Kafka, Postgres, Elasticsearch])
def test_a_server_that_cannot_be_had_is_a_named_skip_or_a_failure(
    kind: Callable[[Path], Kafka], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docker, "answers", lambda: False)
    monkeypatch.setenv("VOUCH_SERVERS", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("VOUCH_REQUIRE_SERVICES", raising=False)
    with pytest.raises(pytest.skip.Exception, match="neither a Docker daemon nor"), running(kind):
        pass
    monkeypatch.setenv("VOUCH_REQUIRE_SERVICES", "1")
    with pytest.raises(pytest.fail.Exception, match="neither a Docker daemon nor"), running(kind):
        pass


def orphan() -> tuple[int, int]:
    """(a process, its child in a session of its own)."""
    process = subprocess.Popen(["sh", "-c", ORPHAN], stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert process.stdout is not None
    return process.pid, int(process.stdout.readline())


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_what_a_server_started_ends_with_it(number: signal.Signals, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("servers.process.END_S", 0.5)
    parent, child = orphan()
    assert alive(parent) and alive(child)
    end_family(parent, number)
    assert not alive(parent) and not alive(child)


def test_a_server_ends_with_tests_that_are_killed(postgres_server: Postgres) -> None:
    code = """if True:
        import os, time
        from servers.fixtures import running
        from servers.postgres import Postgres
        with running(Postgres) as server:
            print(server.runs.pid, server.runs.folder, flush=True)
            time.sleep(60)
    """
    tests = subprocess.Popen(
        [sys.executable, "-c", code], cwd=Path(__file__).parents[1], stdout=subprocess.PIPE, text=True
    )
    assert tests.stdout is not None
    number, folder = tests.stdout.readline().split()
    pid = int(number)
    assert alive(pid)
    tests.kill()
    tests.wait()
    until = time.monotonic() + 20
    while alive(pid) or Path(folder).exists():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_server_that_was_killed_to_be_started_again_keeps_its_folder(tmp_path: Path) -> None:
    """Its keeper ends while the killed process may still be waiting to be collected."""
    server = subprocess.Popen(["sleep", "300"])
    keeper = keep(server.pid, tmp_path)
    server.kill()
    os.waitid(os.P_PID, server.pid, os.WEXITED | os.WNOWAIT)
    keeper.communicate()
    assert tmp_path.is_dir()
    server.wait()


def test_a_stranger_with_the_number_of_a_server_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "PLACE", tmp_path / "services")
    monkeypatch.setattr(run, "STATE", tmp_path / "services" / "running.json")
    (tmp_path / "services").mkdir()
    stranger = subprocess.Popen(["sleep", "300"], start_new_session=True)
    try:
        for born, lives in [("another boot/1", True), (birth(stranger.pid), False)]:
            (tmp_path / "services").mkdir(exist_ok=True)
            handle = f'[{{"pid": "{stranger.pid}", "birth": "{born}", "gently": "15"}}]'
            run.STATE.write_text(handle)
            run.stop()
            assert alive(stranger.pid) is lives
            assert not run.PLACE.exists()
    finally:
        if alive(stranger.pid):
            os.kill(stranger.pid, signal.SIGKILL)


def test_a_container_is_published_on_loopback_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[tuple[str, ...]] = []
    monkeypatch.setattr(docker, "answers", lambda: True)
    monkeypatch.setattr(docker, "docker", lambda *words: said.append(words))
    for kind in (Kafka, Postgres, Elasticsearch):
        server = kind(tmp_path)
        monkeypatch.setattr(server.runs, "ready", lambda: True)
        server.start()
        server.stop(kill=True)
        server.start()
        server.remove()
        assert [words[0] for words in said] == ["run", "kill", "start", "rm"]
        assert said[0][said[0].index("-p") + 1].startswith(f"127.0.0.1:{server.port}:")
        said.clear()


def test_what_is_fetched_may_be_read_by_nobody_whatever_this_process_hides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A test that opens a home tells its process so, and servers of root run as a user without a name."""
    maven = tmp_path / "bin" / "mvn"
    maven.parent.mkdir()
    maven.write_text('#!/bin/sh\nfor word; do case $word in -Dservers=*) mkdir -p "${word#*=}/libs"; '
                     'echo > "${word#*=}/libs/server.jar";; esac; done\n')
    maven.chmod(0o755)
    monkeypatch.setenv("PATH", f"{maven.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("VOUCH_SERVERS", str(tmp_path / "cache"))
    before = os.umask(0o077)
    try:
        folder = server_files("kafka")
        assert os.umask(0o077) == 0o077
    finally:
        os.umask(before)
    assert folder == tmp_path / "cache" / "kafka"
    for path in (folder, folder / "libs", folder / "libs" / "server.jar"):
        assert path.stat().st_mode & 0o044 == 0o044, path
