"""What operators look at, and what they do, of which each act is noted with who did it and when."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from consumers.worker.dead_letters import DeadLetters, DeadMessage
from services.documents.administration import Administration
from services.labeling.label_page import LabelPage
from services.operating.answer_outlines import answer_outlines
from services.operating.document_looks import DocumentLooks
from services.operating.intake import IntakeService
from services.operating.model_keeping import ModelKeeping
from services.operating.operators import RELEASE, NotedActs, Operators, replay_act, rollback_act
from services.operating.quality import QualityService
from vouch.errors import Guarded

_HIDE = "tick: Hide what fewer people may read now"
_RUNS, _INGESTS, _TRAININGS, _ACTS = 50, 20, 20, 50


@dataclass(frozen=True)
class OperatingService:
    """Implements the Administrators of `bots.http.operator_backend`. It does not ask who calls: `is_one` tells."""

    operators: Operators
    admin: Administration
    status_row: Callable[[], dict[str, Any]]
    dead_letters: DeadLetters
    clock: Callable[[], datetime]
    intake: IntakeService
    quality: QualityService
    models: ModelKeeping
    labels: LabelPage

    @cached_property
    def documents(self) -> DocumentLooks:
        return DocumentLooks(self.admin)

    def is_one(self, reader: str) -> bool:
        return self.operators.is_one(reader)

    def versions(self) -> list[dict[str, Any]]:
        return self.admin.versions.rows()

    def version(self, number: int) -> dict[str, Any]:
        return self.admin.versions.show(number)

    def hold(self) -> str | None:
        hold = self.admin.versions.hold()
        return hold["told"] if hold else None

    def difference(self, older: int, newer: int) -> dict[str, Any]:
        return self.admin.versions.diff(older, newer)

    def wider(self, number: int) -> list[str]:
        return [":".join(place) for place in self.admin.versions.wider(number, self.admin.permissions)]

    def roll_back(self, number: int, by: str, *, hide: bool) -> dict[str, Any]:
        """Raises what VersionService.rollback raises. What widened is never shown again from here."""
        with self._noted(by, rollback_act(number, hide=hide)):
            try:
                version, hidden = self.admin.versions.rollback(number, self.admin.permissions, hide=hide)
            except Guarded as error:            # its cure names options of the command
                raise Guarded(error.cause, cure=_HIDE) from error
        return {"version": version, "hidden": [":".join(place) for place in hidden]}

    def release(self, by: str) -> None:
        with self._noted(by, RELEASE):
            self.admin.versions.release()

    def status(self) -> dict[str, Any]:
        return self.status_row()

    def dead(self) -> list[dict[str, Any]]:
        return [_dead_row(message) for message in self.dead_letters.lying()]

    def dead_one(self, message: str) -> dict[str, Any]:
        (found,) = self.dead_letters.named([message])
        return _dead_row(found)

    def replay(self, message: str, by: str) -> None:
        with self._noted(by, replay_act(message)):
            for one in self.dead_letters.named([message]):
                self.dead_letters.replay(one)

    def runs(self) -> list[dict[str, Any]]:
        """Of all flows: those that go on, and the newest of those that ended, failed or were killed."""
        now = self.clock()
        return [{"at": run.begun_at.isoformat(), "kind": run.kind, "of": run.of, "state": run.state(now),
                 "seconds": round(run.seconds(now), 1), "error": run.error or "", "cause": run.cause or ""}
                for run in self.admin.ledger.flow_runs.list(_RUNS)]

    def ingests(self) -> list[dict[str, Any]]:
        """What the newest ingests published."""
        return [{"at": run.at.isoformat(), **run.report} for run in self.admin.ledger.runs.list(_INGESTS)]

    def trainings(self) -> list[dict[str, Any]]:
        """What trainings and calibrations left in the registry, the newest first."""
        return [{"at": row["made_at"], **row} for row in reversed(self.models.rows()[-_TRAININGS:])]

    def answers(self, before: str) -> dict[str, Any]:
        return answer_outlines(self.admin.ledger, before)

    def acts(self, before: int | None) -> dict[str, Any]:
        """The newest `acts`, or the newest of those noted before the act with that id, and whether there are `more`."""
        found = self.admin.ledger.acts.list(_ACTS + 1, before)
        rows = [{"id": act.id, "at": act.at.isoformat(), "by": act.by, "act": act.act,
                 "outcome": act.outcome or "not known"} for act in found[:_ACTS]]
        return {"acts": rows, "more": len(found) > _ACTS}

    @property
    def _noted(self) -> NotedActs:
        return NotedActs(self.admin.ledger, self.clock)


def _dead_row(message: DeadMessage) -> dict[str, Any]:
    """Without its contents, which are what somebody asked."""
    letter = message.letter
    return {"message": message.name, "topic": message.origin, "error": letter.error if letter else "",
            "attempts": letter.attempts if letter else None, "last": letter.last_at if letter else ""}
