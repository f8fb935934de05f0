"""/metrics on the service's own port: for operators and for whoever has its token, and for nobody else."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from homes.memory import folder_in_memory
from http_scene.http_place import Place, http_place

from bots.http.app import Service
from consumers.monitoring.exposition import counted
from consumers.monitoring.status import StatusProbe
from consumers.monitoring.telemetry import Telemetry

TOKEN = "a-token-of-prometheus"


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    def guarded(service: Service) -> Service:
        return replace(service, metrics_token=TOKEN)

    with folder_in_memory() as folder, http_place(folder, works=False, changed=guarded) as place:
        yield place


def test_operators_and_who_has_the_token_see_them(place: Place) -> None:
    for told in (place.person("olga").get("/metrics"),
                 place.visitor().get("/metrics", Authorization=f"Bearer {TOKEN}")):
        assert told.status == 200 and told.headers["content-type"].startswith("text/plain; version=0.0.4")
        assert 'vouch_up{machine="ledger"} 1.0' in told.text and "vouch_outbox" in told.text


def test_nobody_else_sees_them(place: Place) -> None:
    for told in (place.visitor().get("/metrics"), place.person("ana").get("/metrics")):
        assert told.status == 403 and "vouch_" not in told.text and told.json["title"]
    for wrong in (f"Bearer {TOKEN[:-1]}", f"Bearer {TOKEN}x", f"Basic {TOKEN}", "Bearer ", "Bearer \xff", TOKEN):
        told = place.visitor().get("/metrics", Authorization=wrong)
        assert told.status == 401 and "vouch_" not in told.text, wrong
    assert place.visitor().get("/v1/me", Authorization=f"Bearer {TOKEN}").status == 401     # it opens nothing else


def test_without_a_token_an_empty_one_opens_nothing() -> None:
    def measured(service: Service) -> Service:
        return replace(service, metrics=lambda: ("text/plain", "vouch_up 1"))

    with folder_in_memory() as folder, http_place(folder, works=False, changed=measured) as place:
        for sent in ({}, {"Authorization": "Bearer "}, {"Authorization": "Bearer"}):
            assert place.visitor().get("/metrics", **sent).status in (401, 403)
        assert place.person("olga").get("/metrics").text == "vouch_up 1"


def test_a_process_counts_once_wherever_it_is_shown() -> None:
    telemetry, probe = Telemetry(), StatusProbe(lambda: None, lambda: None, {}, {}, lambda: None, set())  # type: ignore
    first = counted(telemetry, probe, None)
    telemetry.count("messages", topic="questions", outcome="done")
    assert counted(telemetry, probe, None) is first
