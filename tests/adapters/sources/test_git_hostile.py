"""A hostile or broken git repository as a source: nothing it says is run, and trouble is never a removal."""

import logging
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from homes.git_repo import GitRepo, git
from homes.scans import apply, brief, sha

from vouch.adapters.sources.git.command import reading
from vouch.adapters.sources.git.repository import GitRepository
from vouch.adapters.sources.git.source import GitSource
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


# What follows: somebody may write into the folder of `wiki`, and vouch may also read `private`.

SECRET = b"# Salaries\n\n91,000 euros.\n"


@pytest.fixture
def private(tmp_path: Path) -> GitRepo:
    made = GitRepo(tmp_path / "private.git")
    made.commit({"notes/salaries.md": SECRET})
    return made


@pytest.fixture
def wiki(tmp_path: Path) -> Path:
    """A clone with a work tree and one document."""
    (tmp_path / "wiki").mkdir()
    git(tmp_path / "wiki", "init", "-q", "-b", "main")
    (tmp_path / "wiki" / "a.md").write_bytes(b"A")
    git(tmp_path / "wiki", "add", "a.md")
    git(tmp_path / "wiki", "commit", "-qm", "first")
    return tmp_path / "wiki"


def tip(private: GitRepo) -> str:
    return git(private.path, "rev-parse", "main").decode().strip()


def alternates(wiki: Path, private: GitRepo) -> None:
    (wiki / ".git" / "objects" / "info" / "alternates").write_text(f"{private.path}/objects\n")
    (wiki / ".git" / "refs" / "heads" / "main").write_text(tip(private))


def chained_alternates(wiki: Path, private: GitRepo) -> None:
    """Only a tree is known, and it is put beside the pages that were there: no guard against removals would notice."""
    tree = git(private.path, "rev-parse", "main:notes").decode().strip()
    mine = git(wiki, "rev-parse", "main:a.md").decode().strip()
    rows = f"040000 tree {tree}\tnotes\n100644 blob {mine}\ta.md\n".encode()
    whole = git(wiki, "mktree", "--missing", given=rows).decode().strip()
    commit = git(wiki, "commit-tree", whole, "-p", "main", "-m", "x").decode().strip()
    git(wiki, "update-ref", "refs/heads/main", commit)
    (wiki / ".git" / "objects" / "info" / "alternates").write_text("../../../between/objects\n")
    between = wiki.parent / "between" / "objects" / "info"
    between.mkdir(parents=True)
    (between / "alternates").write_text(f"{private.path}/objects\n")


def gitfile(wiki: Path, private: GitRepo) -> None:
    shutil.rmtree(wiki / ".git")
    (wiki / ".git").write_text(f"gitdir: {private.path}\n")


def forged_work_tree(wiki: Path, private: GitRepo) -> None:
    """It looks like a linked work tree of the private repository, which knows of none."""
    (wiki / "worktrees" / "w").mkdir(parents=True)
    (wiki / "worktrees" / "w" / "HEAD").write_text("ref: refs/heads/main\n")
    (wiki / "worktrees" / "w" / "gitdir").write_text(f"{wiki}/.git\n")
    (wiki / "worktrees" / "w" / "commondir").write_text(f"{private.path}\n")
    shutil.rmtree(wiki / ".git")
    (wiki / ".git").write_text(f"gitdir: {wiki}/worktrees/w\n")


def symlink(wiki: Path, private: GitRepo) -> None:
    shutil.rmtree(wiki / ".git")
    (wiki / ".git").symlink_to(private.path)


def commondir(wiki: Path, private: GitRepo) -> None:
    (wiki / ".git" / "commondir").write_text(f"{private.path}\n")


def linked_objects(wiki: Path, private: GitRepo) -> None:
    shutil.rmtree(wiki / ".git" / "objects")
    (wiki / ".git" / "objects").symlink_to(private.path / "objects")
    (wiki / ".git" / "refs" / "heads" / "main").write_text(tip(private))


def linked_packs(wiki: Path, private: GitRepo) -> None:
    git(private.path, "repack", "-a", "-d", "-q")
    (wiki / ".git" / "objects" / "pack").rmdir()
    (wiki / ".git" / "objects" / "pack").symlink_to(private.path / "objects" / "pack")
    (wiki / ".git" / "refs" / "heads" / "main").write_text(tip(private))


def linked_refs(wiki: Path, private: GitRepo) -> None:
    linked_packs(wiki, private)
    (wiki / ".git" / "refs" / "heads" / "main").unlink()
    (wiki / ".git" / "refs" / "heads" / "main").symlink_to(private.path / "refs" / "heads" / "main")


WAYS = [alternates, chained_alternates, gitfile, forged_work_tree, symlink, commondir, linked_objects, linked_packs,
        linked_refs]


@pytest.mark.parametrize("way", WAYS)
def test_what_leads_to_another_repository_is_refused_and_named(way, wiki: Path, private: GitRepo) -> None:
    git_source = GitSource("wiki", wiki, "main", MOST)
    first = git_source.scan({}, {})
    assert brief(first) == [("upsert", "a.md", None)]
    way(wiki, private)
    for again in (git_source, GitSource("wiki", wiki, "main", MOST)):
        with pytest.raises(BadInput, match=r"leads to another|borrows objects|is a link") as refused:
            again.scan(apply({}, first.changes), first.cursor)
        assert refused.value.cure
    with pytest.raises(BadInput):
        GitSource("wiki", wiki, "main", MOST).load(first.changes[0])


@pytest.mark.parametrize("way", WAYS)
def test_each_of_these_ways_leads_git_there(way, wiki: Path, private: GitRepo) -> None:
    """The negative control: plain git reads the private document by them."""
    way(wiki, private)
    place = ["--git-dir", wiki / ".git"]
    name = git(wiki, *place, "ls-tree", "-r", "--name-only", "main").decode().split()[-1]
    assert name == "notes/salaries.md" and git(wiki, *place, "cat-file", "blob", f"main:{name}") == SECRET


def test_a_blob_is_not_read_through_what_came_after_the_scan(wiki: Path, private: GitRepo) -> None:
    git_source = GitSource("wiki", wiki, "main", MOST)
    (change,) = git_source.scan({}, {}).changes
    assert git_source.load(change).data == b"A"
    objects = git_source._repository.objects
    secret = git(private.path, "rev-parse", "main:notes/salaries.md").decode().strip()
    alternates(wiki, private)
    with pytest.raises(BadInput, match="borrows objects"):
        objects.read(secret)
    (wiki / ".git" / "objects" / "info" / "alternates").unlink()
    with pytest.raises(Unavailable):            # nor by a process that saw it while it was there
        objects.read(secret)


def test_what_is_exchanged_while_git_reads_and_put_back_is_noticed(wiki: Path, private: GitRepo) -> None:
    with pytest.raises(Unavailable, match="was changed while it was read"), reading(wiki, links=True):
        alternates(wiki, private)
        (wiki / ".git" / "objects" / "info" / "alternates").unlink()


def test_ordinary_repositories_are_read(wiki: Path, tmp_path: Path) -> None:
    """Named by a link of the person's own, cloned, bare, packed; with hooks elsewhere; linked work trees both ways."""
    git(tmp_path, "clone", "-q", wiki, "clone")
    git(tmp_path, "clone", "-q", "--bare", wiki, "bare.git")
    git(tmp_path / "bare.git", "gc", "-q")
    git(tmp_path / "bare.git", "update-server-info")
    (tmp_path / "bare.git" / "objects" / "info" / "alternates").touch()
    (tmp_path / "named").symlink_to(tmp_path / "bare.git")
    git(wiki, "worktree", "add", "-q", tmp_path / "linked")
    shutil.rmtree(wiki / ".git" / "hooks")
    (wiki / ".git" / "hooks").symlink_to(tmp_path)
    places = [wiki, wiki / ".git", tmp_path / "clone", tmp_path / "bare.git", tmp_path / "named", tmp_path / "linked",
              wiki / ".git" / "worktrees" / "linked"]
    for place in places:
        git_source = GitSource("wiki", place, "main", MOST)
        (change,) = git_source.scan({}, {}).changes
        assert git_source.load(change).data == b"A", place


def test_a_clone_that_borrows_is_read_once_it_is_made_whole_as_the_message_says(wiki: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--shared", wiki, "borrower")
    borrower = GitSource("wiki", tmp_path / "borrower", "main", MOST)
    with pytest.raises(BadInput, match="borrows objects") as refused:
        borrower.scan({}, {})
    assert "git repack -a -d" in refused.value.cure
    git(tmp_path / "borrower", "repack", "-a", "-d", "-q")
    (tmp_path / "borrower" / ".git" / "objects" / "info" / "alternates").unlink()
    assert brief(borrower.scan({}, {})) == [("upsert", "a.md", None)]
