"""How things stand with the machines of the settings, and what lets others see a process."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache, partial
from pathlib import Path

from consumers.rule_failures import probe_rules
from consumers.shown import shown
from consumers.standing import Probe, Standing
from consumers.vitals import Vitals
from consumers.wiring.clock import now
from consumers.wiring.index import open_index
from consumers.wiring.log import GROUPS, build_log
from consumers.wiring.surfaces import build_callback, served
from indexers.lexical import LexicalEngine
from indexers.reader import LiveIndex
from vouch.access import Permissions
from vouch.adapters.access_watch import WatchedPermissions
from vouch.adapters.disk import probe_disk
from vouch.adapters.ledger import Ledger, open_ledger
from vouch.adapters.reach import reach
from vouch.ports.permission_store import PermissionStore
from vouch.settings import OpenAIWriter as OpenAISettings
from vouch.settings import Settings


def build_standing(settings: Settings, home: Path, *, asking: bool = True) -> Standing:
    """For a process that only looks: what cannot be opened is said to be down.

    Unless it is `asking`, it looks at ledger and log alone, and opens no index.
    """

    @cache
    def ledger() -> Ledger:
        return open_ledger(settings.ledger.url or home / "ledger.sqlite")

    @cache
    def watched() -> WatchedPermissions:
        return WatchedPermissions(ledger().sources, ledger().access, watch=settings.access.watch)

    @cache
    def index() -> tuple[LiveIndex, LexicalEngine]:
        return open_index(settings, home, ledger(), watched())

    probes = build_probes(settings, home, Later(watched), index) if asking else {}
    return Standing(ledger, cache(partial(build_log, settings, home)), GROUPS, probes, now, served(settings),
                    (lambda: index()[0].version().manifest.counts.quarantined) if asking else None)


class Later:
    """The permissions of a store that is opened when they are asked for."""

    def __init__(self, store: Callable[[], WatchedPermissions]) -> None:
        self._store = store

    def permissions(self) -> Permissions:
        return self._store().permissions()


def build_probes(
    settings: Settings, home: Path, permissions: PermissionStore,
    index: Callable[[], tuple[LiveIndex, LexicalEngine]],
) -> dict[str, Probe]:  # fmt: skip
    """The machines of the settings that can be asked how they are, besides ledger and log."""

    def ask_index() -> str:
        live, engine = index()
        return f"version {live.version().number}, {engine.check()}"

    probes: dict[str, Probe] = {
        "index": ask_index, "access rules": partial(probe_rules, permissions), "disk": partial(probe_disk, home),
    }  # fmt: skip
    callback = build_callback(settings)
    if callback is not None:
        probes[f"surface {settings.callback.surface}"] = callback.probe
    if isinstance(settings.writer, OpenAISettings):
        probes["model"] = partial(reach, settings.writer.base_url)
    return probes


def watch_shown(settings: Settings, home: Path, vitals: Vitals) -> AbstractContextManager[None]:
    """In it a process that announces changes is seen by others."""
    return shown(home, "watch", settings.monitor.port, vitals, build_standing(settings, home, asking=False))
