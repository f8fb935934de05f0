"""Whether a server takes connections."""

import socket
from urllib.parse import urlsplit

from vouch.errors import ModelDown

_PORTS = {"https": 443, "http": 80}


def reach(url: str, timeout_s: float = 3.0) -> str:
    """Connects to the model server at `url` and sends nothing. Raises ModelDown."""
    address = urlsplit(url)
    host = address.hostname or ""
    try:
        socket.create_connection((host, address.port or _PORTS.get(address.scheme, 80)), timeout_s).close()
    except (OSError, ValueError) as error:
        raise ModelDown(f"model server {host}: {type(error).__name__}", cure="check that it runs") from error
    return f"{host} accepts connections"
