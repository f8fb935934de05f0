"""The processes that run for good."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

from cli.wiring.settings import command_settings
from consumers.process import Process
from consumers.wiring.processes import build_sender, build_worker


@contextmanager
def open_worker(*, ingests: bool, sends: bool) -> Iterator[Process]:
    from flows.wiring import build_starter  # a sender ingests nothing

    settings = command_settings()
    starter = build_starter(settings) if ingests else None
    with closing(build_worker(settings, starter, sends=sends)) as process:
        yield process


@contextmanager
def open_sender() -> Iterator[Process]:
    with closing(build_sender(command_settings())) as process:
        yield process
