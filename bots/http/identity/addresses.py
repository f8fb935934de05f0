"""Which addresses are of this machine, and which of another one may be asked who somebody is."""

import ipaddress
from urllib.parse import urlsplit


def is_loopback(peer: str) -> bool:
    """Whether it is an address of this machine alone; a name is none."""
    try:
        return ipaddress.ip_address(peer).is_loopback
    except ValueError:
        return False


def is_this_machine(host: str) -> bool:
    """By its name or its address."""
    return host == "localhost" or is_loopback(host)


def is_safe(address: str) -> bool:
    """Whether it is https, or http on this machine, and holds no password."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return False
    known = parts.scheme == "https" or (parts.scheme == "http" and is_this_machine(host))
    return bool(known and host and parts.username is None)
