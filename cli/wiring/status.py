"""How things stand: what runs, the machines it needs, and the log with what waits or lies dead."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from cli.wiring.noting import Noted, noted_at_terminal
from cli.wiring.settings import command_settings
from composition import language_model
from composition.log import GROUPS, open_log, open_topics
from composition.storage import open_home_and_ledger
from consumers.monitoring.status import StatusProbe
from consumers.wiring.status import build_standing
from consumers.wiring.surfaces import served
from consumers.worker.dead_letters import DeadLetters
from vouch.adapters.filesystem.home import open_home
from vouch.adapters.observability.processes import running


def standing() -> StatusProbe:
    settings = command_settings()
    return build_standing(settings, open_home(settings.home))


def surfaces_served() -> set[str]:
    return served(command_settings())


def running_processes() -> list[dict[str, Any]]:
    """What the long-running processes of this home report about themselves."""
    return running(command_settings().home)


def try_model() -> str:
    """Whether the language model of the settings can be reached. Raises ModelDown."""
    return language_model.try_model(command_settings())


@contextmanager
def open_dead() -> Iterator[DeadLetters]:
    settings = command_settings()
    home, ledger = open_home_and_ledger(settings)
    log = open_log(settings, home)
    with closing(ledger), closing(log.producer()) as producer:
        yield DeadLetters(log, producer, ledger.answers.answered)


@contextmanager
def open_dead_to_act() -> Iterator[tuple[DeadLetters, Noted]]:
    """Dead messages, and how what is done with them is noted."""
    with open_dead() as letters, closing(open_home_and_ledger(command_settings())[1]) as ledger:
        yield letters, noted_at_terminal(ledger)


def log_lag() -> dict[str, int]:
    settings = command_settings()
    log = open_log(settings, open_home(settings.home))
    return {topic: log.lag(group, topic) for topic, group in GROUPS.items()}


def topics_made() -> tuple[str, ...]:
    """Creates the topics that the log lacks, and returns their names."""
    topics = open_topics(command_settings())
    return () if topics is None else topics.create()


def topics_missing() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The topics that the log lacks, and those with another number of partitions than the settings say."""
    topics = open_topics(command_settings())
    state = None if topics is None else topics.state()
    return ((), ()) if state is None else (state.missing, state.unlike)
