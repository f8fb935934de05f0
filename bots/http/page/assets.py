"""What pages load besides themselves: files of this package, and nothing from elsewhere."""

import hashlib
from functools import cache
from importlib.resources import files

from fastapi import APIRouter
from fastapi.responses import Response

_KINDS = {"style.css": "text/css", "htmx.min.js": "text/javascript", "vouch.js": "text/javascript"}
_KEPT_S = 365 * 24 * 3600               # another file has another address


def router() -> APIRouter:
    assets = APIRouter(include_in_schema=False)
    for name, kind in _KINDS.items():
        _add(assets, name, kind)
    return assets


@cache
def address(name: str) -> str:
    """Where pages load the file from: it changes with its bytes, so that no browser keeps an old one."""
    return f"/static/{name}?v={hashlib.sha256(_held(name)).hexdigest()[:12]}"


def _add(assets: APIRouter, name: str, kind: str) -> None:
    held = _held(name)

    @assets.get(f"/static/{name}")
    def file() -> Response:
        return Response(held, media_type=kind, headers={"Cache-Control": f"max-age={_KEPT_S}, immutable"})


@cache
def _held(name: str) -> bytes:
    return (files("bots.http.page") / "static" / name).read_bytes()
