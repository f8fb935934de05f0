"""Where a sign-in leads back to: the page of this service that was wanted, and never anywhere else."""

import re
from urllib.parse import unquote

from fastapi import Request

_LONGEST = 1000
# Of pages that are opened, each part of a path as browsers send it: no empty part, which could name another host, no
# backslash, no blank, and nothing before the first sign of a path. Nobody is sent to sign in or out again.
_PAGE = re.compile(r"/(?:questions|(?:answers|operate)(?:/[A-Za-z0-9._~%-]+)*)(?:\?[A-Za-z0-9._~%!$'()*+,;=:@/&-]*)?")


def local_page(address: str) -> str:
    """The address, if it is one of a page of this service; else that of the first page."""
    parts = unquote(address.partition("?")[0]).split("/")
    if {".", ".."} & set(parts):        # which browsers leave out, with what stands before them
        return "/"
    return address if len(address) <= _LONGEST and _PAGE.fullmatch(address) else "/"


def wanted_page(request: Request) -> str:
    """What to open once somebody has signed in who asked for this."""
    if request.method != "GET":
        return "/"
    path, query = request.scope.get("raw_path", b"").decode("latin-1"), request.url.query
    return local_page(f"{path.partition('?')[0]}?{query}" if query else path)
