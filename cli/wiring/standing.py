"""How things stand with what runs, and with the machines it needs."""

from typing import Any

from cli.wiring.settings import command_settings
from consumers.standing import Standing
from consumers.wiring.standing import build_standing
from consumers.wiring.surfaces import served
from vouch.adapters.home import open_home
from vouch.adapters.processes import running


def standing() -> Standing:
    settings = command_settings()
    return build_standing(settings, open_home(settings.home))


def surfaces_served() -> set[str]:
    return served(command_settings())


def running_processes() -> list[dict[str, Any]]:
    """What the long-running processes of this home say of themselves."""
    return running(command_settings().home)
