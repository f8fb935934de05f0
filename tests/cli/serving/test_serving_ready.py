"""`vouch serve` says that it is ready, and /readyz turns green, once its models are loaded, and not before."""

import threading
from contextlib import nullcontext

from cli.wiring.http.serving import HttpService
from consumers.monitoring.telemetry import Telemetry
from consumers.process import Process
from consumers.resilience import Backoff
from services.operating.status import ServiceStanding
from vouch.errors import ModelDown


def test_it_is_ready_when_its_models_are_and_says_why_it_is_not() -> None:
    seen: list[list[str]] = []
    standing, stop = ServiceStanding(Telemetry(), lambda: True), threading.Event()

    def warm() -> None:
        seen.append(list(standing.unready()))
        if len(seen) < 3:
            raise ModelDown("its copy in a folder is missing")

    def ready() -> None:
        seen.append(list(standing.unready()))
        stop.set()

    process = Process([], None, lambda: None, stop, nullcontext, [], warm=warm, telemetry=standing.telemetry,
                      patience=Backoff(0.01, 0.01))
    HttpService("", "", True, process, standing, ()).run(ready)
    red = ["the models could not be loaded, which is tried again; the log says why", "model does not answer"]
    assert seen == [["the models are being loaded"], red, red, []]


def test_it_never_says_ready_without_models() -> None:
    standing, stop = ServiceStanding(Telemetry(), lambda: True), threading.Event()

    def fail() -> None:
        raise ModelDown("its copy in a folder is missing")

    def ready() -> None:
        raise AssertionError("it is not")

    process = Process([], None, lambda: None, stop, nullcontext, [], warm=fail, telemetry=standing.telemetry)
    threading.Timer(0.1, stop.set).start()
    HttpService("", "", True, process, standing, ()).run(ready)
    assert len(standing.unready()) == 2
