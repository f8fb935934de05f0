"""docker-compose.yml is closed to the outside, asks only for what exists, and its passwords are nobody else's."""

import copy
import inspect
import re
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from running.cli_help import help_of, named_command
from running.compose import ROOT, complaints, read_compose
from servers import elastic, kafka, postgres

from bots.http.identity.caller import Credentials
from cli.wiring.http.identities import open_identities, secure_cookies
from consumers.worker.worker import Worker
from vouch.errors import Unidentified, Usage
from vouch.settings import Settings
from vouch.settings.surfaces import HttpSettings

COMPOSE = read_compose()
SERVICES: dict[str, Any] = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if "build" in service}


def test_every_service_keeps_the_rules() -> None:
    assert set(SERVICES) == {
        "postgres", "kafka", "elasticsearch", "prefect", "migrate", "deploy", "ingest", "worker", "sender",
        "slack", "web",
    }  # fmt: skip
    assert complaints(COMPOSE) == []


BREACHES: dict[str, Callable[[dict[str, Any]], object]] = {
    "runs as root": lambda service: service.update(user="0:0"),
    "runs as root, or": lambda service: service.pop("user"),
    "may write": lambda service: service.pop("read_only"),
    "keeps capabilities": lambda service: service.update(cap_add=["NET_ADMIN"]),
    "may gain": lambda service: service.pop("security_opt"),
    "no limit": lambda service: service.pop("mem_limit"),
    "health": lambda service: service.pop("healthcheck"),
    "not pinned": lambda service: service.update(image="postgres:latest"),
    "not pinned: postgres": lambda service: service.update(image="postgres"),
    "beyond loopback": lambda service: service.update(ports=["5432:5432"]),
    "another network": lambda service: service.update(network_mode="host"),
    "writes to /": lambda service: service.update(volumes=["/:/host"]),
    "does not come from .env": lambda service: service["environment"].update(POSTGRES_PASSWORD="postgres"),
    "X does not come": lambda service: service["environment"].update(X="postgresql://vouch:vouch@postgres/vouch"),
}


@pytest.mark.parametrize("said", BREACHES)
def test_a_service_that_breaks_a_rule_would_be_seen(said: str) -> None:
    broken = copy.deepcopy(COMPOSE)
    BREACHES[said](broken["services"]["postgres"])
    [one] = complaints(broken)
    assert said in one


def test_every_command_is_there() -> None:
    for name, service in OURS.items():
        program, *words = service["command"]
        assert program in {"vouch", "prefect", "sh"}, name
        if program == "vouch":
            assert help_of(named_command(tuple(words))), name


def test_its_images_are_those_the_tests_start_where_docker_answers() -> None:
    images = {name: SERVICES[name]["image"] for name in ("kafka", "postgres", "elasticsearch")}
    assert images == {"kafka": kafka.IMAGE, "postgres": postgres.IMAGE, "elasticsearch": elastic.IMAGE}


def seconds(text: str) -> float:
    assert text.endswith("s")
    return float(text[:-1])


def test_what_works_is_given_the_time_it_takes_to_end() -> None:
    patience = inspect.signature(Worker).parameters["grace_s"].default
    for name in ("ingest", "worker", "sender"):
        assert seconds(SERVICES[name].get("stop_grace_period", "10s")) >= patience + 10, name


def filled(value: str) -> str:
    """As from a .env that has what is needed and nothing else."""
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", re.sub(r"\$\{\w+:\?[^}]*\}", "f00df00df00df00d", value))


def web_settings(monkeypatch: pytest.MonkeyPatch, **changed: str) -> HttpSettings:
    for setting, value in {**SERVICES["web"]["environment"], **changed}.items():
        if setting.startswith("VOUCH_HTTP__"):
            monkeypatch.setenv(setting, filled(value))
    return Settings().http


def test_its_page_is_behind_a_named_identity_and_nobody_else_gets_in(monkeypatch: pytest.MonkeyPatch) -> None:
    http = web_settings(monkeypatch)
    known = open_identities(http, None, None)
    secret = http.proxy_secret.get_secret_value()
    named = {"x-forwarded-email": "ana@acme.test", "x-vouch-proxy-secret": secret}
    assert known.caller(Credentials("172.18.0.1", named, {})).tag == "user:ana@acme.test"
    for nobody in (Credentials("172.18.0.1", {}, {}), Credentials("203.0.113.9", named, {}),
                   Credentials("172.18.0.1", {**named, "x-vouch-proxy-secret": "guessed"}, {})):
        with pytest.raises(Unidentified):
            known.caller(nobody)
    assert secure_cookies(http)


def test_its_page_does_not_start_without_an_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Usage, match="without VOUCH_HTTP__PROXY_HEADER"):
        open_identities(web_settings(monkeypatch, VOUCH_HTTP__PROXY_HEADER=""), None, None)
    with pytest.raises(Usage, match="a secret of"):
        open_identities(web_settings(monkeypatch, VOUCH_HTTP__PROXY_SECRET="short"), None, None)
    assert "PROXY_SECRET:?" in SERVICES["web"]["environment"]["VOUCH_HTTP__PROXY_SECRET"]     # compose itself refuses


def test_its_settings_are_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("worker", "sender", "migrate", "ingest", "web"):
        for setting, value in SERVICES[name]["environment"].items():
            if setting.startswith("VOUCH_"):
                monkeypatch.setenv(setting, filled(value))
        settings = Settings()
        assert settings.ledger.url == "postgresql+psycopg://vouch:f00df00df00df00d@postgres:5432/vouch"
        assert (settings.log.kind, settings.lexical.kind) == ("kafka", "elasticsearch")


def test_the_image_is_made_by_the_installer_that_make_uses() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.findall(r"uv==([\d.]+)", dockerfile) == re.findall(r"^UV := ([\d.]+)$", makefile, re.MULTILINE)
    stages = dict(re.findall(r"^FROM (\S+) AS (\S+)$", dockerfile, re.MULTILINE))
    assert {service["build"]["target"] for service in OURS.values()} | {"gpu"} <= set(stages.values())
    assert [image for image in stages if ":" in image and not re.search(r":\d+\.\d+\.\d+", image)] == []
    assert dockerfile.count("USER 10001:10001") == 2


def test_the_slim_image_leaves_out_what_comes_with_cuda_alone() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    rule = re.search(r"awk '([^']+)' requirements\.lock", dockerfile)
    assert rule
    kept = subprocess.run(["awk", rule[1], ROOT / "requirements.lock"], capture_output=True, text=True, check=True)
    names = [set(re.findall(r"^([a-z0-9-]+)==", text, re.MULTILINE))
             for text in ((ROOT / "requirements.lock").read_text(encoding="utf-8"), kept.stdout)]
    assert {"numpy", "transformers", "psycopg"} <= names[1] < names[0]
    left_out = names[0] - names[1]
    assert "torch" in left_out
    assert {name for name in left_out if not re.match(r"(torch|triton|nvidia-.+|cuda-.+)$", name)} == set()


def test_its_kafka_is_set_up_as_that_of_the_tests() -> None:
    tested = kafka.properties(9093, "0.0.0.0", "9092", "kafka:9092")
    own = {"log.dirs", "heap.opts"}
    for name, value in SERVICES["kafka"]["environment"].items():
        setting = name.removeprefix("KAFKA_").lower().replace("_", ".")
        assert setting in own or tested[setting] == value, setting


def make_env(folder: Path) -> dict[str, str]:
    subprocess.run(["make", "-s", "-f", str(ROOT / "Makefile"), "env"], cwd=folder, check=True)
    return dict(line.split("=", 1) for line in (folder / ".env").read_text().splitlines())


@pytest.mark.slow
def test_make_env_writes_random_passwords_for_its_owner_alone_and_keeps_them(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("DOCUMENTS=/srv/handbook\n")
    first = make_env(tmp_path)
    assert stat.S_IMODE((tmp_path / ".env").stat().st_mode) == 0o600
    assert first.pop("DOCUMENTS") == "/srv/handbook"
    needed = set(re.findall(r"\$\{(\w+):\?", (ROOT / "docker-compose.yml").read_text()))
    assert set(first) == needed - {"DOCUMENTS"}
    assert len(set(first.values())) == len(first)
    assert all(re.fullmatch("[0-9a-f]{48}", value) for value in first.values())
    assert make_env(tmp_path).items() >= first.items()
    other = tmp_path / "other"
    other.mkdir()
    assert not set(make_env(other).values()) & set(first.values())
