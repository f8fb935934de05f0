"""Cookies: what they are called, and those that came with a request."""

from collections.abc import Iterable

_HOST = "__Host-"


def cookie_name(name: str, *, secure: bool) -> str:
    """Where cookies travel by https alone, under a name that browsers take from this very host alone, and by https:
    no other host of its domain can plant one."""
    return f"{_HOST}{name}" if secure else name


def cookie_names(name: str) -> tuple[str, str]:
    """All that it may be called, whatever was set before."""
    return name, f"{_HOST}{name}"


def cookies_of(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """By name, from headers whose names are in small letters.

    Around names and values blanks and tabs are left out and nothing else, as browsers do it (RFC 6265bis, 5.6). To
    leave out more would let another host plant a cookie whose name becomes one of ours here alone.
    """
    pairs = (pair.partition("=") for name, value in headers if name == "cookie" for pair in value.split(";"))
    return {name.strip(" \t"): value.strip(" \t") for name, sign, value in pairs if sign}
