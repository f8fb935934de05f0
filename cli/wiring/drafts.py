"""Drafts of documents that people's answers left."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cli.wiring.settings import command_settings
from services import wiring

if TYPE_CHECKING:
    from services.documents.drafts import DraftService


@contextmanager
def open_drafts() -> "Iterator[DraftService]":
    with wiring.open_drafts(command_settings()) as service:
        yield service
