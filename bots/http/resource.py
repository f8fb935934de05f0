"""Where programs get the tokens that are taken here: OAuth 2.0 Protected Resource Metadata (RFC 9728).

All of it is what the settings say, whatever name a request gives the service.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

WELL_KNOWN = "/.well-known/oauth-protected-resource"


@dataclass(slots=True)
class Resource:
    """The service where others reach it, and whose tokens it takes."""

    address: str
    issuer: str

    def metadata(self, path: str) -> dict[str, Any]:
        return {"resource": f"{self.address}{path}", "resource_name": "vouch",
                "authorization_servers": [self.issuer], "bearer_methods_supported": ["header"]}

    def challenge(self, path: str) -> dict[str, str]:
        """The header of a 401."""
        return {"WWW-Authenticate": f'Bearer resource_metadata="{self.address}{WELL_KNOWN}{path}"'}


def build_resource(resource: Resource, paths: Collection[str]) -> APIRouter:
    """For the whole service, and for each of the paths. It needs no identity."""
    pages = APIRouter(include_in_schema=False)

    def told(path: str) -> None:
        @pages.get(f"{WELL_KNOWN}{path}")
        def metadata() -> Response:
            return JSONResponse(resource.metadata(path))

    for path in ("", *paths):
        told(path)
    return pages
