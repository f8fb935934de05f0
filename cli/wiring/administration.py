"""What administration works with: the home, its ledger, index, permissions and drafts."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cli.wiring.settings import command_settings
from composition.storage import open_home_and_ledger
from services.wiring import documents as documents_wiring
from vouch.adapters.filesystem.home import open_home
from vouch.adapters.ledger.engine.schema import HEAD

if TYPE_CHECKING:
    from services.documents.administration import Administration
    from services.documents.drafts import DraftService


def most_people_removed() -> float:
    """The share of a directory's people that a new directory may remove without `--allow-removals`."""
    return command_settings().access.max_removed_share


def open_administration() -> "Administration":
    """Ledger, index store and permissions; no model."""
    return documents_wiring.open_administration(command_settings())


def home_folder() -> Path:
    return open_home(command_settings().home)


def migrated_ledger() -> tuple[str, str]:
    """(where the ledger lies, its revision), once its tables are those this vouch knows."""
    with closing(open_home_and_ledger(command_settings())[1]) as ledger:
        return ledger.name, HEAD


@contextmanager
def open_drafts() -> "Iterator[DraftService]":
    with documents_wiring.open_drafts(command_settings()) as service:
        yield service
