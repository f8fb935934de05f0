"""A sender dies at every step of bringing an answer to a receiver: the answer is there once, wherever it died."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from faults.traced import MISSING
from running.script_run import run_script
from running.soak_table import Figures

pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING)


def lives(folder: Path, *arguments: str) -> list[dict[str, Any]]:
    return run_script(Path(__file__).with_name("reply_kills.py"), folder, *arguments, timeout_s=600)


def once_each(found: list[dict[str, Any]]) -> bool:
    told = Counter(life["left"] for life in found)
    doubted = sum(life["asked"] > 0 for life in found)
    print(f"\n{len(found)} steps, left as {dict(told)}; the receiver was asked after {doubted} of them")
    return all((life["posts"], life["state"], life["complaints"], life["crash"]) == (1, "sent", [], "")
               for life in found)


@pytest.mark.slow
def test_an_answer_comes_once_wherever_its_sender_dies(memory_folder: Path) -> None:
    found = lives(memory_folder, "tells")
    assert once_each(found) and len(found) > 15
    assert sum(life["killed"] for life in found) >= len(found) - 2
    assert {"pending", "sending", "posting", "sent"} <= {life["left"] for life in found}


@pytest.mark.slow
@pytest.mark.parametrize("planted", ["blind", "early"])
def test_the_harness_sees_an_outbox_that_does_not_ask_or_marks_too_early(memory_folder: Path, planted: str) -> None:
    assert lives(memory_folder, "tells", planted)[-1]["posts"] == {"blind": 2, "early": 0}[planted]


@pytest.mark.soak
@pytest.mark.parametrize("receiver", ["tells", "drops"])
@pytest.mark.parametrize("more", [["all"], ["all", "loses"]])
def test_the_same_with_replies_that_are_lost_and_receivers_that_drop_repeats(
    tmp_path: Path, receiver: str, more: list[str], figures: Figures
) -> None:
    found = lives(tmp_path, receiver, *more)
    figures("a sender killed at each system call of a reply" + (", the first reply lost" if "loses" in more else ""),
            f"{len(found)} calls, receiver {receiver}", f"{sum(one['posts'] != 1 for one in found)} lost or double")
    assert once_each(found)
