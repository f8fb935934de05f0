"""Real git repositories for tests, written commit by commit with `git fast-import`."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

FIRST_MOMENT = 1_700_000_000
Files = Mapping[str | bytes, bytes]


def git(path: Path, *words: str | Path, given: bytes | None = None) -> bytes:
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["git", *words], cwd=path, env=env | who | alone, input=given, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


class GitRepo:
    """A bare repository. Each commit is given as the whole of its files; it lies a minute after the one before."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._count = 0
        path.mkdir()
        git(path, "init", "-q", "--bare", "-b", "main")

    def commit(
        self, files: Files, *, branch: str = "main", modes: Mapping[str, str] | None = None,
        onto: str | None = "branch", merge: str | None = None,
    ) -> str:
        """The commit's id. `onto` None begins a history anew; `merge` names a second parent."""
        head = f"refs/heads/{branch}"
        there = git(self.path, "for-each-ref", "--format=%(objectname)", head).decode().strip()
        parent = there if onto == "branch" else onto
        moment = FIRST_MOMENT + 60 * self._count
        self._count += 1
        lines = [f"commit {head}\nmark :1\ncommitter a <a@b> {moment} +0100\ndata 0\n".encode()]
        if parent:
            lines.append(f"from {parent}\n".encode())
        elif there:
            git(self.path, "update-ref", "-d", head)
        if merge:
            lines.append(f"merge {merge}\n".encode())
        lines.append(b"deleteall\n")
        for path, data in files.items():
            mode = (modes or {}).get(path, "100644") if isinstance(path, str) else "100644"
            name = quoted(path.encode() if isinstance(path, str) else path)
            if mode == "160000":
                lines.append(f"M 160000 {data.decode()} ".encode() + name + b"\n")
            else:
                lines.append(f"M {mode} inline ".encode() + name + f"\ndata {len(data)}\n".encode() + data + b"\n")
        git(self.path, "fast-import", "--quiet", "--force", given=b"".join(lines))
        return git(self.path, "rev-parse", head).decode().strip()


def quoted(path: bytes) -> bytes:
    """As fast-import reads any path at all: octal in quotes."""
    return b'"' + b"".join(b"\\%03o" % byte for byte in path) + b'"'
