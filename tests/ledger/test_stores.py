"""The stores of a ledger: made when first asked for, one of each, and those that work together share what they need."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

from learning_scene.answered import leave_answer

from vouch.adapters.ledger import open_ledger


def test_threads_that_ask_for_a_store_at_once_get_the_same_one(memory_folder: Path) -> None:
    for number in range(20):
        ledger = open_ledger(memory_folder / f"{number}.sqlite")
        together = threading.Barrier(4)

        def asked(_: int, ledger=ledger, together=together) -> object:  # type: ignore[no-untyped-def]
            together.wait()
            return ledger.outbox

        with ThreadPoolExecutor(4) as threads:
            assert len(set(map(id, threads.map(asked, range(4))))) == 1
        ledger.close()


def test_an_answer_wakes_who_waits_for_it_in_this_process(memory_folder: Path) -> None:
    ledger = open_ledger(memory_folder / "ledger.sqlite")
    leave_answer(ledger, 1, datetime(2026, 3, 4, tzinfo=UTC))
    began = time.monotonic()
    ledger.outbox.wait(30.0)
    assert time.monotonic() - began < 10
    ledger.close()
