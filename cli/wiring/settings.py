"""The settings of the command."""

from vouch.adapters.observability.log_lines import write_log_lines
from vouch.settings import Settings, read_settings


def command_settings() -> Settings:
    """The settings; log lines go to standard error from the level they name on."""
    settings = read_settings()
    write_log_lines(settings.log_level, settings.log_format)
    return settings
