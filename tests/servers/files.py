"""Server files, fetched once by Maven into a cache folder outside the repository, and a Java to run them."""

import fcntl
import os
import re
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

POM = Path(__file__).with_name("pom.xml")


class Missing(Exception):
    """A server cannot be had on this machine; the message says what it lacks."""


def cache_folder() -> Path:
    """VOUCH_SERVERS, or vouch/servers in the user's cache folder; root's servers run as nobody, who sees no home."""
    named = os.environ.get("VOUCH_SERVERS")
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") if os.geteuid() else Path("/var/cache")
    return Path(named) if named else base / "vouch" / "servers"


def server_files(kind: str) -> Path:
    """The folder with the files of `kind` (kafka, elasticsearch, postgresql), whole. Raises Missing."""
    folder = cache_folder() / kind
    whole = folder / ".whole"
    if whole.exists():
        return folder
    if not shutil.which("mvn"):
        raise Missing(f"{kind}: neither a Docker daemon nor Maven (mvn) is here")
    with _readable_by_all():
        folder.mkdir(parents=True, exist_ok=True)
        _fetch(kind, folder, whole)
    return folder


@contextmanager
def _readable_by_all() -> Iterator[None]:
    """Servers of root run as nobody, and a test that opened a home has told this process to hide what it writes."""
    before = os.umask(0o022)
    try:
        yield
    finally:
        os.umask(before)


def _fetch(kind: str, folder: Path, whole: Path) -> None:
    with (folder / ".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not whole.exists():
            command = ["mvn", "-q", "-B", "-f", str(POM), "-P", kind, f"-Dservers={folder}", "process-resources"]
            done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
            if done.returncode:
                raise Missing(f"{kind}: Maven could not fetch it: {(done.stdout + done.stderr)[-500:]}")
            for packed in folder.glob("*.txz"):
                with tarfile.open(packed) as archive:
                    archive.extractall(folder / "server", filter="tar")
            whole.touch()


def java(least: int) -> Path:
    """The home of an installed Java of at least that version. Raises Missing."""
    on_path = shutil.which("java")
    homes = [
        os.environ.get("JAVA_HOME", ""),
        *sorted((str(path) for path in Path("/usr/lib/jvm").glob("*")), reverse=True),
        str(Path(on_path).resolve().parents[1]) if on_path else "",
    ]
    for home in homes:
        if home and (Path(home) / "bin" / "java").exists() and _version(Path(home)) >= least:
            return Path(home)
    raise Missing(f"neither a Docker daemon nor Java {least} or newer is here (JAVA_HOME names one)")


def _version(home: Path) -> int:
    told = subprocess.run([home / "bin" / "java", "-version"], capture_output=True, text=True, check=False).stderr
    match = re.search(r'version "(\d+)', told)
    return int(match[1]) if match else 0
