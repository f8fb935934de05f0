"""What most commands work with."""

from cli.parts import Parts
from cli.wiring.home import home_and_ledger
from cli.wiring.settings import command_settings
from indexers.lexical import lexical_engine
from indexers.publish import IndexStore, Keep
from vouch.adapters.access_watch import WatchedPermissions
from vouch.adapters.analyser import SnowballAnalyser


def most_people_removed() -> float:
    """The share of a directory's people that may go without a word."""
    return command_settings().access.max_removed_share


def open_parts() -> Parts:
    """Ledger, index store and permissions; no model."""
    settings = command_settings()
    home, ledger = home_and_ledger(settings)
    watched = WatchedPermissions(ledger.sources, ledger.access, watch=settings.access.watch)
    keep = Keep(settings.index.keep_versions, settings.index.keep_days)
    analyser = SnowballAnalyser()
    lexical = lexical_engine(settings.lexical.model_dump(), settings.vectors.model_dump(), home, analyser, watched)
    store = IndexStore(home, ledger.versions, analyser, settings.lexical.reference_length, keep, lexical)
    return Parts(home, ledger, store, watched)
