"""vouch mcp: questions of an assistant, for one person."""

from typing import Annotated

import typer

from cli import completion
from vouch.access import parse_tag
from vouch.extras import need


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch mcp --as user:ana@acme.test")(mcp)


def mcp(
    reader: Annotated[str, typer.Option(
        "--as", metavar="TAG", help="Whose assistant it is.", autocompletion=completion.readers,
    )] = "public",
) -> None:
    """Answer an assistant by the Model Context Protocol, over standard input and output.

    The assistant may ask, search and show, and gets only what this reader may
    read. Nobody checks --as: start it as the person whose assistant it is.
    """
    need("mcp", "vouch mcp")
    from cli.wiring.assistants import serve_assistant

    serve_assistant(parse_tag(reader))
