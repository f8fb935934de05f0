"""How git is run without trusting a repository, which must lie whole in the folder that was named.

Always with `--git-dir`, so that no folder above is searched.

Whoever may write into that folder could otherwise lead git, by a link or a
file of git's own, to a repository that only vouch may read, and have it
published under the rules of this one.
"""

import os
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from vouch.errors import BadInput, Unavailable

_ENTRIES = ("HEAD", "packed-refs", "shallow")           # files that lead to commits
_TREES = ("refs", "objects", "reftable")
_BORROWED = ("objects/info/alternates", "objects/info/http-alternates")
_CURE = "if {target} is the repository that is meant, add that as a source: --kind git --path {target}"


@dataclass(frozen=True, slots=True)
class Enclosed:
    """`folder` is the git directory; `common` has the objects and refs: another one for a linked work tree only.

    Two of them differ if what they were found in was exchanged meanwhile: that is `state`.
    """

    folder: Path
    common: Path
    state: tuple[int, ...]

    def check(self) -> None:
        """Raises BadInput if objects of another repository would be read. Costs a few looks at the disk."""
        for name in _BORROWED:
            if _borrows(self.common / name):
                cure = f"make it whole, with `git repack -a -d` in it, and delete {self.common / name}"
                raise BadInput(f"{self.common} borrows objects of another repository", cure=cure)

    def check_links(self) -> None:
        """As `check`, and raises BadInput for a link among refs and objects. Walks through both."""
        self.check()
        for place in {self.folder, self.common}:
            for link in _links(place):
                raise BadInput(f"{link} is a link, and a repository is read without following any",
                               cure="replace it with what it points to")


def enclosed(path: Path) -> Enclosed:
    """The git directory of the repository `path`: its .git, or itself. Links in `path` itself are its owner's choice.

    Raises Unavailable if nothing is there, BadInput if what is there leads elsewhere.
    """
    git_dir = path / ".git" if os.path.lexists(path / ".git") else path
    kind = _kind(git_dir)
    if kind is None:
        raise Unavailable(
            f"repository {path} is not there",
            cure="bring it back; if it moved: vouch source set; if it is gone for good: vouch source remove",
        )
    if git_dir != path and not stat.S_ISDIR(kind):
        git_dir = _linked_work_tree(git_dir)
    common = _common(git_dir)
    return Enclosed(git_dir, common, _state(git_dir, common))


@contextmanager
def reading(path: Path, *, links: bool) -> Iterator[Enclosed]:
    """What git is told of the repository. What it said counts only if the repository is enclosed afterwards too."""
    place = enclosed(path)
    place.check_links() if links else place.check()
    yield place
    if enclosed(path) != place:
        raise Unavailable(f"repository {path} was changed while it was read", cure="run again")
    place.check_links() if links else place.check()


def _state(folder: Path, common: Path) -> tuple[int, ...]:
    """Which folders these are, and when the list of borrowed objects may have been touched last."""
    found = []
    for place in (folder, common, common / "objects"):
        found.append(place.lstat().st_ino if _kind(place) is not None else 0)
    info = common / "objects" / "info"
    return (*found, info.lstat().st_ctime_ns if _kind(info) is not None else 0)


def _common(folder: Path) -> Path:
    """The folder itself, or of a linked work tree's git directory, which lies in worktrees/, the one around it."""
    said = folder / "commondir"
    if not os.path.lexists(said):
        return folder
    around = folder.parent.parent
    leads = Path(os.path.normpath(folder.absolute() / _words(said)))
    if folder.parent.name == "worktrees" and stat.S_ISREG(_kind(said) or 0) and leads == around.absolute():
        return around
    raise BadInput(f"{said} leads to another repository", cure=_CURE.format(target=leads))


def _linked_work_tree(place: Path) -> Path:
    """Where the file .git of a linked work tree leads: to a repository that names this very file in return."""
    target = str(place.readlink()) if place.is_symlink() else _words(place).removeprefix("gitdir:").strip()
    folder = Path(os.path.normpath(place.parent / target))
    if not place.is_symlink() and target and folder.parent.name == "worktrees":
        back = _words(folder / "gitdir")
        if back and os.path.realpath(folder / back) == os.path.realpath(place):
            return folder
    raise BadInput(f"{place} leads to another folder", cure=_CURE.format(target=folder))


def _words(file: Path) -> str:
    """The first line of a small file; nothing of what is no file."""
    if not stat.S_ISREG(_kind(file) or 0):
        return ""
    try:
        with file.open("rb") as opened:
            return opened.read(4096).decode(errors="backslashreplace").partition("\n")[0].strip()
    except OSError:
        return ""


def _borrows(file: Path) -> bool:
    """An empty file of alternates, which some servers leave behind, names none."""
    kind = _kind(file)
    return kind is not None and not (stat.S_ISREG(kind) and file.lstat().st_size == 0)


def _links(place: Path) -> Iterator[Path]:
    """Links where git looks for commits and objects. What cannot be looked at git cannot read either."""
    for name in (*_ENTRIES, *_TREES):
        if stat.S_ISLNK(_kind(place / name) or 0):
            yield place / name
    for name in _TREES:
        for folder, folders, files in os.walk(place / name):
            yield from (Path(folder) / one for one in (*folders, *files) if (Path(folder) / one).is_symlink())


def _kind(place: Path) -> int | None:
    try:
        return place.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise Unavailable(f"{place} cannot be looked at: {error.strerror}", cure="check its permissions") from error


_SAFE = (
    "--no-pager", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never",
    "-c", "advice.graftFileDeprecated=false",
)  # fmt: skip


def git_command(place: Enclosed, *words: str) -> list[str]:
    return ["git", *_SAFE, "-c", f"safe.directory={place.folder}", f"--git-dir={place.folder}", *words]


def git_environment(place: Enclosed) -> dict[str, str]:
    """For reading that repository: its own file `commondir` counts no more."""
    return alone() | {"GIT_COMMON_DIR": str(place.common)}


def alone() -> dict[str, str]:
    """The process's own without any GIT_*, which a hook or a person may have set for another repository."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return variables | {
        "LC_ALL": "C",
        "HOME": os.devnull,
        "XDG_CONFIG_HOME": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_WORK_TREE": "/",           # never looked at; without it the repository's own setting would be
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": "none",   # stronger than any protocol.* of the repository
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",  # an id means its own content
        "GIT_GRAFT_FILE": os.devnull,
    }


def check_branch(name: str) -> None:
    """Raises BadInput unless git takes `name` for a branch."""
    try:
        done = subprocess.run(
            ["git", "check-ref-format", f"refs/heads/{name}"], env=alone(), check=False, capture_output=True
        )
    except (OSError, ValueError) as error:
        raise no_git(error) from error
    if done.returncode:
        raise BadInput(f"{name!r} cannot be the name of a branch", cure="see: git branch")


def no_git(error: Exception) -> Unavailable:
    return Unavailable(f"git cannot be run: {error}", cure="install git, and have it on the PATH")
