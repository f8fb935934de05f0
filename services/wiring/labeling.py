"""Labels, gaps and examples, built from the settings."""

from collections.abc import Callable
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

from services.wiring.answering import open_search_service
from vouch.settings import Settings

if TYPE_CHECKING:
    from flows.training.material import Collected
    from services.labeling.gaps import ExampleService, GapService
    from services.labeling.judging import Labeling
    from services.labeling.label_import import LabelImport


def open_labeling(settings: Settings, pool: int | None) -> "Labeling":
    """Over the current version. `pool` None: as the settings say."""
    from composition.storage import open_home_and_ledger
    from consumers.process import now
    from services.labeling.judging import Labeling

    _, ledger = open_home_and_ledger(settings)
    chosen = settings.labels
    return Labeling(open_search_service(settings), ledger, now, chosen.judged, pool or chosen.pool)


def open_label_import(settings: Settings) -> "LabelImport":
    """Over the ledger and all kept versions; no model is loaded."""
    from composition.storage import open_live_index, open_permissions, open_storage
    from indexers.publishing.held_chunks import held_chunks
    from services.labeling.label_import import LabelImport

    storage = open_storage(settings)
    index = open_live_index(settings, storage)
    permissions = open_permissions(settings, storage.ledger)
    return LabelImport(storage.ledger, partial(held_chunks, storage.index), index.visible_to,
                       lambda: permissions.permissions().directory)


def collect_labels(settings: Settings, progress: Callable[[str, int, int], None]) -> "Collected":
    """Makes the labels of every recorded answer anew."""
    from composition.learning import label_rules
    from composition.storage import open_home_and_ledger
    from consumers.process import now
    from flows.training.material import collect_labels
    from vouch.adapters.analyser import SnowballAnalyser

    _, ledger = open_home_and_ledger(settings)
    with closing(ledger):
        return collect_labels(ledger, label_rules(settings), SnowballAnalyser().terms, now(), progress)


def open_gap_service(settings: Settings) -> "GapService":
    """Over the ledger and the current version. The encoder is loaded only if there are questions to group."""
    from consumers.process import now
    from flows.wiring.monitoring import build_gap_components
    from services.labeling.gaps import GapService

    return GapService(build_gap_components(settings), now)


def open_examples(settings: Settings) -> "ExampleService":
    """Over the ledger and the reports in the home; no model is loaded."""
    from composition.storage import open_home_and_ledger, open_permissions
    from consumers.process import now
    from services.labeling.gaps import ExampleService

    home, ledger = open_home_and_ledger(settings)
    return ExampleService(home, ledger, open_permissions(settings, ledger).permissions, now)
