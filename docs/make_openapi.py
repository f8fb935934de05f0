"""Prints docs/openapi.json from the service: `make docs` writes it, a test compares."""

import json
import sys
from typing import Any

from bots.http.app import Service, build_fastapi
from bots.http.identity.identities import Identities


def document() -> str:
    """The service is only described, so that it works with nothing."""
    nothing: Any = None
    service = Service(
        questions=nothing, progress=nothing, library=nothing, traces=nothing, administrators=nothing, standing=nothing,
        identities=Identities([], anonymous=False), local=None, key=b"", metrics=lambda: ("", ""),
    )  # fmt: skip
    return json.dumps(build_fastapi(service).openapi(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(document())
