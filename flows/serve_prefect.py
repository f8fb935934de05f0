"""The process behind flows/own_server.py: Prefect's server on a socket it was given, until its parent is gone."""

import os
import socket
import sys
import threading


def main() -> None:
    """Serves on the listening socket whose descriptor is the one argument."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    import uvicorn
    from prefect.server.api.server import create_app

    listening = socket.socket(fileno=int(sys.argv[1]))
    settings = uvicorn.Config(create_app(ephemeral=True, final=True), log_level="error", lifespan="on")
    uvicorn.Server(settings).run(sockets=[listening])


def _end_with_parent() -> None:
    """Standard input is a pipe that only the parent holds: it ends when the parent does, however that was."""
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    main()
