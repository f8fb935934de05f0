"""vouch serve and vouch mcp: questions by HTTP with a page for people, and questions of an assistant."""

from contextlib import suppress
from typing import Annotated

import typer

from cli.terminal import completion
from cli.terminal.output import say
from cli.terminal.reader_tags import checked_reader
from vouch.access import parse_tag
from vouch.extras import require

NOTHING_YET = ("nothing is ingested yet, and questions are refused until something is: "
               "run vouch ingest (without a source, vouch source add first)")


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: vouch serve --as user:ana@acme.test")(serve)
    app.command(epilog="Example: vouch mcp --as user:ana@acme.test")(mcp)


def serve(
    person: Annotated[str | None, typer.Option(
        "--as", metavar="TAG", help="The one person who can sign in, with a link that works once, on this machine.",
        autocompletion=completion.readers, callback=checked_reader,
    )] = None,
    port: Annotated[int | None, typer.Option(
        min=0, max=65535, help="Port to listen on, instead of VOUCH_HTTP__PORT; 0 takes a free one.",
    )] = None,
) -> None:
    """Serve a page and an HTTP API until Ctrl-C or SIGTERM.

    With the embedded log it also answers questions, ingests announced changes
    and sends answers, as `vouch worker` does. Without --as, and without other
    proof of who asks, requests read public documents only.
    """
    require("http", "vouch serve")
    with suppress(KeyboardInterrupt):   # before it works: there is nothing to run again
        _serve(person, port)
    say("stopped")


def _serve(person: str | None, port: int | None) -> None:
    from cli.wiring.http.serving import open_http_service

    with open_http_service(person, port) as service:
        if person:
            say(f"open this link, which works once: {service.link}")
        else:
            say(f"the page is at {service.link}")
        if service.is_empty:
            say(NOTHING_YET)
        if service.works:
            say(f"loading the models: {', '.join(service.loads)}")
        service.run(lambda: say("ready"))


def mcp(
    reader: Annotated[str, typer.Option(
        "--as", metavar="TAG", autocompletion=completion.readers, callback=checked_reader,
        help="Who uses the assistant: user:NAME, group:NAME or public.",
    )] = "public",
) -> None:
    """Serve an assistant by the Model Context Protocol, over standard input and output.

    The assistant can ask, search and show, and gets only what the reader in --as may read. Nobody checks --as: name the
    person who uses the assistant.
    """
    require("mcp", "vouch mcp")
    from cli.wiring.processes import serve_assistant

    serve_assistant(parse_tag(reader))
