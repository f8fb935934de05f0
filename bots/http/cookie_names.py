"""What cookies are called in a browser."""

_HOST = "__Host-"


def cookie_name(name: str, *, secure: bool) -> str:
    """Where cookies travel by https alone, under a name that browsers take from this very host alone, and by https:
    no other host of its domain can plant one."""
    return f"{_HOST}{name}" if secure else name


def cookie_names(name: str) -> tuple[str, str]:
    """All that it may be called, whatever was set before."""
    return name, f"{_HOST}{name}"
