"""docker-compose.yml, as tests read it: its services, what it promises, and its commands, which they run."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "docker-compose.yml"
_PINNED = re.compile(r"^[a-z0-9./-]+:\d+\.\d+(\.\d+)?[a-z0-9.-]*$")
_FROM_ENV = re.compile(r"\$\{\w+:\?[^}]+\}")
_SECRET = re.compile(r"PASSWORD|SECRET|KEY|AUTH|TOKEN")


def read_compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return found


def command_of(service: str) -> list[str]:
    return list(read_compose()["services"][service]["command"])


def complaints(compose: dict[str, Any]) -> list[str]:
    """Every rule that a service breaks."""
    return [f"{name}: {said}" for name, service in compose["services"].items() for said in _of(service)]


def _of(service: dict[str, Any]) -> Iterator[str]:
    if not re.fullmatch(r"[1-9]\d*:\d+", str(service.get("user", ""))):
        yield "runs as root, or as a user only the image knows"
    if service.get("read_only") is not True:
        yield "may write to its root"
    if service.get("cap_drop") != ["ALL"] or service.get("cap_add") or service.get("privileged"):
        yield "keeps capabilities"
    if "no-new-privileges:true" not in service.get("security_opt", []):
        yield "may gain privileges"
    if not re.fullmatch(r"\d+[mg]", str(service.get("mem_limit", ""))):
        yield "has no limit of memory"
    if service.get("restart") != "on-failure" and not service.get("healthcheck", {}).get("test"):
        yield "says nothing of its health"
    if "build" not in service and not _PINNED.fullmatch(service["image"]):
        yield f"its image is not pinned: {service['image']}"
    for port in service.get("ports", []):
        if not re.fullmatch(r"127\.0\.0\.1:\d+:\d+", str(port)):
            yield f"publishes {port} beyond loopback"
    if service.get("network_mode") or service.get("networks") != ["inside"]:
        yield "is on another network"
    for volume in service.get("volumes", []):
        source = volume["source"] if isinstance(volume, dict) else str(volume).partition(":")[0]
        writes = not (isinstance(volume, dict) and volume.get("read_only"))
        if writes and not re.fullmatch(r"[a-z-]+", source):
            yield f"writes to {source} of the machine"
    for name, value in service.get("environment", {}).items():
        secret = _SECRET.search(name) or re.search(r"://[^/@]*:[^@]*@", str(value))
        if secret and not _FROM_ENV.search(str(value)):
            yield f"{name} does not come from .env"
