"""How things stand with what runs, and with the machines it needs."""

from typing import Any

from cli.wiring.settings import command_settings
from consumers.monitoring.status import StatusProbe
from consumers.wiring import language_model
from consumers.wiring.status import build_standing
from consumers.wiring.surfaces import served
from vouch.adapters.filesystem.home import open_home
from vouch.adapters.observability.process_registry import running


def standing() -> StatusProbe:
    settings = command_settings()
    return build_standing(settings, open_home(settings.home))


def surfaces_served() -> set[str]:
    return served(command_settings())


def running_processes() -> list[dict[str, Any]]:
    """What the long-running processes of this home say of themselves."""
    return running(command_settings().home)


def try_model() -> str:
    """Whether the language model of the settings can be reached. Raises ModelDown."""
    return language_model.try_model(command_settings())
