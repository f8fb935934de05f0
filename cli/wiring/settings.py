"""The settings of the command, and others to compare with."""

import tomllib
from pathlib import Path

from vouch.adapters.observability.log_lines import write_log_lines
from vouch.errors import BadInput, Usage
from vouch.settings import Settings, read_settings
from vouch.settings.ignored import ignored_names

__all__ = ["changed_settings", "command_settings", "ignored_names"]


def command_settings() -> Settings:
    """The settings. Log lines go to standard error, from the level that the settings name."""
    settings = read_settings()
    write_log_lines(settings.log_level, settings.log_format)
    return settings


# The index is what was ingested, and a comparison asks the one that is served.
_OF_THE_INDEX = ("home", "chunking", "encoder", "lexical", "vectors", "ledger", "ingest")


def changed_settings(file: Path) -> Settings:
    """The settings with those of a file in place. Raises BadInput for a file that is not TOML, Usage for a setting that
    is wrong or that needs an ingest.
    """
    cure = "give a file such as vouch.toml, with what is to differ: [retrieval] and below it rerank = 40"
    try:
        changed = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise BadInput(f"{file} cannot be read: {why}", cure=cure) from error
    if fixed := [name for name in _OF_THE_INDEX if name in changed]:
        raise Usage(f"{file} changes {', '.join(fixed)}, and both are asked over the index that is served",
                    cure="ingest into a home of its own, evaluate there with --out, and compare with that file")
    return read_settings(changed)
