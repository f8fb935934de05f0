"""What the command line has, for tests of pages and files that name its commands."""

from functools import cache


@cache
def help_of(words: tuple[str, ...]) -> str | None:
    """The help of `vouch WORDS`, or None if there is no such command."""
    from typer.testing import CliRunner

    from cli.main import app

    wide = {"COLUMNS": "200", "TERMINAL_WIDTH": "200", "NO_COLOR": "1", "TERM": "dumb"}
    done = CliRunner().invoke(app, [*words, "--help"], env=wide)
    return done.output if done.exit_code == 0 else None


def named_command(words: tuple[str, ...]) -> tuple[str, ...]:
    """The command that `words` begin with, arguments left out; () if there is none."""
    for length in range(1, len(words) + 1):
        text = help_of(words[:length])
        if text is None:
            return ()
        if "COMMAND [ARGS]" not in text:
            return words[:length]
    return words                        # a group, named as such
