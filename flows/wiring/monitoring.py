"""Builds what looks after a home: how long things are kept, gaps, owners, drift, and the guard of models."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from composition import models
from composition.learning import open_drift
from composition.model_registry.registered import Fitting
from composition.model_registry.serving import SHIPPED_AGENT
from composition.owners import DocumentOwners, owner_tags, people_of
from composition.storage import Storage, open_home_and_ledger, open_live_index, open_permissions, open_storage
from flows.monitoring.digest import OwnerLists
from flows.monitoring.gap_run import GapComponents
from flows.monitoring.model_guard import GuardComponents, GuardLimits
from flows.runs.retention import Retention
from flows.shared.shadows import Shadows
from indexers.live_index import LiveIndex
from vouch.access import Directory
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.clustering import density_clusters
from vouch.adapters.ledger import Ledger
from vouch.learning.drift.drift_look import DriftLook
from vouch.learning.gaps.gap import GapLimits
from vouch.learning.models.evaluator_model import load_evaluator
from vouch.retrieval.fusion import ReciprocalRanks
from vouch.settings import Settings, read_settings


def build_retention(settings: Settings | None = None) -> Retention:
    """How long the settings say that things are kept."""
    settings = settings or read_settings()
    kept = settings.retention
    answers = timedelta(days=kept.answers_days)
    reports = max(timedelta(0), answers - timedelta(weeks=settings.gaps.weeks))     # of questions that old already
    return Retention(answers, timedelta(days=kept.log_days), timedelta(days=kept.inbox_days), reports,
                     timedelta(days=kept.evaluations_days))


def build_gap_components(settings: Settings | None = None) -> GapComponents:
    """What finds gaps, on the settings' home. No model is loaded."""
    settings = settings or read_settings()
    storage = open_storage(settings)
    return gap_components(settings, storage, open_live_index(settings, storage))


def gap_components(settings: Settings, storage: Storage, index: LiveIndex) -> GapComponents:
    """The same over what is open already."""
    gaps = settings.gaps
    return GapComponents(
        home=storage.home,
        ledger=storage.ledger,
        index=index,
        permissions=storage.permissions,
        encoder=models.encoder(settings),
        analyser=SnowballAnalyser(),
        cluster=density_clusters,
        limits=GapLimits(gaps.fewest_askers, gaps.fewest_questions, gaps.alike),
        weeks=gaps.weeks,
        low_confidence=gaps.low_confidence,
        owners=DocumentOwners(index, storage.permissions),
        old_days=gaps.old_days,
    )


def build_owners(settings: Settings | None = None) -> OwnerLists:
    """Who gets the daily digest: people of the settings and, of groups, those whom the directory has in them."""
    settings = settings or read_settings()
    tags = owner_tags(settings)

    def people(directory: Directory, now: datetime) -> list[str]:
        named = (tag if tag.startswith("user:") else people_of(directory, tag, now) for tag in tags)
        return list(dict.fromkeys(one for part in named for one in ([part] if isinstance(part, str) else part)))

    return people


def build_drift(ledger: Ledger, settings: Settings | None = None) -> DriftLook:
    """What compares the answers of now with those of the reference."""
    return open_drift(settings or read_settings(), ledger)


def build_guard(settings: Settings | None = None) -> GuardComponents:
    """What looks whether another model than one that comes with vouch gives way to the former."""
    settings = settings or read_settings()
    _, ledger = open_home_and_ledger(settings)
    guard = settings.guard
    limits = GuardLimits(
        guard.enabled, guard.false_alarms, guard.tolerance, guard.baseline, guard.fewest, guard.per_person
    )
    shipped = {"fusion": ReciprocalRanks().name, "evaluator": load_evaluator().fingerprint, "agent": SHIPPED_AGENT.name}
    permissions = open_permissions(settings, ledger)

    def owners(now: datetime) -> Sequence[str]:
        return build_owners(settings)(permissions.permissions().directory, now)

    shadows = Shadows(ledger, settings.shadow.answers, settings.shadow.hours)
    return GuardComponents(ledger, shadows, shipped, limits, Fitting(settings, ledger.models), owners)
