"""Help of the command and its groups: commands by what they are for, each with its whole first sentence."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from cli.terminal.output import say

SECTIONS: Mapping[str, Sequence[str]] = {
    "Ask": ("ask", "search", "show", "trace", "feedback", "serve", "mcp"),
    "Documents": ("source", "ingest", "watch", "notify", "documents", "drafts", "rebuild", "purge"),
    "Access": ("access", "directory"),
    "Index": ("versions",),
    "Operations": ("worker", "sender", "slack", "status", "doctor", "dead", "tidy", "migrate"),
    "Quality": ("evaluate", "golden", "label", "train", "calibrate", "models", "gaps", "examples"),
    "First steps": ("demo",),
}
_SENTENCE = re.compile(r"[^.:]*+(?:[.:](?!\s|\Z)[^.:]*+)*+")


class Group(TyperGroup):
    """A command with subcommands. Called without a subcommand it prints its help, which is not an error, unless it does
    something itself then."""

    sections: Mapping[str, Sequence[str]] = {}

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args and not self.invoke_without_command and not ctx.resilient_parsing:
            say(ctx.get_help())
            ctx.exit(0)
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        left = [name for name in self.list_commands(ctx) if not self.commands[name].hidden]
        for title, names in self.sections.items():
            self._section(formatter, title, [name for name in names if name in left])
            left = [name for name in left if name not in names]
        self._section(formatter, "Other commands" if self.sections else "Commands", left)

    def _section(self, formatter: Any, title: str, names: Sequence[str]) -> None:
        if names:
            with formatter.section(title):
                formatter.write_dl([(name, _first_sentence(self.commands[name].help or "")) for name in names])


class Root(Group):
    """The `vouch` command itself."""

    sections = SECTIONS


def command_group(text: str) -> typer.Typer:
    """A typer for the subcommands of one group."""
    return typer.Typer(help=text, cls=Group, rich_markup_mode=None)


def _first_sentence(text: str) -> str:
    found = _SENTENCE.match(" ".join(text.split("\n\n")[0].split()))
    return found[0] if found else ""
