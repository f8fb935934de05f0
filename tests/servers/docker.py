"""A server as a container, where a Docker daemon answers."""

import contextlib
import subprocess
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from servers.files import Missing
from servers.process import START_S


@dataclass
class Container:
    """`port` of the container is `at` on loopback; `ready` tells whether it serves. It keeps its data until removed."""

    image: str
    at: int
    port: int
    ready: Callable[[], bool]
    environment: Mapping[str, str] = field(default_factory=dict)
    command: Sequence[str] = ()
    memory: str = "1g"
    name: str = field(default_factory=lambda: f"vouch-{uuid.uuid4().hex[:12]}")
    made: bool = False

    def start(self) -> None:
        """Afterwards it serves. Raises Missing if Docker cannot run it, RuntimeError with the end of its log."""
        if self.made:
            docker("start", self.name)
        else:
            variables = [word for name, value in self.environment.items() for word in ("-e", f"{name}={value}")]
            place = ["-p", f"127.0.0.1:{self.at}:{self.port}", "--memory", self.memory]
            docker("run", "-d", "--name", self.name, *place, *variables, self.image, *self.command)
            self.made = True
        end = time.monotonic() + START_S
        while not self.ready():
            if time.monotonic() > end:
                raise RuntimeError(f"{self.image} does not get ready; its log ends with:\n{self.said()}")
            time.sleep(0.2)

    def alive(self) -> bool:
        command = ["docker", "inspect", "--format", "{{.State.Running}}", self.name]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() == "true"

    def stop(self, *, kill: bool = False) -> None:
        docker("kill" if kill else "stop", self.name)

    def remove(self) -> None:
        """Neither the container nor its data are there any more."""
        remove(self.name)

    def said(self) -> str:
        command = ["docker", "logs", "--tail", "40", self.name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stdout + done.stderr


@cache
def answers() -> bool:
    """Whether a Docker daemon answers on this machine."""
    try:
        return subprocess.run(["docker", "version"], capture_output=True, timeout=10, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def remove(name: str) -> None:
    """Also where there is no such container."""
    with contextlib.suppress(Missing):
        docker("rm", "-f", "-v", name)


def docker(*words: str) -> None:
    done = subprocess.run(["docker", *words], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise Missing(f"docker {words[0]}: {done.stderr[-500:]}")
