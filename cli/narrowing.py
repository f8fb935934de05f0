"""The options that narrow what a question or a search is answered from."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from cli import completion

if TYPE_CHECKING:
    from vouch.filters import Filters

FromSources = Annotated[list[str], typer.Option(
    "--source", metavar="NAME", autocompletion=completion.sources,
    help="Only documents of this source. May be repeated: of any of them.",
)]
FromPaths = Annotated[list[str], typer.Option(
    "--path", metavar="PATTERN",
    help="Only documents at this path, below this folder, or where this pattern fits, as hr/**. May be repeated.",
)]
ChangedAfter = Annotated[str | None, typer.Option(
    "--after", metavar="YYYY-MM-DD", help="Only documents that changed on this day (UTC) or later.",
)]

OwnedBy = Annotated[list[str], typer.Option(
    "--owner", metavar="TAG",
    help="Only documents that name user:NAME or group:NAME as their owner. May be repeated: of any of them.",
)]


def filters_of(
    sources: Sequence[str], paths: Sequence[str], after: str | None, owners: Sequence[str] = ()
) -> "Filters":
    """Raises Usage for what cannot be one."""
    from pydantic import ValidationError

    from vouch.errors import Usage
    from vouch.filters import Filters
    from vouch.invalid import problems

    try:
        return Filters.model_validate({
            "sources": tuple(sources) or None, "paths": tuple(paths), "after": after, "owners": tuple(owners),
        })  # fmt: skip
    except ValidationError as error:
        cure = 'write --source NAME, --path "hr/**", --after 2026-01-31, --owner user:NAME'
        raise Usage(problems(error.errors()), cure=cure) from error
