"""A hostile or broken git repository as a source: nothing it says is run, and trouble is never a removal."""

import logging
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from git_repo import GitRepo, git
from scans import apply, brief, sha

from vouch.adapters.git.repository import GitRepository
from vouch.adapters.sources.git import GitSource
from vouch.errors import BadInput, Unavailable

pytestmark = pytest.mark.integration

MOST = 200


def source(repo: GitRepo, branch: str = "main") -> GitSource:
    return GitSource("handbook", repo.path, branch, MOST)


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    return GitRepo(tmp_path / "repo.git")


def tree_state(path: Path) -> dict[str, tuple[int, int]]:
    return {str(p): (p.lstat().st_size, p.lstat().st_mtime_ns) for p in path.rglob("*")}


def test_a_hostile_configuration_runs_nothing_and_nothing_is_written(repo: GitRepo, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    script = tmp_path / "evil"
    script.write_text(f"#!/bin/sh\ntouch {marker}\ncat\n")
    script.chmod(0o755)
    repo.commit({"a.md": b"A", ".gitattributes": b"*.md diff=evil filter=evil\n"})
    repo.commit({"b.md": b"A", "c.md": b"C", ".gitattributes": b"*.md diff=evil filter=evil\n"})
    for name, value in {
        "core.hooksPath": str(tmp_path), "core.fsmonitor": str(script), "core.pager": str(script),
        "core.sshCommand": str(script), "core.gitProxy": str(script), "core.alternateRefsCommand": str(script),
        "core.worktree": "../not/there", "diff.external": str(script), "diff.evil.textconv": str(script),
        "diff.evil.command": str(script), "filter.evil.smudge": str(script), "filter.evil.process": str(script),
        "gpg.program": str(script), "log.showSignature": "true", "protocol.allow": "always",
        "protocol.ext.allow": "always", "remote.evil.url": f"ext::{script}", "remote.evil.promisor": "true",
        "remote.evil.partialclonefilter": "blob:none", "extensions.partialClone": "evil",
        "core.repositoryFormatVersion": "1", "alias.rev-list": f"!{script}", "diff.relative": "true",
        "diff.ignoreSubmodules": "all", "diff.renames": "false", "diff.orderFile": "/nothere", "core.bare": "false",
    }.items():  # fmt: skip
        git(repo.path, "config", name, value)
    before = tree_state(repo.path)
    git_source = source(repo)
    scan = git_source.scan({}, {}, until=1)
    scan = git_source.scan(apply({}, scan.changes), scan.cursor)
    assert brief(scan) == [("rename", "b.md", "a.md"), ("upsert", "c.md", None)]
    assert git_source.load(scan.changes[1]).data == b"C"
    with pytest.raises(Unavailable):
        GitRepository(repo.path).objects.read("1" * 40)     # a promised blob: it would be fetched by the evil remote
    assert not marker.exists()
    assert tree_state(repo.path) == before


def test_the_hostile_configuration_would_run_if_git_were_asked_plainly(tmp_path: Path) -> None:
    """The negative control of the test above: the same promise of a blob, without our settings."""
    repo = GitRepo(tmp_path / "repo.git")
    repo.commit({"a.md": b"A"})
    marker, script = tmp_path / "ran", tmp_path / "evil"
    script.write_text(f"#!/bin/sh\ntouch {marker}\n")
    script.chmod(0o755)
    for name, value in {
        "protocol.ext.allow": "always", "remote.evil.url": f"ext::{script}", "remote.evil.promisor": "true",
        "extensions.partialClone": "evil", "core.repositoryFormatVersion": "1",
    }.items():  # fmt: skip
        git(repo.path, "config", name, value)
    subprocess.run(["git", f"--git-dir={repo.path}", "cat-file", "-e", "1" * 40], capture_output=True)
    assert marker.exists()


def test_settings_of_another_repository_in_the_environment_do_not_count(
    repo: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({"a.md": b"A"})
    other = GitRepo(tmp_path / "other.git")
    other.commit({"b.md": b"B"})
    monkeypatch.setenv("GIT_DIR", str(other.path))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other.path / "objects"))
    monkeypatch.setenv("GIT_TRACE", "1")
    assert brief(source(repo).scan({}, {})) == [("upsert", "a.md", None)]


def test_a_replaced_object_and_a_graft_change_nothing(repo: GitRepo) -> None:
    repo.commit({"a.md": b"A", "x.md": b"X"})
    repo.commit({"a.md": b"A2", "x.md": b"X"})
    blob = git(repo.path, "rev-parse", "main:a.md").decode().strip()
    other = git(repo.path, "rev-parse", "main:x.md").decode().strip()
    git(repo.path, "replace", blob, other)
    (repo.path / "info" / "grafts").write_bytes(git(repo.path, "rev-parse", "main"))
    git_source = source(repo)
    assert len(GitRepository(repo.path).line(GitRepository(repo.path).tip("main"))) == 2
    change = next(c for c in git_source.scan({}, {}).changes if c.path == "a.md")
    assert git_source.load(change).data == b"A2"


def test_a_git_that_dies_is_started_again_and_processes_end_with_the_source(repo: GitRepo) -> None:
    repo.commit({"a.md": b"A", "b.md": b"B"})
    git_source = source(repo)
    first, second = git_source.scan({}, {}).changes
    objects = git_source._repository.objects
    for process in objects._open.values():
        process.kill()
        process.wait()
    assert git_source.load(first).data == b"A"
    running = [process.pid for process in objects._open.values()]
    assert git_source.load(second).data == b"B"
    del git_source, objects
    for pid in running:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_repository_that_is_replaced_by_a_fresh_clone_goes_on(repo: GitRepo, tmp_path: Path) -> None:
    repo.commit({"a.md": b"A"})
    git_source = source(repo)
    first = git_source.scan({}, {})
    repo.commit({"a.md": b"A", "b.md": b"B"})
    git(tmp_path, "clone", "-q", "--bare", repo.path, "fresh.git")
    shutil.rmtree(repo.path)
    (tmp_path / "fresh.git").rename(repo.path)
    scan = git_source.scan(apply({}, first.changes), first.cursor)
    assert [c.path for c in scan.changes] == ["b.md"] and git_source.load(scan.changes[0]).data == b"B"


def test_no_git_is_started_with_an_argument_that_a_person_chose_as_an_option(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    repo.commit({"a.md": b"A"})
    caplog.set_level(logging.DEBUG)
    for branch in ("--output=/tmp/x", "-x", "--upload-pack=x"):
        with pytest.raises(BadInput, match="no branch"):
            source(repo, branch).scan({}, {})
    scan = source(repo).scan({"a.md": sha(b"A")}, {"commit": "--output=/tmp/x"})
    assert scan.changes == () and "every document" in scan.notes[0]
