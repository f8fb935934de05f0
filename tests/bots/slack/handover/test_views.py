"""Messages and windows of a hand-over: what Slack takes, and words of people that would command it."""

import json
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bots.slack.handoff.views import (
    decided_message,
    draft_message,
    opened_message,
    resolution_of,
    resolution_view,
    resolved_message,
    taken_message,
)
from bots.slack.personal.views import home_view, trace_text
from bots.slack.simulator.blocks import check_blocks
from bots.slack.simulator.drawing import draw

COMMANDS = re.compile(r"<[@#!]|<https?:|(?<!\\)\]\(|https?://\S")
UNTIL = datetime(2027, 1, 1, tzinfo=UTC)
HOSTILE = "<!channel> <@U0X> [a](http://b.test) http://c.test `d` &lt;"


def read_by_slack(*made: tuple[list[dict[str, Any]], str]) -> tuple[str, str]:
    """What Slack looks for commands in; in the other elements it reads nothing."""
    for blocks, _ in made:
        check_blocks(blocks)
        for block in blocks:
            for part in block["elements"] if block["type"] == "rich_text" else ():
                assert {one["type"] for one in part["elements"]} == {"text"}
    texts = [block["text"] for blocks, _ in made for block in blocks if block["type"] == "markdown"]
    return "\n".join(texts), "\n".join(text for _, text in made)


def told(*made: tuple[list[dict[str, Any]], str]) -> str:
    for blocks, text in made:
        check_blocks(blocks)
        assert text
    return "\n".join(f"{draw(blocks)}\n{text}" for blocks, text in made)


@given(st.text(max_size=300), st.text(max_size=3000))
@example(HOSTILE, HOSTILE)
@example("", "\x00\u202e\n---\n# x")
@example("<" * 300, "<" * 3000)
def test_words_of_people_are_shown_and_do_nothing(name: str, words: str) -> None:
    marked, notification = read_by_slack(
        taken_message(name), resolved_message(name, words or None),
        draft_message("d1", name, words, name, "2 people", UNTIL), decided_message([], name, "d1"),
        opened_message("a" * 32, [], name))
    assert not COMMANDS.search(marked.replace("\u2060", " "))
    assert not re.search(r"<[@#!]|https?://\S", notification.replace("\u2060", " "))


def test_only_owners_are_mentioned_each_once() -> None:
    shown = told(opened_message("a" * 32, ["U1", "U2"], "Ana"))
    assert re.findall(r"<@\w+>", shown) == ["<@U1>", "<@U2>"] and "[I take it] [Resolved]" in shown
    assert "No owner reads along" in told(opened_message("a" * 32, [], "Ana"))


def test_buttons_hold_ids_and_no_words() -> None:
    blocks, _ = draft_message("d1", "question", "text", "ben", "2 people", UNTIL)
    [actions] = [block for block in blocks if block["type"] == "actions"]
    assert [one["value"] for one in actions["elements"]] == ["d1", "d1"]
    assert resolution_view("a1")["private_metadata"] == "a1"
    check_blocks(resolution_view("a1")["blocks"])


@pytest.mark.parametrize(("chosen", "days"), [("90", 90), ("0", 0), ("100000", 0), ("-5", 0), (None, 0), (["9"], 0)])
def test_only_the_days_that_are_offered_count(chosen: Any, days: int) -> None:
    view = {"state": {"values": {"words": {"words": {"value": " Ask\x00 pay\ud800roll. "}},
                                 "keep": {"keep": {"selected_option": {"value": chosen}}}}}}
    assert resolution_of(view) == ("Ask payroll.", days)
    assert resolution_of({}) == ("", 0)


def test_the_home_tab_and_a_trace_hold_no_command_whoever_wrote_the_words() -> None:
    view = home_view({f"{HOSTILE}{n}": 3 for n in range(40)}, [(HOSTILE, "answered", HOSTILE * 20)] * 5)
    check_blocks(view["blocks"])
    answer = {"question": HOSTILE, "understood_as": HOSTILE, "action": "declined", "reason": HOSTILE,
              "verdict": {"kind": "incorrect", "reason": HOSTILE},
              "confidence": {"parts": {"evaluator": 0.1, "support": 0.5, "agreement": 0.5}},
              "timings_ms": {"retrieve": 3.0}, "model": HOSTILE, "index_version": 1}
    trace = trace_text(answer, [(HOSTILE, 0.5, True)] * 50)
    for text in (json.dumps(view, ensure_ascii=False), trace):
        assert not re.search(r"https?://\S", text.replace("\u2060", " "))
    assert not COMMANDS.search(trace.replace("\u2060", " ")) and len(trace) < 11_500
    assert "Passages looked at that you may read: 50" in trace
    assert "Evidence: no passage seems to hold the answer, " in trace and "50% of the answer's words" in trace
    assert "I cannot tell" in json.dumps(home_view(None, []))
