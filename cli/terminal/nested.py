"""Commands that run other commands of the same program, as the demo does."""

from collections.abc import Callable, Sequence
from contextvars import ContextVar

from cli.terminal.interrupts import INTERRUPTED

_program: ContextVar[Callable[..., object]] = ContextVar("program")


def within(program: Callable[..., object]) -> None:
    """What commands that run from now on belong to: called with words and `standalone_mode`, as Typer's are."""
    _program.set(program)


def run_command(words: Sequence[str]) -> None:
    """Runs `vouch WORDS` in this process, within a command that runs. Raises what that command raises."""
    if _program.get()(list(words), standalone_mode=False) == INTERRUPTED:
        raise KeyboardInterrupt
