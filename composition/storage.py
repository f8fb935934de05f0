"""The home, its ledger, the permissions in force and the stored versions of the index."""

from dataclasses import dataclass
from pathlib import Path

from composition.engine import lexical_engine
from composition.ledger import open_home_and_ledger, open_permissions
from indexers.publishing.index_store import IndexStore, Keep
from indexers.search.embedded import EmbeddedEngine
from indexers.search.engines import LexicalEngine
from vouch.adapters.access.watched import WatchedPermissions
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.filesystem.home import open_home
from vouch.adapters.ledger import Ledger, open_ledger
from vouch.settings import Settings


@dataclass(frozen=True)
class Storage:
    home: Path
    ledger: Ledger
    permissions: WatchedPermissions
    engine: LexicalEngine
    index: IndexStore


def open_storage(settings: Settings) -> Storage:
    """Of the settings' home. Connects to no search server before its first use. Raises LedgerDown."""
    home, ledger = open_home_and_ledger(settings)
    permissions = open_permissions(settings, ledger)
    engine = lexical_engine(
        settings.lexical.model_dump(), settings.vectors.model_dump(), home, SnowballAnalyser(), permissions
    )
    return Storage(home, ledger, permissions, engine, _index(settings, home, ledger, engine))


def open_temporary_storage(settings: Settings, folder: Path) -> Storage:
    """All of it in a folder that is deleted afterwards, whatever servers the settings name."""
    home = open_home(folder)
    ledger, engine = open_ledger(home / "ledger.sqlite"), EmbeddedEngine()
    return Storage(home, ledger, open_permissions(settings, ledger), engine, _index(settings, home, ledger, engine))


def _index(settings: Settings, home: Path, ledger: Ledger, engine: LexicalEngine) -> IndexStore:
    keep = Keep(settings.index.keep_versions, settings.index.keep_days)
    return IndexStore(home, ledger.versions, SnowballAnalyser(), settings.lexical.reference_length, keep, engine)
