"""How git is run without trusting a repository: no hook, helper, filter or network of its configuration ever runs.

Always with `--git-dir`, so that no folder above is searched.
"""

import os
import subprocess

from vouch.adapters.sources.git.enclosed import Enclosed
from vouch.errors import BadInput, Unavailable

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
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {
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
