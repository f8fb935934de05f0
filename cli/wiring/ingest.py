"""What brings the index up to date, and how long things are kept."""

from collections.abc import Callable, Sequence

from cli.wiring.settings import command_settings
from composition.sources import open_source
from composition.storage import open_home_and_ledger
from flows.runs.retention import Retention
from flows.shared.components import IngestComponents
from flows.wiring.ingesting import build_components, need_prefect
from flows.wiring.monitoring import build_retention
from vouch.documents.document import Skipped

__all__ = ["ingest_components", "need_prefect", "retention"]


def ingest_components() -> IngestComponents:
    return build_components()


def retention() -> Retention:
    return build_retention(command_settings())


def skipped_files(name: str | None) -> dict[str, Callable[[], Sequence[Skipped]]]:
    """What tells of each source, or of the one named, which of its files are not read. Raises NotFound."""
    settings = command_settings()
    _, ledger = open_home_and_ledger(settings)
    rows = ledger.sources.list() if name is None else [ledger.sources.get(name)]
    return {row.name: open_source(row, ledger, settings).skipped for row in rows}
