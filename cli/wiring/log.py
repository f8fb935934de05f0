"""The log: what waits on it, what lies dead, and the topics it needs."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

from cli.wiring.settings import command_settings
from composition.ledger import open_home_and_ledger
from composition.log import GROUPS, open_log, open_topics
from consumers.worker.dead_letters import DeadLetters
from vouch.adapters.filesystem.home import open_home


@contextmanager
def open_dead() -> Iterator[DeadLetters]:
    settings = command_settings()
    home, ledger = open_home_and_ledger(settings)
    log = open_log(settings, home)
    with closing(ledger), closing(log.producer()) as producer:
        yield DeadLetters(log, producer, ledger.answers.answered)


def log_lag() -> dict[str, int]:
    settings = command_settings()
    log = open_log(settings, open_home(settings.home))
    return {topic: log.lag(group, topic) for topic, group in GROUPS.items()}


def topics_made() -> tuple[str, ...]:
    """Makes the topics that the log lacks, and names them."""
    topics = open_topics(command_settings())
    return () if topics is None else topics.create()


def topics_missing() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The topics that the log lacks, and those with another number of partitions than the settings say."""
    topics = open_topics(command_settings())
    state = None if topics is None else topics.state()
    return ((), ()) if state is None else (state.missing, state.unlike)
