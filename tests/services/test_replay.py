"""The recorded steps of an answer, run again: the same where nothing changed, and what differs where something did."""

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from homes.small_world import EVERYBODY, NOBODY, NOW, SmallWorld, handbook, passage, small_world

from cli.asking.trace import differs, tell_replay
from services.answering.replay import ReplayService
from vouch.correction.loop import answer_question
from vouch.correction.planning.limits import Limits
from vouch.correction.planning.order import written
from vouch.correction.steps.trajectory import TWICE
from vouch.errors import Denied, Usage
from vouch.ports.language import Situation

CHAIN = "Who leads the team that owns the payment gateway?"
GATEWAY = passage("The payment gateway is owned by the Falcon team.", chunk_id="gateway", path="gateway.md",
                  title="Payment gateway", section=("Payment gateway",))
FALCON = passage("Falcon is on call from Monday to Friday. Its lead is Mara Lind.", chunk_id="falcon",
                 path="falcon.md", title="Falcon", section=("Falcon",))
OTHER = replace(FALCON, chunk_id="falcon2", text="Falcon is on call on Sunday. Its lead is Jo Berg.")


class Says:
    name = "says"

    def __init__(self, *orders: str) -> None:
        self._orders = list(orders)

    def next_step(self, situation: Situation, problem: str = "") -> str:
        return self._orders.pop(0) if self._orders else written(None, {}, "done")


def replayed(
    now: SmallWorld, before: SmallWorld | None = None, steps: int = 4, current: Any = None, purged: Sequence[int] = (),
    partial: bool = False, refused: Sequence[int] = (), **asked: str,
) -> dict[str, Any]:
    """What was recorded in the world of `before`, in the one of `now`."""
    first = before or now
    outcome = answer_question(replace(first.ask(CHAIN), steps=steps, **asked), first.components)
    for number in purged:
        outcome.steps[number]["args"] = {"purged": True}
    for number in refused:
        outcome.steps[number].update({"args": {}, "error": TWICE, "found": []})
    body = outcome.answer.model_dump(mode="json")
    answers = SimpleNamespace(get=lambda digits: body, steps=lambda named: [dict(one) for one in outcome.steps])
    permissions = SimpleNamespace(permissions=lambda: SimpleNamespace(
        directory=SimpleNamespace(audience=lambda readers, at: EVERYBODY)))
    trace = {"id": body["id"]} | ({"partial": True} if partial else {})
    traces: Any = SimpleNamespace(trace_of=lambda digits, readers: trace)
    ledger: Any = SimpleNamespace(answers=answers)
    made: Any = permissions
    service = ReplayService(traces, ledger, made, current or now.index, now.index, lambda: now.components, lambda: NOW)
    return service.replay(body["id"], ["public"])


def world(*rows: Any, **changes: Any) -> SmallWorld:
    return small_world([*(rows or (GATEWAY, FALCON)), *handbook()], **changes)


def test_nothing_differs_where_nothing_changed(capsys: pytest.CaptureFixture[str]) -> None:
    row = replayed(world())
    assert not differs(row) and [one["tool"] for one in row["steps"]] == ["rag", "rag"]
    assert all(one["same"] and not one["new"] and not one["gone"] for one in row["steps"])
    tell_replay(row)
    assert "no difference" in capsys.readouterr().out


@pytest.mark.parametrize("by", ["some-model", "rules, with titles"])
def test_a_follow_up_is_replayed_as_it_was_understood(by: str) -> None:
    two = f"{CHAIN[:-1]}, and how many weeks of paid leave do parents get?"
    row = replayed(world(), understood_as=f"{CHAIN} And who pays?", searched_as=two, understood_by=by)
    assert not differs(row) and row["verdict"]["before"] == row["verdict"]["now"]


@pytest.mark.parametrize("ends", ["final", "stop"])
def test_a_planner_that_ended_it_ends_it_again(ends: str) -> None:
    orders = written("rag", {"query": "badges"}, ""), written(None, {}, "why", final=ends == "final")
    row = replayed(world(), world(planner=Says(*orders)))
    assert row["stopped"] == {"before": ends, "now": ends} and not differs(row)


@pytest.mark.parametrize("today", [Limits(steps=1), Limits(steps=0), Limits(searches=1)])
def test_fewer_steps_that_are_allowed_today_leave_none_out(today: Limits) -> None:
    row = replayed(world(steps=today), world())
    assert len(row["steps"]) == 2 and all(one["taken"] for one in row["steps"]) and not differs(row)


def test_steps_that_used_up_what_was_allowed_do_so_again() -> None:
    row = replayed(world(), world(steps=Limits(steps=1)))
    assert row["stopped"] == {"before": "budget", "now": "budget"} and not differs(row)


def test_without_all_that_the_answer_was_made_from_nothing_runs_again() -> None:
    with pytest.raises(Denied, match="may not read it any more"):
        replayed(world(), partial=True)


def test_what_another_version_holds_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    row = replayed(world(GATEWAY, OTHER), world())
    assert differs(row) and "falcon2" in row["steps"][1]["new"]
    tell_replay(row)
    assert "step 2: new falcon2" in capsys.readouterr().out


def test_what_the_readers_may_not_read_any_more_is_left_out_and_not_counted() -> None:
    shut = world()
    shut.index.labels["falcon"] = NOBODY
    row = replayed(shut, world())
    assert "falcon" not in str([one["gone"] + one["new"] + one["same"] for one in row["steps"]])


def test_rights_of_the_version_that_is_served_and_of_the_one_that_is_searched_count() -> None:
    """What its readers may read in either is told; a chunk that the searched version lacks is gone from it."""
    former, served = world(GATEWAY), world()
    row = replayed(former, served, current=served.index)
    assert "falcon" in row["steps"][1]["gone"]
    served.index.labels["falcon"] = NOBODY
    assert "falcon" not in row_ids(replayed(former, world(), current=served.index))
    assert "falcon2" in row_ids(replayed(world(GATEWAY, OTHER), world(GATEWAY), current=former.index))


def row_ids(row: dict[str, Any]) -> set[str]:
    return {one for step in row["steps"] for kind in ("same", "gone", "new") for one in step[kind]}


def test_openings_and_what_narrowed_a_search_run_again() -> None:
    orders = [written("rag", {"query": "on call", "path": "falcon.md"}, ""), written("open", {"chunk": "gateway"}, ""),
              written("open", {"document": "handbook:leave.md", "section": "Sick leave"}, "")]
    row = replayed(world(), world(planner=Says(*orders)))
    assert [one["tool"] for one in row["steps"]] == ["rag", "open", "open"]
    assert not any(one["gone"] or one["new"] for one in row["steps"]) and row["steps"][0]["same"] == ["falcon"]


def test_no_language_model_and_no_web_is_asked() -> None:
    class Asked:
        fingerprint = name = "asked"

        def __getattr__(self, name: str) -> Any:
            raise AssertionError(name)

    asked: Any = Asked()
    assert replayed(world(writer=asked, planner=asked, outside=asked), world())["steps"]


def test_an_answer_without_steps_cannot_be_replayed() -> None:
    with pytest.raises(Usage, match="no further steps"):
        replayed(world(), steps=0)


def test_orders_that_were_refused_and_kept_as_steps_once_are_told_as_they_were() -> None:
    row = replayed(world(), refused=(0,))
    assert [one["error"]["now"] for one in row["steps"]] == ["the same call twice", ""]
    assert not any(one["gone"] or one["new"] for one in row["steps"]) and not differs(row)


def test_less_time_than_was_allowed_then_takes_nothing_from_it() -> None:
    assert not differs(replayed(world(steps=Limits(seconds=0.0)), world()))


def test_a_step_that_a_purge_took_from_is_told_and_the_others_run_again(capsys: pytest.CaptureFixture[str]) -> None:
    orders = [written("open", {"chunk": "gateway"}, ""), written("rag", {"query": "x", "path": "falcon.md"}, ""),
              written("rag", {"query": "on call Monday"}, "")]
    row = replayed(world(), world(planner=Says(*orders)), purged=(0, 1))
    assert [one["taken"] for one in row["steps"]] == [False, False, True] and row["steps"][2]["same"]
    assert [one["error"]["now"] for one in row["steps"]] == ["cannot be run again: purged"] * 2 + [""]
    assert not any(one["gone"] or one["new"] for one in row["steps"]) and differs(row)
    tell_replay(row)
    told = capsys.readouterr().out
    assert "purged" in told and "not taken" not in told and "no difference" not in told
