"""An answer on the terminal: what a person needs, and the rest on request."""

from datetime import UTC, datetime
from typing import Any

import pytest
from homes.small_world import passage, small_world

from bots.steps_line import steps_line
from bots.terminal import render
from bots.wrapping import cells
from vouch.answering.answer import ended_early
from vouch.correction.loop import answer_question

HASH = "0123456789abcdef0123456789abcdef"


def asked(text: str, **values: Any) -> dict[str, Any]:
    passages = [passage("Parents get 12 weeks of paid leave.", chunk_id="c" * 32, **values)]
    world = small_world(passages)
    return answer_question(world.ask(text), world.components).answer.model_dump(mode="json")


def shown(answer: dict[str, Any], width: int = 100, *, verbose: bool = False) -> str:
    return "\n".join(line.text for line in render(answer, width, verbose=verbose))


QUESTION = "How many weeks of paid leave do parents get?"


def test_ids_are_shown_on_request_only() -> None:
    answer = asked(QUESTION)
    short, long = shown(answer), shown(answer, verbose=True)
    for noise in ("c" * 32, answer["id"], "index version", "extractive"):
        assert noise not in short and noise in long
    assert short.splitlines()[-1].startswith("answered with caution, confidence low (")


@pytest.mark.parametrize(("values", "told"), [
    ({"path": "leave.md", "first_line": 7}, "[1] handbook:leave.md, line 7  (A)"),
    ({"path": "leave.html", "section": ("Leave", "Parents")}, "[1] handbook:leave.html  (Leave > Parents)"),
    ({"path": "leave.pdf", "page": 2, "section": (), "title": ""}, "[1] handbook:leave.pdf, page 2"),
    ({"path": f"Leave {HASH}.md"}, "[1] handbook:Leave.md, line 1  (A)"),
])
def test_a_citation_names_what_can_be_found(values: dict[str, Any], told: str) -> None:
    assert told in shown(asked(QUESTION, **values)).splitlines()
    assert f"handbook:{values['path']}" in shown(asked(QUESTION, **values), verbose=True)


def test_a_citation_says_how_old_its_document_is() -> None:
    answer = asked(QUESTION, changed_at=datetime(2026, 1, 2, 23, 30, tzinfo=UTC))
    assert answer["citations"][0]["changed_at"] == "2026-01-02T23:30:00Z"
    told = [line.text for line in render(answer, 100, now=datetime(2026, 3, 10, tzinfo=UTC))]
    assert "    changed 2026-01-02, 2 months ago" in told
    unknown = asked(QUESTION)
    assert "changed_at" not in unknown["citations"][0] and "changed" not in shown(unknown)


@pytest.mark.parametrize(("value", "level", "told"), [
    (0.396, "low", "0.39"), (0.3999, "low", "0.39"), (0.29, "low", "0.29"),
    (0.4, "medium", "0.40"), (0.65, "high", "0.65"),
])
def test_the_number_never_contradicts_the_level(value: float, level: str, told: str) -> None:
    answer = asked(QUESTION)
    answer["confidence"] |= {"value": value, "level": level}
    assert f"confidence {level} ({told})" in shown(answer)


def test_a_decline_gives_its_reason() -> None:
    assert "declined: no passage is likely enough to hold the answer" in shown(asked("Who won the chess cup?"))


def test_paragraphs_stay_apart() -> None:
    answer = asked(QUESTION) | {"answer": "One:\n- a [1]\n\nTwo:\n- b [2]"}
    assert shown(answer).startswith("One:\n- a [1]\n\nTwo:\n- b [2]\n")


@pytest.mark.parametrize("width", [30, 60, 80, 200])
def test_lines_are_as_wide_as_the_terminal_and_no_wider(width: int) -> None:
    answer = asked(QUESTION, url="")
    words = " ".join(["paid leave"] * 60)
    answer |= {"answer": f"{words} [1]\n- {words}", "warnings": [words], "reason": words, "action": "declined"}
    answer["citations"][0] |= {"quote": words, "section": [words]}
    lines = shown(answer, width).split("\n")
    assert max(map(cells, lines)) in range(width - 10, width + 1)
    assert sum(len(line) > width - 15 for line in lines) > 10


def test_what_a_person_copies_is_never_parted() -> None:
    command = "kubectl --namespace=a-very-long-name rollout-restart"
    address = "https://acme.test/" + "a-long-path/" * 8
    lines = shown(asked(QUESTION) | {"answer": f"Run {address} or:\n```sh\n{command}\n```\n[1]"}, 40).split("\n")
    assert address in lines and command in lines


def test_doubt_and_places_stand_out() -> None:
    tones = {line.text: line.tone for line in render(asked(QUESTION), 100)}
    assert tones["[1] handbook:a.md, line 1  (A)"] == "strong"
    assert {tone for text, tone in tones.items() if text.startswith("answered with caution")} == {"warning"}
    declined = render(asked("Who won the chess cup?"), 100)
    assert declined[-1].tone == "warning"
    doubted = asked(QUESTION) | {"answer": "I found no clear answer:\n\nA:\n- b [1]", "action": "answered_with_caution"}
    assert [line.tone for line in render(doubted, 100)][:4] == ["warning", "", "", ""]


@pytest.mark.parametrize(("taken", "stopped", "told"), [
    (2, "covered", "2 further steps: there is evidence for all that was asked"),
    (1, "stop", "1 further step: there was nothing more to try"),
    (1, "final", "1 further step: the planner had enough"),
    (8, "budget", "8 further steps: that is as far as it may go"), (0, "error", "no further step: something failed"),
])
def test_steps_are_told_in_one_line(taken: int, stopped: str, told: str) -> None:
    step = {"tool": "rag", "query": "Falcon", "by": "rules", "thought": "", "passages": [], "error": "", "ms": 1.0}
    lines = shown(asked(QUESTION) | {"steps": [step] * taken, "stopped": stopped, "action": "answered"}).splitlines()
    assert told in lines and not any("further step" in line for line in shown(asked(QUESTION)).splitlines())


def test_an_answer_with_caution_claims_no_evidence_for_all() -> None:
    answer = asked(QUESTION) | {"steps": [{}], "stopped": "covered", "action": "answered_with_caution"}
    assert steps_line(answer) == "1 further step: for each part there is a passage that may answer it"


@pytest.mark.parametrize("stopped", ["budget", "error"])
def test_that_steps_ended_early_is_told_once(stopped: str) -> None:
    ended = ended_early(stopped, 0)
    answer = asked(QUESTION) | {"steps": [], "stopped": stopped, "warnings": [ended]}
    lines = shown(answer).splitlines()
    assert f"note: {ended}" in lines and not any(line.startswith("no further step") for line in lines)
    assert steps_line(answer, [ended]) == "" and steps_line(answer).startswith("no further step: ")
