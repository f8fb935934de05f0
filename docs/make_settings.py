"""Prints docs/settings.md from vouch/settings/: `make docs` writes it, a test compares."""

import inspect
import sys
import textwrap
from collections.abc import Iterator
from types import UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from vouch.settings import Settings

HEAD = """# Settings

vouch looks for a setting in these places. The first one that has it wins:

1. the environment, under the names below;
2. the TOML file named by `VOUCH_CONFIG`, or else `vouch.toml` in the home folder. The parts of a name become tables:
   `VOUCH_CHUNKING__TOKENS` is `tokens` under `[chunking]`;
3. the default.

An unknown name stops vouch with a message. In the environment this holds for names with `__` in them; `vouch doctor`
names others that look like a setting, such as `VOUCH_SLACK_MODE`. Where a part of vouch has several kinds, `…__KIND`
chooses one. The other settings of a kind have an effect only if that kind is chosen.

This page is made from `vouch/settings/` by `make docs`.
"""


def kinds(field: FieldInfo) -> list[type[BaseModel]]:
    """The groups a field may hold: several where a kind is chosen, none for a plain value."""
    annotation = field.annotation
    members = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    return [member for member in members if isinstance(member, type) and issubclass(member, BaseModel)]


def shown(value: Any) -> str:
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    if value is None:
        return "unset"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"`{text}`" if text else "empty"


def rows(group: type[BaseModel], prefix: str) -> Iterator[tuple[str, str, str]]:
    """(name, default, sentence) of the plain values of one group."""
    for name, field in group.model_fields.items():
        if name == "kind" or kinds(field):
            continue
        yield f"{prefix}{name.upper()}", shown(field.default), field.description or ""


def sections() -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    """(heading with the sentence that a kind begins with, rows) for the top level and for every group and kind."""
    yield "Everywhere", list(rows(Settings, "VOUCH_"))
    for name, field in Settings.model_fields.items():
        choices = kinds(field)
        for group in choices:
            found = list(rows(group, f"VOUCH_{name.upper()}__"))
            kind = group.model_fields.get("kind")
            if kind is not None:
                chosen = " or ".join(shown(choice.model_fields["kind"].default) for choice in choices)
                default = shown(field.default.kind)
                found.insert(0, (f"VOUCH_{name.upper()}__KIND", default, f"Which kind is used: {chosen}."))
            heading = f"{name}, {kind.default}" if kind is not None and len(choices) > 1 else name
            said = textwrap.fill(inspect.cleandoc(group.__doc__ or ""), 120, break_on_hyphens=False)
            yield heading + (f"\n\n{said}" if said else ""), found


def page() -> str:
    parts = [HEAD]
    for heading, found in sections():
        parts.append(f"\n## {heading}\n\n| name | default | meaning |\n|---|---|---|\n")
        parts.extend(f"| `{name}` | {default} | {sentence} |\n" for name, default, sentence in found)
    return "".join(parts)


if __name__ == "__main__":
    sys.stdout.write(page())
