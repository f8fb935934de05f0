"""A pattern as a nondeterministic automaton over a few kinds of characters.

What a backtracking engine does more than this, the automaton leaves out or
takes for more than it is: looks of several characters ahead hold always, and
are besides a way of their own that leads nowhere; an atomic group may be left
in every way. So it has all ways the engine can go, and sometimes more.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

parser: Any = re._parser                # type: ignore[attr-defined]
compiler: Any = re._compiler            # type: ignore[attr-defined]
C: Any = re._constants                  # type: ignore[attr-defined]
UNROLLED = 8                            # repeats bounded by more are two in a row: a bound is no loop
_SAMPLE = [*map(chr, range(128)), *"\x85\xa0éßÄı中。！・’”…–•»\u0300\u0663\u200b\u2028😀"]
Near = Callable[[str, str], bool]       # by the characters before and after a place; empty at the ends of the text


def always(before: str, after: str) -> bool:
    return True


@dataclass
class Automaton:
    """State 0 is the first; `free` edges read nothing, `reading` edges one of their characters."""

    kinds: list[str]                    # one character of each kind that the pattern tells apart
    free: dict[int, list[tuple[Near, int]]] = field(default_factory=lambda: defaultdict(list))
    doubtful: set[tuple[int, int]] = field(default_factory=set)     # free edges that the engine may not find open
    reading: dict[int, list[tuple[frozenset[str], int]]] = field(default_factory=lambda: defaultdict(list))
    size: int = 1
    accept: int = -1
    back: int = 1                       # so many characters before a place tell

    def state(self) -> int:
        self.size += 1
        return self.size - 1

    def ways(self, state: int, before: str, after: str, *, surely: bool = False) -> list[int]:
        """The states that free edges lead to, each as often as there are ways to it."""
        found: list[int] = []

        def walk(at: int, seen: frozenset[int]) -> None:
            found.append(at)
            for near, to in self.free[at]:
                if to not in seen and near(before, after) and not (surely and (at, to) in self.doubtful):
                    walk(to, seen | {to})

        walk(state, frozenset({state}))
        return found

    def alike(self) -> dict[str, str]:
        """For each kind one that the edges take for the same when it stands before a place."""
        nears = {near for edges in self.free.values() for near, _ in edges if near is not always}
        beside = self.kinds if self.back > 1 else []
        first: dict[tuple[bool, ...], str] = {}
        return {kind: first.setdefault(tuple(
            near(before, after) for near in nears for after in (*self.kinds, "")
            for before in (kind, *(kind + x for x in beside), *(x + kind for x in beside))
        ), kind) for kind in self.kinds}  # fmt: skip

    def idles(self) -> bool:
        """Whether it can go round without reading."""
        direct = {state: {to for _, to in edges} for state, edges in self.free.items()}
        reached = {state: set(to) for state, to in direct.items()}
        for behind in reached.values():
            waiting = list(behind)
            while waiting:
                new = direct.get(waiting.pop(), set()) - behind
                behind |= new
                waiting += new
        return any(state in behind for state, behind in reached.items())

    def step(self, state: int, before: str, char: str) -> list[int]:
        """The states after `char`, each as often as there are ways to it."""
        return [to for at in self.ways(state, before, char) for chars, to in self.reading[at] if char in chars]


def automaton(pattern: re.Pattern[str], *, restarts: bool) -> Automaton:
    """With `restarts` the pattern may begin anywhere: state 0 reads everything for ever."""
    tree = parser.parse(pattern.pattern, pattern.flags)
    builder = _Builder(tree.state, pattern.flags)
    built = Automaton(builder.kinds_of(tree))
    builder.built = built
    start = 0
    if restarts:
        built.reading[0].append((frozenset(built.kinds), 0))
        start = built.state()
        built.free[0].append((always, start))
    built.accept = builder.row(tree, start)
    return built


class _Builder:
    built: Automaton

    def __init__(self, state: Any, flags: int) -> None:
        self._state, self._flags = state, flags
        self._groups: dict[int, Any] = {}

    def kinds_of(self, tree: Any) -> list[str]:
        """Characters that every set of the pattern takes or leaves together are one kind."""
        atoms = list(_atoms(tree))
        sample = dict.fromkeys([*_SAMPLE, *(chr(c) for c in _literals(tree) if c < 0x110000)])
        kinds: dict[tuple[bool, ...], str] = {}
        for char in sample:
            told = (char == "\n", char.isalnum() or char == "_", *(self._takes(atom, char) for atom in atoms))
            kinds.setdefault(told, char)
        return list(kinds.values())

    def row(self, items: Iterable[Any], start: int) -> int:
        for operation, argument in items:
            start = self._item(operation, argument, start)
        return start

    def _takes(self, atom: Any, char: str) -> bool:
        return _compiled(self._state, self._flags, repr(atom), _Held(atom)).match(char) is not None

    def _set(self, atom: Any) -> frozenset[str]:
        return frozenset(char for char in self.built.kinds if self._takes(atom, char))

    def _item(self, operation: Any, argument: Any, start: int) -> int:
        built = self.built
        if operation in _READS:
            built.reading[start].append((self._set((operation, argument)), end := built.state()))
            return end
        if operation is C.SUBPATTERN:
            if argument[1] or argument[2]:
                raise NotImplementedError("flags of a group: give them to the whole pattern")
            self._groups[argument[0]] = argument[-1]
            return self.row(argument[-1], start)
        if operation is C.ATOMIC_GROUP:
            return self._free(self.row(argument, start), doubtful=True)
        if operation is C.BRANCH:
            ends = [self.row(branch, self._free(start)) for branch in argument[1]]
            end = built.state()
            for one in ends:
                built.free[one].append((always, end))
            return end
        if operation in (C.MAX_REPEAT, C.MIN_REPEAT, C.POSSESSIVE_REPEAT):
            return self._repeat(operation, *argument, start)
        if operation in (C.ASSERT, C.ASSERT_NOT):
            return self._look(operation is C.ASSERT, *argument, start)
        if operation is C.AT:
            return self._free(start, self._place(argument))
        if operation is C.GROUPREF:     # anything that the group may hold
            return self._free(self.row(self._groups[argument], start), doubtful=True)
        raise NotImplementedError(f"no test knows {operation}")

    def _free(self, start: int, near: Near = always, *, doubtful: bool = False) -> int:
        end = self.built.state()
        self.built.free[start].append((near, end))
        if doubtful:
            self.built.doubtful.add((start, end))
        return end

    def _repeat(self, operation: Any, least: int, most: Any, body: Any, start: int) -> int:
        for _ in range(min(least, UNROLLED)):
            start = self.row(body, start)
        near, doubtful = always, operation is C.POSSESSIVE_REPEAT
        if doubtful and len(body) == 1 and body[0][0] in _READS:
            stays, doubtful = self._set(body[0]), False
            near = lambda _, after: after not in stays      # noqa: E731
        if most is not C.MAXREPEAT:
            end = self.built.state()
            bound = most - least if most <= UNROLLED else 2
            for _ in range(bound):
                self.built.free[start].append((near, end))
                start = self.row(body, self._free(start))
            self.built.free[start].append((always, end))
            return self._free(end, doubtful=doubtful)
        hub = self._free(start)
        self.built.free[self.row(body, self._free(hub))].append((always, hub))
        return self._free(hub, near, doubtful=doubtful)

    def _look(self, wanted: bool, direction: int, body: Any, start: int) -> int:
        branches = body[0][1][1] if len(body) == 1 and body[0][0] is C.BRANCH else [body]
        tells = [self._tells(branch, direction) for branch in branches]
        if all(tells):
            def near(before: str, after: str) -> bool:
                return any(tell(before, after) for tell in tells if tell) is wanted
            return self._free(start, near)
        if direction > 0:
            self.row(body, self._free(start))           # its end leads nowhere
        return self._free(start, doubtful=True)

    def _tells(self, branch: Any, direction: int) -> Near | None:
        """What a look at one character or place tells, or at two before; None for longer ones."""
        if len(branch) == 1 and branch[0][0] is C.AT:
            return self._place(branch[0][1])
        if len(branch) == 1 and branch[0][0] in _READS:
            chars = self._set(branch[0])
            return (lambda before, after: after in chars) if direction > 0 else (
                lambda before, after: before[-1:] in chars)
        if direction < 0 and len(branch) == 2 and all(operation in _READS for operation, _ in branch):
            self.built.back = 2
            one, two = map(self._set, branch)
            return lambda before, after: before[-1:] in two and before[-2:-1] in one
        return None

    def _place(self, at: Any) -> Near:
        lines = bool(self._flags & re.MULTILINE)
        if at in (C.AT_BEGINNING, C.AT_BEGINNING_STRING):
            return lambda before, after: not before or (lines and at is C.AT_BEGINNING and before[-1] == "\n")
        if at is C.AT_END_STRING:
            return lambda before, after: not after
        if at is C.AT_END:
            return lambda before, after: not after or after == "\n"
        inside = at is C.AT_BOUNDARY
        return lambda before, after: (_word(before[-1:]) != _word(after)) is inside


class _Held:
    """Any value, equal to all others: what it is stands beside it, as a repr."""

    def __init__(self, held: Any) -> None:
        self.held = held

    def __hash__(self) -> int:
        return 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held)


@cache
def _compiled(state: Any, flags: int, said: str, atom: _Held) -> re.Pattern[str]:
    made: re.Pattern[str] = compiler.compile(parser.SubPattern(state, [atom.held]), flags)
    return made


_READS = (C.LITERAL, C.NOT_LITERAL, C.ANY, C.IN)


def _word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _atoms(tree: Any) -> Iterable[Any]:
    for operation, argument in tree:
        if operation in _READS:
            yield operation, argument
        for inner in _inner(operation, argument):
            yield from _atoms(inner)


def _literals(tree: Any) -> Iterable[int]:
    for operation, argument in _atoms(tree):
        for one, value in argument if operation is C.IN else [(operation, argument)]:
            if one in (C.LITERAL, C.NOT_LITERAL):
                yield value
            elif one is C.RANGE:
                yield from (value[0], value[1], value[1] + 1)


def _inner(operation: Any, argument: Any) -> list[Any]:
    if operation is C.SUBPATTERN:
        return [argument[-1]]
    if operation is C.ATOMIC_GROUP:
        return [argument]
    if operation is C.BRANCH:
        return list(argument[1])
    if operation in (C.MAX_REPEAT, C.MIN_REPEAT, C.POSSESSIVE_REPEAT):
        return [argument[2]]
    if operation in (C.ASSERT, C.ASSERT_NOT):
        return [argument[1]]
    return []
