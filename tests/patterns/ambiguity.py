"""Whether a backtracking engine may take more than linear time over some text: a proof that it does not, or where.

After Weber and Seidl, On the degree of ambiguity of finite automata (1991): the
ways through an automaton grow with the text only if one word leads from a
state p both back to p and to another state q, and from q back to q; or from p
to p in two ways. A way that comes where the pattern matches, whatever follows,
ends the search and leads to no going back.
"""

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from patterns.automaton import Automaton, automaton

Place = tuple[int, str]                 # a state, and what stands before it
Steps = dict[Place, dict[str, list[int]]]


def growth(pattern: re.Pattern[str], how: str) -> str:
    """Empty if matching is linear; otherwise what makes it grow. `how` is match, fullmatch or scan (all others)."""
    return _Judged(automaton(pattern, restarts=how == "scan"), how).growth()


@dataclass
class _Judged:
    built: Automaton
    how: str

    def growth(self) -> str:
        if self.built.idles():
            return "exponential: what is repeated may be empty"
        for p in self._loops:
            if word := self._twice(p):
                return f"exponential: {word!r} over and over may be taken in two ways"
        for p in self._loops:
            for q in self._loops:
                if p != q and q in self._reached[p] and (word := self._word(p, q)):
                    return f"polynomial: {word!r} over and over may be taken by one loop or the next"
        return ""

    @cached_property
    def _like(self) -> dict[str, str]:
        return self.built.alike()

    @cached_property
    def _befores(self) -> list[str]:
        ones = sorted(set(self._like.values()))
        return ["", *ones, *(a + b for a in ones for b in ones if self.built.back > 1)]

    def _behind(self, before: str, char: str) -> str:
        return (before + self._like[char])[-self.built.back :]

    @cached_property
    def _all_steps(self) -> Steps:
        steps: Steps = {}
        for state in range(self.built.size):
            for before in self._befores:
                found = {char: self.built.step(state, before, char) for char in self.built.kinds}
                steps[state, before] = {char: to for char, to in found.items() if to}
        return steps

    @cached_property
    def _steps(self) -> Steps:
        """Only such as do not come through a certain match."""
        return {
            (state, before): found if self._restarts(state) else {
                char: to for char, to in found.items() if not self._passes(state, before, char, to)
            } for (state, before), found in self._all_steps.items()
        }  # fmt: skip

    def _passes(self, state: int, before: str, char: str, to: list[int]) -> bool:
        if self.how != "fullmatch" and self.built.accept in self.built.ways(state, before, char, surely=True):
            return True
        return any(self._sure(one, self._behind(before, char)) for one in to)

    @cached_property
    def _middle(self) -> Steps:
        return self._all_steps if self.how == "scan" else self._steps       # a match ends one search of many

    def _restarts(self, state: int) -> bool:
        return self.how == "scan" and state == 0

    def _sure(self, state: int, before: str) -> bool:
        """Whether the pattern has matched here, or will, whatever follows."""
        if self.how == "fullmatch":
            return (state, before) in self._universal
        return not self._restarts(state) and (state, before) in self._matched

    @cached_property
    def _matched(self) -> set[Place]:
        after, built = [*self.built.kinds, ""], self.built
        return {(state, before) for state, before in self._all_steps
                if all(built.accept in built.ways(state, before, char, surely=True) for char in after)}

    @cached_property
    def _universal(self) -> set[Place]:
        """From where every text is taken to its end."""
        left = {place for place in self._all_steps if self.built.accept in self.built.ways(*place, "", surely=True)}
        while True:
            kept = {place for place in left if all(
                any((to, self._behind(place[1], char)) in left for to in self._all_steps[place].get(char, []))
                for char in self.built.kinds
            )}  # fmt: skip
            if kept == left:
                return left
            left = kept

    @cached_property
    def _reached(self) -> dict[int, set[int]]:
        """For each state those that lie behind it, itself only if there is a way back."""
        direct: dict[int, set[int]] = defaultdict(set)
        for (state, _), found in self._middle.items():
            direct[state].update(*found.values())
        reached = {state: set(direct[state]) for state in range(self.built.size)}
        for behind in reached.values():
            waiting = list(behind)
            while waiting:
                new = direct[waiting.pop()] - behind
                behind |= new
                waiting += new
        return reached

    @cached_property
    def _loops(self) -> list[int]:
        return [state for state in range(self.built.size) if state in self._reached[state]]

    def _ring(self, one: int) -> set[int]:
        return {state for state in self._reached[one] if one in self._reached[state]}

    def _twice(self, p: int) -> str:
        """A word that leads from p to p in two ways; empty if there is none."""
        ring = self._ring(p)
        for start in self._befores:
            waiting = [(start, p, p, False, "")]
            seen = {waiting[0][:4]}
            while waiting:
                before, a, b, apart, word = waiting.pop()
                others = self._steps[b, before]
                for char, ones in self._steps[a, before].items():
                    for x in set(ones) & ring:
                        for y in set(others.get(char, ())) & ring:
                            split = apart or x != y or (a == b and ones.count(x) > 1)
                            now = (self._behind(before, char), x, y, split)
                            if now == (start, p, p, True):
                                return word + char
                            if now not in seen:
                                seen.add(now)
                                waiting.append((*now, word + char))
        return ""

    def _word(self, p: int, q: int) -> str:
        """A word from p to p, from p to q and from q to q; empty if there is none."""
        first, last = self._ring(p), self._ring(q)
        for start in self._befores:
            if not self._both(p, q, start, first, last):
                continue
            waiting = [(start, p, p, q, "")]
            seen = {waiting[0][:4]}
            while waiting:
                before, a, b, c, word = waiting.pop(0)
                lasts, middles = self._steps[c, before], self._middle[b, before]
                for char, ones in self._steps[a, before].items():
                    for z in set(lasts.get(char, ())) & last:
                        for x in set(ones) & first:
                            for y in set(middles.get(char, ())):
                                now = (self._behind(before, char), x, y, z)
                                if now == (start, p, q, q):
                                    return word + char
                                if (y == q or q in self._reached[y]) and now not in seen:
                                    seen.add(now)
                                    waiting.append((*now, word + char))
        return ""

    def _both(self, p: int, q: int, start: str, first: set[int], last: set[int]) -> bool:
        """Whether some word leads from p to p and from q to q: quick to see, and most often not so."""
        waiting, seen = [(start, p, q)], set()
        while waiting:
            before, a, c = waiting.pop()
            lasts = self._steps[c, before]
            for char, ones in self._steps[a, before].items():
                for z in set(lasts.get(char, ())) & last:
                    for x in set(ones) & first:
                        now = (self._behind(before, char), x, z)
                        if now == (start, p, q):
                            return True
                        if now not in seen:
                            seen.add(now)
                            waiting.append(now)
        return False
