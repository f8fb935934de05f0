"""A real Prefect server on loopback, with its database in a folder of its own."""

import os
import secrets
import sys
import urllib.request
from pathlib import Path

from servers.process import Process, free_port
from servers.server import Server


class PrefectServer(Server):
    """`folder` is its own; the server is a Python package here."""

    name = "prefect"

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        folder.mkdir(parents=True, exist_ok=True)
        self._login = f"admin:{secrets.token_hex(16)}"
        words = ["server", "start", "--host", "127.0.0.1", "--port", str(self.port)]
        command = [sys.executable, "-m", "prefect", *words]
        self.runs = Process(command, folder, self.ready, {
            **{name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")},
            "PREFECT_HOME": str(folder),
            "PREFECT_SERVER_API_AUTH_STRING": self._login,
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "DO_NOT_TRACK": "1",
        })  # fmt: skip

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/api"

    def settings(self) -> dict[str, str]:
        return {"PREFECT_API_URL": self.url, "PREFECT_API_AUTH_STRING": self._login}

    def ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/health", timeout=5) as reply:
                return bool(reply.status == 200)
        except OSError:
            return False
