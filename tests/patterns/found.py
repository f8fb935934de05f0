"""Every regular expression of the product and how it is used, found in the source: a new one cannot be forgotten."""

import ast
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("bots", "cli", "composition", "consumers", "flows", "indexers", "services", "vouch")
MAKES = frozenset({
    "compile", "search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn", "template",
})
USES = MAKES - {"compile", "template"}


@dataclass(frozen=True)
class Found:
    """A pattern of a module: its name there and the ways it is used; match, fullmatch or scan."""

    place: str                          # FILE:LINE
    name: str
    pattern: re.Pattern[str]
    ways: frozenset[str]

    def __str__(self) -> str:
        return f"{self.place} {self.name}"


def every_pattern() -> list[Found]:
    """Of all packages. Raises AssertionError for one that is made where this cannot see how."""
    files = sorted(file for room in PACKAGES for file in (ROOT / room).rglob("*.py"))
    return [found for file in files for found in patterns_of(file.relative_to(ROOT).as_posix(), file.read_text())]


def patterns_of(file: str, source: str) -> Iterator[Found]:
    tree = ast.parse(source)
    assert not [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module in ("re", "regex")], file
    calls = {id(node): node for node in ast.walk(tree) if isinstance(node, ast.Call) and _of_re(node)}
    if not calls:
        return
    named = importlib.import_module(file.removesuffix(".py").replace("/", "."))
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and (inside := _calls(statement, calls)):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            name = ast.unparse(targets[0])
            held = getattr(named, name)
            for number, pattern in enumerate(held if isinstance(held, tuple) else [held]):
                shown = f"{name}[{number}]" if isinstance(held, tuple) else name
                yield Found(f"{file}:{statement.lineno}", shown, pattern, _ways(tree, name))
            for call in inside:
                del calls[id(call)]
    for call in calls.values():
        yield _in_a_function(file, call)


def _in_a_function(file: str, call: ast.Call) -> Found:
    assert isinstance(call.func, ast.Attribute)
    place = f"{file}:{call.lineno}"
    if call.func.attr == "compile" or not (call.args and isinstance(call.args[0], ast.Constant)):
        pattern, ways = MADE_LATER[file]()
        return Found(place, "made when it is needed", pattern, ways)
    return Found(place, "in place", re.compile(call.args[0].value), frozenset({_way(call.func.attr)}))


def _of_re(node: ast.Call) -> bool:
    made = node.func
    return isinstance(made, ast.Attribute) and isinstance(made.value, ast.Name) and made.value.id in ("re", "regex") \
        and made.attr in MAKES


def _calls(tree: ast.AST, calls: dict[int, ast.Call]) -> list[ast.Call]:
    return [calls[id(node)] for node in ast.walk(tree) if id(node) in calls]


def _ways(tree: ast.Module, name: str) -> frozenset[str]:
    """By the methods called on it, or on what a loop over it takes from it; on an unknown use, all there are."""
    names = {name} | {
        loop.target.id for loop in ast.walk(tree) if isinstance(loop, ast.For | ast.comprehension)
        and isinstance(loop.iter, ast.Name) and loop.iter.id == name and isinstance(loop.target, ast.Name)
    }  # fmt: skip
    used = {
        node.attr for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in names
    } & USES  # fmt: skip
    return frozenset(map(_way, used or USES))


def _way(method: str) -> str:
    return method if method in ("match", "fullmatch") else "scan"


def _words() -> tuple[re.Pattern[str], frozenset[str]]:
    from vouch.adapters.analyser import _words

    return _words(), frozenset({"scan"})


def _index_name() -> tuple[re.Pattern[str], frozenset[str]]:
    return re.compile(re.escape("vouch") + r"-[0-9a-f]{12}"), frozenset({"fullmatch"})


def _glob() -> tuple[re.Pattern[str], frozenset[str]]:
    return re.compile("x"), frozenset({"match"})        # tests of access rules look at what patterns cost


MADE_LATER = {
    "vouch/adapters/analyser.py": _words,
    "indexers/elastic/engine.py": _index_name,
    "vouch/globs.py": _glob,
}
