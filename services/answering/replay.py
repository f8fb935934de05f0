"""Runs the recorded steps of an answer again and tells what comes out differently. Nothing of it is recorded."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from services.answering.traces import TraceService
from vouch.access import Audience
from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.removal.steps import PURGED
from vouch.answering.spending import spent_on_answer
from vouch.answering.standing import CHANGED
from vouch.correction.components import Components
from vouch.correction.loop import answer_question
from vouch.correction.outcome import Outcome
from vouch.correction.planning.order import written
from vouch.correction.planning.planners import MOST_STEPS, ReplayPlanner
from vouch.correction.steps.trajectory import NOT_FOUND, TWICE
from vouch.errors import Denied, Usage
from vouch.filters import EVERYTHING, Filters
from vouch.ports.index import Index
from vouch.ports.stores import PermissionStore
from vouch.values.question import Question

LOST = "cannot be run again: purged"
_SECONDS = 30.0                         # of each step, at least: it ran within the settings of then
_NARROWS = ("source", "path", "after")


@dataclass(frozen=True)
class ReplayService:
    """`current` is the version that readers are served, `index` the one that is searched; `components` work on it."""

    traces: TraceService
    ledger: Ledger
    permissions: PermissionStore
    current: Index
    index: Index
    components: Callable[[], Components]
    clock: Callable[[], datetime]

    def replay(self, digits: str, readers: Sequence[str]) -> dict[str, Any]:
        """The recorded steps run again, for readers of whom one asked and who all may still read what the answer was
        made from.

        The first search runs again, then the recorded orders with the models that serve now. No language model and no
        web is asked. Raises what `TraceService.trace_of` raises, Denied for a partial trace too, and Usage for an
        answer without such steps.
        """
        trace = self.traces.trace_of(digits, readers)
        if trace.get("partial"):
            raise Denied(CHANGED, cure="leave out --replay, or ask again")
        body = self.ledger.answers.get(trace["id"])
        recorded = self.ledger.answers.steps(trace["id"])
        inside = [(step, row) for step, row in zip(body.get("steps", ()), recorded, strict=True)
                  if step["tool"] != "web"]
        if not inside:
            raise Usage("no further steps were taken in the documents for this answer",
                        cure="ask it again with --steps")
        audience = self.permissions.permissions().directory.audience(list(readers), self.clock())
        outcome = self._again(body, audience, [_order(step, row["args"]) for step, row in inside if _runs(row)])
        return self._compared(body, [row for _, row in inside], outcome, audience)

    def _again(self, body: Mapping[str, Any], audience: Audience, orders: Sequence[str]) -> Outcome:
        c = self.components()
        stopped = body.get("stopped", "")
        planner, ended = ReplayPlanner(orders, final=stopped == "final"), stopped in ("final", "stop")
        actor = replace(c.actor, steps=MOST_STEPS)      # it, and the settings, may allow fewer than are recorded
        limits = replace(c.steps, steps=len(orders) + ended, searches=max(c.steps.searches, len(orders)),
                         seconds=max(c.steps.seconds, _SECONDS * len(orders)))
        made = replace(c, planner=planner, actor=actor, steps=limits, writer=c.fallback, outside=None, swap_rate=0.0)
        filters = Filters.model_validate(body["filters"]) if body.get("filters") else EVERYTHING
        question = Question(
            body["question_id"], body["question"], audience, self.clock(), outside=False,
            understood_as=body.get("understood_as", ""), searched_as=body.get("searched_as", ""),
            understood_by=body.get("understood_by", ""), filters=filters,
            steps=len(orders) + ended,      # the planner may say again that it ends
        )
        with spent_on_answer(allowed=False):
            return answer_question(question, made)

    def _compared(
        self, body: Mapping[str, Any], recorded: Sequence[Mapping[str, Any]], outcome: Outcome, audience: Audience
    ) -> dict[str, Any]:
        ids = {chunk_id for row in [*recorded, *outcome.steps] for chunk_id, _ in row["found"]}
        seen = self.current.visible(audience, sorted(ids)) | self.index.visible(audience, sorted(ids))
        again = iter(outcome.steps)
        verdict = outcome.answer.verdict
        return {
            "id": body["id"], "index_version": _both(body["index_version"], outcome.answer.index_version),
            "verdict": _both((body["verdict"] or {}).get("kind", ""), verdict.kind if verdict else ""),
            "stopped": _both(body.get("stopped", ""), outcome.answer.stopped),
            "steps": [
                _step(step, row, next(again, None) if _runs(row) else None, seen)
                for step, row in zip(_inside(body), recorded, strict=True)
            ],
        }  # fmt: skip


def _inside(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [one for one in body.get("steps", ()) if one["tool"] != "web"]


def _is_lost(row: Mapping[str, Any]) -> bool:
    """A purge took out what the order named."""
    return bool(row["args"].get(PURGED))


def _is_refused(row: Mapping[str, Any]) -> bool:
    """No tool was asked, as once was kept as a step."""
    return row["error"] in (TWICE, NOT_FOUND)


def _runs(row: Mapping[str, Any]) -> bool:
    return not (_is_lost(row) or _is_refused(row))


def _order(told: Mapping[str, Any], args: Mapping[str, Any]) -> str:
    """The ledger has what was opened, and the answer the words."""
    if told["tool"] == "open":
        named = {name: args[name] for name in ("chunk", "document") if name in args}
        return written("open", named | ({"section": told["section"]} if told.get("section") else {}), "")
    narrowed = {name: told[name] for name in _NARROWS if told.get(name)}
    return written("rag", {"query": told["query"], **narrowed}, "")


def _step(
    told: Mapping[str, Any], before: Mapping[str, Any], now: Mapping[str, Any] | None, seen: Collection[str]
) -> dict[str, Any]:
    """Ids of chunks that the readers may read; the others are left out and not counted. `taken`: it ran again.

    One that a purge took something from is told as such, and did not run.
    """
    found, again = ([one for one, _ in row["found"] if one in seen] if row else [] for row in (before, now))
    error = now["error"] if now else ""
    if _is_lost(before):                # it has nothing to be compared with
        found, error = [], LOST
    elif not _runs(before):
        error = before["error"]
    return {
        "number": before["number"], "tool": told["tool"], "for": told.get("query") or told.get("opened", ""),
        "taken": now is not None or _is_refused(before), "error": _both(before["error"], error),
        "same": [one for one in found if one in again], "gone": [one for one in found if one not in again],
        "new": [one for one in again if one not in found],
    }  # fmt: skip


def _both(before: Any, now: Any) -> dict[str, Any]:
    return {"before": before, "now": now}
