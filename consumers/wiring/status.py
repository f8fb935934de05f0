"""How things stand with the machines of the settings, and what lets others see a process: its state and its spans."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from composition.language_model import try_model
from composition.log import GROUPS, open_log
from composition.storage import Storage, open_home_and_ledger, open_live_index, open_permissions, open_storage
from consumers.monitoring.exposition import shown
from consumers.monitoring.status import Probe, StatusProbe
from consumers.monitoring.telemetry import Telemetry
from consumers.monitoring.watches import probe_rules
from consumers.process import now
from consumers.wiring.surfaces import served, surface_probes
from indexers.live_index import LiveIndex
from vouch.access import Permissions
from vouch.adapters.access.watched import WatchedPermissions
from vouch.adapters.ledger import Ledger
from vouch.adapters.observability.health import probe_disk
from vouch.extras import require
from vouch.ports.stores import PermissionStore
from vouch.settings import Settings
from vouch.settings.models import OpenAIWriter as OpenAISettings

if TYPE_CHECKING:
    from vouch.adapters.observability.otlp import Traces


def build_standing(settings: Settings, home: Path, *, asking: bool = True) -> StatusProbe:
    """For a process that only looks: what cannot be opened is said to be down.

    Unless it is `asking`, it looks at ledger and log alone, and opens no index.
    """

    @cache
    def ledger() -> Ledger:
        return open_home_and_ledger(settings)[1]

    @cache
    def permissions() -> WatchedPermissions:
        return open_permissions(settings, ledger())

    @cache
    def storage() -> Storage:
        return open_storage(settings)

    @cache
    def index() -> LiveIndex:
        return open_live_index(settings, storage())

    def told() -> str:
        return f"version {index().version().number}, {storage().engine.check()}"

    probes = build_probes(settings, home, LazyProbe(permissions), told) if asking else {}
    quarantined = (lambda: index().version().manifest.counts.quarantined) if asking else None
    log = cache(partial(open_log, settings, home))
    return StatusProbe(ledger, log, GROUPS, probes, now, served(settings), quarantined)


class LazyProbe:
    """The permissions in force, of a store that is opened when they are asked for."""

    def __init__(self, store: Callable[[], WatchedPermissions]) -> None:
        self._store = store

    def permissions(self) -> Permissions:
        return self._store().permissions()


def build_probes(settings: Settings, home: Path, permissions: PermissionStore, index: Probe) -> dict[str, Probe]:
    """The machines of the settings that can be asked how they are, besides ledger and log."""
    probes: dict[str, Probe] = {
        "index": index, "access rules": partial(probe_rules, permissions), "disk": partial(probe_disk, home),
    }  # fmt: skip
    probes |= surface_probes(settings)
    if isinstance(settings.writer, OpenAISettings):
        probes["model"] = partial(try_model, settings)
    return probes


def watch_shown(settings: Settings, home: Path, telemetry: Telemetry) -> AbstractContextManager[None]:
    """In it a process that announces changes is seen by others."""
    return shown(home, "watch", settings.monitor.port, telemetry, build_standing(settings, home, asking=False))


def build_traces(settings: Settings, role: str) -> "Traces | None":
    """None where no collector is named: nothing of OpenTelemetry is loaded then."""
    if not settings.tracing.endpoint:
        return None
    require("tracing", "VOUCH_TRACING__ENDPOINT")
    from vouch.adapters.observability.otlp import Traces

    return Traces(settings.tracing.endpoint, f"vouch-{role}")
