"""The packages that an installation of vouch without any extra has, and a Python that finds no others."""

import os
import tomllib
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

_HIDING = """
import importlib.machinery, sys

class Hiding(importlib.machinery.PathFinder):
    names = frozenset({names!r})

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name in cls.names or name.partition(".")[0] in cls.names:
            return None                 # as of a package that is not installed, which libraries look for in this way
        return super().find_spec(name, path, target)

sys.meta_path[:] = [Hiding if one is importlib.machinery.PathFinder else one for one in sys.meta_path]
"""


def closure(requirements: list[str]) -> set[str]:
    """Names of the distributions that come with these, as far as they are installed."""
    found: set[str] = set()
    waiting = [Requirement(text) for text in requirements]
    seen: set[tuple[str, str]] = set()
    while waiting:
        one = waiting.pop()
        name = canonicalize_name(one.name)
        for extra in ("", *one.extras):
            if (name, extra) in seen:
                continue
            seen.add((name, extra))
            try:
                further = [Requirement(text) for text in requires(name) or ()]
            except PackageNotFoundError:        # of another system, or another Python
                continue
            found.add(name)
            waiting += [r for r in further if r.marker is None or r.marker.evaluate({"extra": extra})]
    return found


def hidden_modules() -> set[str]:
    """Top-level modules that are installed here and belong to no package of the default set."""
    kept = {*closure(PROJECT["dependencies"]), "vouch"}
    owners = {top: {canonicalize_name(one) for one in dists} for top, dists in packages_distributions().items()}
    return {top for top, dists in owners.items() if not dists & kept and top.isidentifier()}


def without_extras(folder: Path) -> dict[str, str]:
    """The environment of a Python, and of all it starts, to which nothing but the default packages is installed."""
    (folder / "sitecustomize.py").write_text(_HIDING.format(names=hidden_modules()))
    return {**{name: value for name, value in os.environ.items() if not name.startswith("VOUCH_")},
            "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}
