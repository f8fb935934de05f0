"""What operators look at and do, on a home of a test."""

from contextlib import nullcontext
from typing import Any

from homes.living_home import ANALYSER, LivingHome

from composition.log import GROUPS
from composition.owners import DocumentOwners
from consumers.monitoring.status import StatusProbe
from consumers.monitoring.telemetry import Telemetry
from consumers.monitoring.watches import DriftWatch
from consumers.worker.dead_letters import DeadLetters
from flows.monitoring.gap_run import GapComponents
from services.answering.search import SearchService
from services.documents.administration import Administration
from services.documents.announcing import Announcer
from services.labeling.gaps import GapService
from services.labeling.judging import Labeling
from services.labeling.label_page import LabelPage
from services.operating.document_looks import DocumentLooks
from services.operating.intake import IntakeService
from services.operating.model_keeping import ModelKeeping
from services.operating.operator_service import OperatingService
from services.operating.operators import Announcers, NotedActs, Operators
from services.operating.quality import QualityService
from services.operating.status import status_row
from services.wiring.models import model_service
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.learning.drift.drift_look import DriftLook
from vouch.learning.gaps.gap import GapLimits
from vouch.messages import HTTP
from vouch.settings import Settings


def operating(
    home: LivingHome, log: EmbeddedLog, *, uploads: str = "docs", announcers: tuple[str, ...] = (),
    most_bytes: int = 20_000, finds_gaps: bool = True, library: SearchService | None = None,
) -> OperatingService:  # fmt: skip
    """For the people of `group:ops`."""
    ledger, clock, nothing = home.bench.ledger, lambda: home.now, nullcontext()
    probe = StatusProbe(lambda: ledger, lambda: log, GROUPS, {}, clock, {HTTP})
    admin, noted = Administration(home.bench.home, ledger, home.store, home.watched), NotedActs(ledger, clock)
    operators = Operators(home.watched, "group:ops")
    announcer = Announcer(ledger, log.producer(), clock, Telemetry(), lambda: nothing)
    return OperatingService(
        operators=operators, admin=admin, status_row=lambda: status_row(probe.look(), []),
        dead_letters=DeadLetters(log, log.producer(), ledger.answers.answered), clock=clock,
        intake=IntakeService(ledger, announcer, noted, operators, Announcers(home.watched, announcers),
                             admin.access_report, uploads, most_bytes),
        quality=QualityService(
            home.bench.home, ledger, DriftWatch(DriftLook(ledger.past_answers, ledger.measures), clock),
            (lambda: GapService(gap_parts(home), clock)) if finds_gaps else None, DocumentLooks(admin).readable, clock,
        ),
        models=ModelKeeping(model_service(Settings(), home.bench.home, ledger), noted),
        labels=LabelPage(Labeling(library, ledger, clock, 1.0, 3) if library else None, clock),
    )


def gap_parts(home: LivingHome) -> GapComponents:
    def no_clusters(vectors: Any, smallest: int) -> list[int]:
        return [-1] * len(vectors)

    return GapComponents(
        home.bench.home, home.bench.ledger, home.index, home.watched, lambda: home.bench.encoder, ANALYSER, no_clusters,
        GapLimits(alike=0.3), weeks=4, low_confidence=0.4, owners=DocumentOwners(home.index, home.watched),
    )
