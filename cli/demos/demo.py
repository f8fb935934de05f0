"""vouch demo: the main job on a made-up company, in one terminal. Every result printed is the system's own."""

import os
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from cli.terminal.output import say
from vouch.errors import NotFound

PLACES = (
    Path(__file__).resolve().parents[2] / "examples",                           # of a checkout
    Path(sysconfig.get_path("data"), "share", "vouch", "examples"),             # where an installation puts them
)


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch demo --keep")(demo)


def demo(
    keep: Annotated[bool, typer.Option("--keep", help="Keep the demo's folder and say how to continue.")] = False,
    prefect: Annotated[bool, typer.Option(
        "--prefect", help="Also start a Prefect server, and show an ingest as a deployment; half a minute more.",
    )] = False,
) -> None:
    """Run the demo, from an ingest to answers for different people, a revocation, a vote and a rollback."""
    from cli.demos.deployment import needs
    from cli.demos.story import tell

    if prefect:
        needs()
    with _place(examples(), keep) as place, environment(place):
        tell(place, prefect=prefect)
        if keep:
            say(f"\nThe state is kept. Go on with it:\n  export VOUCH_HOME='{place / 'home'}'")
            say(f'  {sys.argv[0]} ask "How do I book a flight?" --as user:ana@acme.test')


def examples() -> Path:
    """Where the made-up company is. Raises NotFound."""
    for place in PLACES:
        if (place / "handbook").is_dir():
            return place
    raise NotFound(f"the demo's documents are not in {' or '.join(map(str, PLACES))}",
                   cure="run it from a checkout: make demo")


@contextmanager
def _place(company: Path, keep: bool) -> Iterator[Path]:
    """A folder of its own with a copy of the examples, since the story edits the access rules."""
    place = Path(tempfile.mkdtemp(prefix="vouch-demo-"))
    try:
        shutil.copytree(company, place / "acme")
        yield place
    finally:
        if not keep:
            shutil.rmtree(place, ignore_errors=True)


@contextmanager
def environment(place: Path) -> Iterator[None]:
    """The demo's home for the time of the story, whatever the person's own settings are."""
    mine = {name: value for name, value in os.environ.items() if name.startswith("VOUCH_")}
    for name in mine:
        del os.environ[name]
    os.environ["VOUCH_HOME"] = str(place / "home")
    try:
        yield
    finally:
        del os.environ["VOUCH_HOME"]
        os.environ.update(mine)
