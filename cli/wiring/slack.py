"""The bot in Slack."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager

from cli.wiring.settings import command_settings
from composition.storage import open_home_and_ledger
from consumers.wiring.slack.bot import SlackBot, build_slack_bot
from consumers.wiring.slack.setup import channel_names, doubt_about, slack_looks, slack_manifest
from consumers.wiring.slack.simulator import Play, open_simulation
from services.operating.channels import ChannelService


@contextmanager
def open_slack_bot() -> Iterator[SlackBot]:
    with closing(build_slack_bot(command_settings())) as bot:
        yield bot


def slack_checks() -> list[tuple[str, Callable[[], tuple[str, str]], str]]:
    """What the checks found, and what to do where only a person can tell whether it is right; and which other check
    each needs, if any.
    """
    return list(slack_looks(command_settings()))


def open_slack_simulation(mode: str, width: int, *, stages: bool) -> AbstractContextManager[Play]:
    from flows.wiring.ingesting import build_starter

    settings = command_settings()
    shown = settings.slack.model_copy(update={"progress": "stream" if stages else "status"})
    return open_simulation(settings.model_copy(update={"slack": shown}), mode, width, build_starter(settings))


def open_channels() -> ChannelService:
    _, ledger = open_home_and_ledger(command_settings())
    return ChannelService(ledger, *channel_names())


def channel_doubt(channel: str) -> str:
    return doubt_about(command_settings(), channel)


def manifest_text(url: str) -> str:
    return slack_manifest(url)
