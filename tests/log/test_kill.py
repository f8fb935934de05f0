"""Senders and readers that are killed at any moment lose nothing and repeat at most what they had in hand."""

from collections import Counter
from pathlib import Path

import pytest
from running.script_run import run_script

from vouch.adapters.message_log.embedded.log import EmbeddedLog

pytestmark = pytest.mark.integration

COUNT, KILLS = 2000, 10


def test_2000_messages_survive_kills_of_senders_and_readers(memory_folder: Path) -> None:
    run_script(Path(__file__).with_name("kill_readers.py"), memory_folder, COUNT, KILLS, timeout_s=120)

    sent = [int(line) for line in (memory_folder / "sent").read_text().split()]
    stored = Counter(int(record.value) for record in EmbeddedLog(memory_folder / "log.sqlite").read("t"))
    assert set(sent) == set(stored) == set(range(COUNT))
    assert sum(stored.values()) - COUNT <= KILLS        # sent, killed before it was noted

    read: dict[str, list[int]] = {}
    for line in (memory_folder / "read").read_text().splitlines():
        key, value = line.split()
        read.setdefault(key, []).append(int(value))
    everything = [value for values in read.values() for value in values]
    assert set(everything) == set(range(COUNT))
    assert len(everything) - sum(stored.values()) <= KILLS
    for values in read.values():
        first_seen = list(dict.fromkeys(values))
        assert first_seen == sorted(first_seen)
    assert EmbeddedLog(memory_folder / "log.sqlite").lag("g", "t") == 0
