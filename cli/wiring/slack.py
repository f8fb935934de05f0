"""The bot in Slack."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from cli.wiring.settings import command_settings
from consumers.wiring.slack_bot import SlackBot, build_slack_bot, slack_looks, slack_manifest


@contextmanager
def open_slack_bot() -> Iterator[SlackBot]:
    with closing(build_slack_bot(command_settings())) as bot:
        yield bot


def slack_checks() -> list[tuple[str, Callable[[], str]]]:
    return slack_looks(command_settings())


def manifest_text() -> str:
    return slack_manifest()
