"""What pages load besides themselves: files of this package, and nothing from elsewhere."""

from importlib.resources import files

from fastapi import APIRouter
from fastapi.responses import Response

STYLE = "/static/style.css"


def router() -> APIRouter:
    assets = APIRouter(include_in_schema=False)
    style = (files("bots.http.page") / "static" / "style.css").read_bytes()

    @assets.get(STYLE)
    def stylesheet() -> Response:
        return Response(style, media_type="text/css", headers={"Cache-Control": "max-age=3600"})

    return assets
