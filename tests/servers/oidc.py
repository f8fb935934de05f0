"""oidc-provider from the npm registry, as a process of its own."""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from servers.files import Missing, cache_folder

HERE = Path(__file__).with_name("oidc")


@contextmanager
def node_provider(client: str, secret: str, callback: str, logout: str = "") -> Iterator[str]:
    """Its issuer; `logout`: where it tells of people who sign out. Skips where it cannot be had; with
    VOUCH_REQUIRE_SERVICES=1 it fails."""
    try:
        modules = _modules()
    except Missing as missing:
        if os.environ.get("VOUCH_REQUIRE_SERVICES") == "1":
            pytest.fail(f"VOUCH_REQUIRE_SERVICES=1, but {missing}")
        pytest.skip(str(missing))
    command = ["node", "--no-warnings", str(HERE / "provider.mjs"), str(modules), client, secret, callback, logout]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            ready = next((line for line in process.stdout if line.startswith("READY ")), "")
            assert ready, "oidc-provider did not start"
            yield ready.split()[1]
        finally:
            process.kill()


def _modules() -> Path:
    """The folder with node_modules, fetched once as the lock file says."""
    folder = cache_folder() / "oidc-provider"
    whole = folder / ".whole"
    if not whole.exists():
        if not (shutil.which("node") and shutil.which("npm")):
            raise Missing("oidc-provider: node and npm are not here")
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / ".lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not whole.exists():
                _fetch(folder)
                whole.touch()
    if not shutil.which("node"):
        raise Missing("oidc-provider: node is not here")
    return folder


def _fetch(folder: Path) -> None:
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, folder / name)
    command = ["npm", "ci", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise Missing(f"oidc-provider: npm could not fetch it: {(done.stdout + done.stderr)[-500:]}")
