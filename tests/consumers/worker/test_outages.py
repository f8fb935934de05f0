"""An outage is waited out, the longer the more of them follow one another, and told until a round goes well."""

import threading
import time

import pytest

from consumers.monitoring.telemetry import Telemetry
from consumers.resilience import Backoff, OutageRetry
from vouch.errors import BadInput, Busy, LedgerDown, SurfaceDown

FIRST_S, MOST_S = 1.0, 8.0


class Stop(threading.Event):
    """Notes how long it was waited for, and does not wait."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float] = []

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None
        self.waits.append(timeout)
        return False


def test_waits_double_up_to_a_bound_and_begin_anew_after_a_round_that_goes_well() -> None:
    stop, telemetry = Stop(), Telemetry()
    outages = OutageRetry("w", Backoff(FIRST_S, MOST_S), telemetry, stop)
    for error in (LedgerDown("away"), Busy("locked"), *[LedgerDown("away")] * 4):
        with outages.waited_out():
            raise error
    full = [FIRST_S, 2.0, 4.0, MOST_S, MOST_S, MOST_S]
    assert all(most / 2 <= seconds <= most for seconds, most in zip(stop.waits, full, strict=True))
    [wait] = telemetry.waiting()
    assert (wait.machine, wait.cause) == ("ledger", "away")
    with outages.waited_out():
        pass
    assert telemetry.waiting() == [] and len(stop.waits) == 6
    with outages.waited_out():
        raise LedgerDown("away again")
    assert stop.waits[-1] <= FIRST_S and len(telemetry.waiting()) == 1


def test_what_is_down_is_left_alone_as_long_as_it_asks_for() -> None:
    stop = Stop()
    outages = OutageRetry("w", Backoff(FIRST_S, MOST_S), Telemetry(), stop)
    for error in (SurfaceDown("ratelimited", retry_after_s=20.0), SurfaceDown("ratelimited", retry_after_s=0.1)):
        with outages.waited_out():
            raise error
    assert stop.waits[0] == 20.0 and 1.0 <= stop.waits[1] <= 2.0


def test_a_loop_that_is_left_in_a_good_round_is_told_to_wait_no_longer() -> None:
    telemetry, stop = Telemetry(), Stop()
    outages = OutageRetry("w", Backoff(), telemetry, stop)

    def rounds() -> str:
        for number in range(3):
            with outages.waited_out():
                if number == 2:
                    return "left"
                raise LedgerDown("away")
        return "ended"

    assert rounds() == "left" and telemetry.waiting() == [] and len(stop.waits) == 2


def test_what_is_no_outage_is_nobodys_to_wait_for() -> None:
    stop, telemetry = Stop(), Telemetry()
    with pytest.raises(BadInput), OutageRetry("w", Backoff(), telemetry, stop).waited_out():
        raise BadInput("wrong")
    assert stop.waits == [] and telemetry.waiting() == []


def test_a_stop_ends_the_wait_at_once() -> None:
    stop, began = threading.Event(), time.monotonic()
    threading.Timer(0.05, stop.set).start()
    with OutageRetry("w", Backoff(60.0, 60.0), Telemetry(), stop).waited_out():
        raise LedgerDown("away")
    assert stop.is_set() and time.monotonic() - began < 20
