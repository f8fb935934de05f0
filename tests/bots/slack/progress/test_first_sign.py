"""How soon somebody who mentions vouch sees that it works."""

import statistics
import time
from pathlib import Path
from typing import Any

import pytest
from slack_scene.slack_company import LEAVE, Company, at, company

from vouch.adapters.ledger import Ledger

pytestmark = pytest.mark.integration
MENTIONS, MANY = 10, 200


def seconds(ledger: Ledger, folder: Path, mode: str, count: int) -> list[float]:
    """From a mention to the status in its thread, one after the other."""
    with company(ledger, folder, mode) as acme:
        people = acme.slack.workspace.channel("C1", "people", [acme.ben.id], "private")
        took = []
        for _ in range(count):
            begun = time.monotonic()
            said = acme.slack.deliveries.say(acme.ben.id, people, at(LEAVE))
            while ("C1", said.ts) not in acme.slack.workspace.status:
                assert time.monotonic() < begun + 10
                time.sleep(0.0005)
            took.append(time.monotonic() - begun)
        return sorted(took)


@pytest.mark.parametrize("mode", ["socket", "http"])
def test_a_status_comes_at_once(ledger: Ledger, memory_folder: Path, mode: str) -> None:
    assert seconds(ledger, memory_folder, mode, MENTIONS)[MENTIONS // 2] < 1.0


@pytest.mark.soak
@pytest.mark.parametrize("mode", ["socket", "http"])
def test_how_soon_a_status_comes(ledger: Ledger, memory_folder: Path, mode: str, figures: Any) -> None:
    took = seconds(ledger, memory_folder, mode, MANY)
    told = f"{statistics.median(took) * 1000:.0f} ms p50, {took[int(MANY * 0.95)] * 1000:.0f} ms p95"
    figures(f"Slack, {mode}: from a mention to the first sign", f"{MANY} mentions", told)
    assert took[int(MANY * 0.95)] < 3.0


SLOW_S = 5.0


def test_a_status_waits_for_no_home_tab(
    over_http: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four people open the home tab, which Slack takes its time for."""
    people = over_http.slack.workspace.channel("C1", "people", [over_http.ben.id], "private")
    real, api = over_http.slack.answer, over_http.bot.progress._showing._api  # type: ignore[union-attr]

    def answer(name: str, *given: Any, **more: Any) -> dict[str, Any]:
        if name == "views.publish":
            time.sleep(SLOW_S)
        return real(name, *given, **more)

    monkeypatch.setattr(over_http.slack, "answer", answer)
    assert api.client.timeout > SLOW_S
    for person in (over_http.ana, over_http.ben, over_http.boss, over_http.ana):
        over_http.slack.deliveries.opened(person.id, "home")
    begun = time.monotonic()
    said = over_http.slack.deliveries.say(over_http.ben.id, people, at(LEAVE))
    while ("C1", said.ts) not in over_http.slack.workspace.status:
        assert time.monotonic() < begun + 10
        time.sleep(0.005)
    assert time.monotonic() - begun < 2.0
