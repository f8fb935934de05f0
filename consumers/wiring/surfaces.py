"""The surfaces this process can post on, and those that others serve."""

from collections.abc import Collection

from bots.callback.surface import HttpCallback
from consumers.replies.afterwards import Afterwards
from consumers.wiring.slack import SURFACE as SLACK
from consumers.wiring.slack import Slack
from vouch.adapters.ledger import Ledger
from vouch.errors import Usage
from vouch.messages import HTTP, TERMINAL
from vouch.ports.surface import Surface
from vouch.settings import Settings

OF_LEDGER = (TERMINAL, HTTP, "log")


def build_surfaces(settings: Settings, ledger: Ledger, slack: Slack | None = None) -> dict[str, Surface]:
    """By name. Raises Usage for a callback that cannot be used."""
    surfaces: dict[str, Surface] = dict.fromkeys(OF_LEDGER, ledger.surface)
    if slack is not None:
        surfaces[SLACK] = slack.surface
    callback = build_callback(settings)
    if callback is not None:
        if settings.callback.surface in surfaces:
            raise Usage(f"the surface {settings.callback.surface} is taken", cure="fix VOUCH_CALLBACK__SURFACE")
        surfaces[settings.callback.surface] = callback
    return surfaces


def build_afterwards(surfaces: Collection[str]) -> dict[str, Afterwards]:
    """What these surfaces post once an answer was sent or given up, by name."""
    if SLACK not in surfaces:
        return {}
    from bots.slack.afterwards import SlackAfterwards

    return {SLACK: SlackAfterwards()}


def build_callback(settings: Settings) -> HttpCallback | None:
    chosen = settings.callback
    return None if not chosen.url else HttpCallback(
        chosen.url, chosen.secret.get_secret_value(), _names(chosen.hosts),
        after_doubt=chosen.after_doubt, timeout_s=chosen.timeout_seconds,
    )  # fmt: skip


def served(settings: Settings) -> set[str]:
    """All that any process serves, as far as the settings tell."""
    own = [settings.callback.surface] if settings.callback.url else []
    own += [SLACK] if settings.slack.bot_token.get_secret_value() else []
    return {*OF_LEDGER, *own, *_names(settings.worker.surfaces)}


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
