"""What all servers of the tests have in common: they are started, stopped or killed, and removed with their data."""

from servers.docker import Container
from servers.process import Process


class Server:
    """Keeps its port and data through kills and restarts."""

    name: str
    runs: Process | Container

    def settings(self) -> dict[str, str]:
        """What vouch must be told to use it."""
        raise NotImplementedError

    def start(self) -> None:
        self.runs.start()

    def stop(self, *, kill: bool = False) -> None:
        self.runs.stop(kill=kill)

    def remove(self) -> None:
        self.runs.remove()
