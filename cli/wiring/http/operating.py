"""What operators of the HTTP service look at and do."""

from contextlib import nullcontext, suppress
from functools import partial

from bots.http.identity.tokens import chosen
from cli.wiring.http.identities import warn_of_names
from consumers.process import now
from consumers.wiring.components import WorkerComponents
from consumers.worker.dead_letters import DeadLetters
from flows.wiring.monitoring import gap_components
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
from vouch.access import parse_tag
from vouch.adapters.observability.processes import running
from vouch.errors import Unavailable
from vouch.settings import Settings


def open_operating(
    settings: Settings, parts: WorkerComponents, library: SearchService, *, works: bool
) -> OperatingService:
    """`works`: this process holds models, and so can find gaps, and passages to judge."""
    chosen = settings.labels
    labeling = Labeling(library, parts.ledger, now, chosen.judged, chosen.pool) if works else None
    home, ledger, http = parts.storage.home, parts.ledger, settings.http
    admin, noted = Administration(home, ledger, parts.storage.index, parts.watched), NotedActs(parts.ledger, now)
    with suppress(Unavailable):                 # what cannot be looked at now keeps nobody from serving
        warn_of_names(http, parts.watched.permissions().directory, {row.name for row in ledger.sources.list()})
    operators, look = Operators(parts.watched, http.operators), parts.status().look
    return OperatingService(
        operators=operators, admin=admin,
        status_row=lambda: status_row(look(), running(home)),
        dead_letters=DeadLetters(parts.log, parts.producer, ledger.answers.answered), clock=now,
        intake=_intake(parts, settings, admin, noted, operators),
        quality=QualityService(
            home, ledger, parts.drift,
            partial(_gaps, settings, parts) if works else None, DocumentLooks(admin).readable, now,
        ),
        models=ModelKeeping(model_service(settings, home, ledger), noted), labels=LabelPage(labeling, now),
    )


def _intake(
    parts: WorkerComponents, settings: Settings, admin: Administration, noted: NotedActs, operators: Operators
) -> IntakeService:
    """Others see this process already, so that nothing more shows it while it announces."""
    http = settings.http
    announcer = Announcer(parts.ledger, parts.producer, now, parts.telemetry, nullcontext)
    announcers = Announcers(parts.watched, [parse_tag(tag) for tag in chosen(http.announcers)])
    return IntakeService(
        parts.ledger, announcer, noted, operators, announcers, admin.access_report, http.uploads,
        min(http.upload_bytes, settings.ingest.max_document_bytes),
    )


def _gaps(settings: Settings, parts: WorkerComponents) -> GapService:
    return GapService(gap_components(settings, parts.storage, parts.index), now)
