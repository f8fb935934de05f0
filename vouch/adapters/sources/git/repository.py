"""Reads a git repository: plumbing commands only; nothing is checked out and nothing is written."""

import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from vouch.adapters.sources.git.command import git_command, git_environment, no_git, reading
from vouch.adapters.sources.git.objects import GitObjects, bound
from vouch.errors import BadInput, Unavailable

_DIFFERENCE = (
    "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "-M100%", "--no-ext-diff", "--no-textconv", "--no-relative",
    "--ignore-submodules=none",
)  # fmt: skip
_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class Commit:
    id: str
    parent: str | None                  # the first one; None at the beginning and where a shallow clone ends
    moment: datetime | None


@dataclass(frozen=True, slots=True)
class Entry:
    """One path of a difference. `status` is git's letter; `mode` and `blob` are of what stands there afterwards."""

    status: str
    mode: str
    blob: str
    path: bytes
    old_path: bytes | None = None


class GitRepository:
    """Every method raises Unavailable if the repository, or git itself, is not there or does not answer.

    And BadInput if the repository leads to another one.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.objects = GitObjects(path)

    def head(self) -> str | None:
        """The branch that HEAD names, even if it has no commit yet; None if HEAD is no branch."""
        name = self._run("symbolic-ref", "--quiet", "HEAD", fine=(0, 1)).decode().strip()
        return name.removeprefix("refs/heads/") or None

    def tip(self, branch: str) -> str:
        """The commit of a local branch or, failing that, a remote one (origin/main). Raises BadInput."""
        for kind in ("heads", "remotes"):
            name = f"refs/{kind}/{branch}^{{commit}}"
            commit = self._run("rev-parse", "--verify", "--quiet", name, fine=(0, 1)).decode().strip()
            if commit:
                return commit
        names = self._run("for-each-ref", "--count=8", "--format=%(refname:short)", "refs/heads", "refs/remotes")
        there = ", ".join(names.decode(errors="backslashreplace").split())
        if not there:
            raise BadInput(f"{self._path} has no commits yet", cure=f"commit documents on {branch}")
        raise BadInput(f"{self._path} has no branch {branch}", cure=f"name a branch that is there: {there}")

    def line(self, tip: str) -> list[Commit]:
        """The first-parent history that ends at `tip`, oldest first."""
        rows = self._run("rev-list", "--first-parent", "--reverse", "--parents", "--timestamp", tip).decode()
        return [_commit(row.split()) for row in rows.splitlines()]

    def holds(self, commit: str) -> bool:
        return bool(self._run("rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}", fine=(0, 1, 128)).strip())

    def steps(self, commits: Sequence[Commit]) -> Iterator[tuple[str, Entry]]:
        """(commit id, entry) of what each commit changed against its first parent, in order; exact renames found."""
        lines = "".join(f"{c.id} {c.parent}\n" if c.parent else f"{c.id}\n" for c in commits)
        with tempfile.TemporaryFile() as input_file:
            input_file.write(lines.encode())
            input_file.seek(0)
            commit = ""
            tokens = self._stream(input_file, *_DIFFERENCE, "--root", "--stdin")
            for token in tokens:
                if token.startswith(b":"):
                    yield commit, _entry(token, tokens)
                else:
                    commit = token.decode()

    def between(self, old: str, new: str) -> Iterator[Entry]:
        """What differs between two commits, whatever lies between them."""
        tokens = self._stream(subprocess.DEVNULL, *_DIFFERENCE, old, new)
        for token in tokens:
            yield _entry(token, tokens)

    def tree(self, commit: str) -> Iterator[Entry]:
        """Everything that stands in a commit."""
        for token in self._stream(subprocess.DEVNULL, "ls-tree", "-r", "-z", "--full-tree", commit):
            facts, _, path = token.partition(b"\t")
            mode, _, blob = facts.decode().split()
            yield Entry("A", mode, blob, path)

    def blob_at(self, commit: str, name: str) -> tuple[str, str] | None:
        """Mode and blob of what stands at the top of a commit under this name, None if nothing does."""
        for token in self._stream(subprocess.DEVNULL, "ls-tree", "-z", "--full-tree", commit, "--", name):
            mode, _, blob = token.partition(b"\t")[0].decode().split()
            return mode, blob
        return None

    def _run(self, *words: str, fine: tuple[int, ...] = (0,)) -> bytes:
        with reading(self._path, links=True) as repository:
            try:
                done = subprocess.run(
                    git_command(repository, *words), env=git_environment(repository), cwd="/", stdin=subprocess.DEVNULL,
                    capture_output=True, check=False, start_new_session=True,
                )  # fmt: skip
            except OSError as error:
                raise no_git(error) from error
        if done.returncode not in fine:
            raise self._failed(words[0], done.stderr)
        return done.stdout if done.returncode == 0 else b""

    def _stream(self, given: IO[bytes] | int, *words: str) -> Iterator[bytes]:
        """The NUL-ended tokens of a command's output, as they come."""
        with tempfile.TemporaryFile() as error_file, reading(self._path, links=True) as repository:
            try:
                running = subprocess.Popen(
                    git_command(repository, *words), env=git_environment(repository), cwd="/", stdin=given,
                    stdout=subprocess.PIPE, stderr=error_file, start_new_session=True,
                )  # fmt: skip
            except OSError as error:
                raise no_git(error) from error
            bound(running)
            with running:
                assert running.stdout is not None
                try:
                    yield from _tokens(running.stdout)
                except BaseException:
                    running.kill()
                    raise
            if running.returncode:
                error_file.seek(0)
                raise self._failed(words[0], error_file.read())

    def _failed(self, command: str, said: bytes) -> Unavailable:
        lines = said.decode(errors="backslashreplace").strip().splitlines() or ["no reason given"]
        reason = next((line for line in lines if line.startswith("fatal: ")), lines[-1]).removeprefix("fatal: ")
        if "not a git repository" in reason and not (self._path / ".git").exists():
            return Unavailable(f"{self._path} is not a git repository",
                               cure="name the folder of a repository; a plain folder is a source of --kind folder")
        return Unavailable(f"{self._path}: git {command}: {reason[:300]}", cure="look with: git fsck")


def _commit(row: list[str]) -> Commit:
    try:
        moment = datetime.fromtimestamp(int(row[0]), UTC)
    except (ValueError, OverflowError, OSError):
        moment = None                   # a commit may claim any time at all
    return Commit(row[1], row[2] if len(row) > 2 else None, moment)


def _entry(facts: bytes, rest: Iterator[bytes]) -> Entry:
    _, mode, _, blob, status = facts.decode().split()
    first = next(rest)
    if status[0] in "RC":
        return Entry(status[0], mode, blob, next(rest), first)
    return Entry(status[0], mode, blob, first)


def _tokens(stream: IO[bytes]) -> Iterator[bytes]:
    left = b""
    while block := stream.read(_BLOCK):
        *whole, left = (left + block).split(b"\0")
        yield from whole
