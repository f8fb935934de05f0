"""Patterns of paths: what they match, in bounded time, and whether one matches everything that another does.

`*` and `?` stop at a slash, `**` does not, and `**/` also matches nothing.
"""

import re
import unicodedata
from collections import deque
from functools import lru_cache

_TOKEN = re.compile(r"\*\*/|\*\*|\*|\?|[^*?]", re.DOTALL)
_AFTER = {"*": "[^/]*?", "**": ".*?", "**/": "(?:[^/]*/)*?"}    # where the piece behind such a sign may begin
_OTHER = "\ue000"                       # stands for every character that neither pattern names


def nfc(text: str) -> str:
    """Systems store é in two ways; patterns and paths are compared in this one."""
    return unicodedata.normalize("NFC", text)


def signs(pattern: str) -> list[str]:
    """The pattern's wildcards and single characters, in order."""
    return _TOKEN.findall(pattern)


def glued(pattern: str) -> bool:
    """Whether a `**/` begins inside a name, as in `a**/b`, which also matches `ab`."""
    return _glued(signs(pattern)) is not None


def unfinished(pattern: str) -> str:
    """The bracket that the pattern opens and never closes: half of what somebody meant. Empty if there is none."""
    return next((opens for opens, closes in ("[]", "{}") if pattern.rfind(opens) > pattern.rfind(closes)), "")


@lru_cache(maxsize=2048)
def compiled(pattern: str) -> re.Pattern[str]:
    """For `match`: it finds the whole path or nothing.

    The piece behind each wildcard is taken where it first fits and never
    looked for again (`(?>…)`): later places could only leave less of the path.
    So a hostile name costs its length times the pattern's, never their power.
    """
    ways = "|".join(_expression(way) for way in _spread(signs(nfc(pattern))))
    return re.compile(rf"(?:{ways})\Z", re.DOTALL)


def _glued(parts: list[str]) -> int | None:
    return next((n for n, t in enumerate(parts) if t == "**/" and n and parts[n - 1] not in ("/", "**/")), None)


def _spread(parts: list[str]) -> list[list[str]]:
    """The same without a `**/` inside a name: it is nothing, or `**` and a slash."""
    at = _glued(parts)
    if at is None:
        return [parts]
    before, behind = parts[:at], parts[at + 1 :]
    return [*_spread(before + behind), *_spread([*before, "**", "/", *behind])]


def _expression(parts: list[str]) -> str:
    """Stretches between the wildcards that cross slashes, one after another."""
    runs: list[tuple[str, list[str]]] = [("", [])]
    for sign in parts:
        if sign in ("**", "**/"):
            runs.append((sign, []))
        else:
            runs[-1][1].append(sign)
    last = len(runs) - 1
    return "".join(_run(wild, run, ends=n == last) for n, (wild, run) in enumerate(runs))


def _run(wild: str, parts: list[str], *, ends: bool) -> str:
    """A stretch without `**`: searched for from where `wild` allows, and anchored to the end if it is the last."""
    if ends and wild == "**" and not parts:
        return ".*"
    pieces = [""]
    for sign in parts:
        if sign == "*":
            pieces.append("")
        else:
            pieces[-1] += "[^/]" if sign == "?" else re.escape(sign)
    inner = pieces[0] + "".join(f"(?>{_AFTER['*']}{piece})" for piece in pieces[1:-1] if piece)
    if len(pieces) > 1:
        inner += f"[^/]*{pieces[-1]}" if ends else f"(?>{_AFTER['*']}{pieces[-1]})"
    search = _AFTER.get(wild, "") + inner
    return search if ends else f"(?>{search})"


class Coverage:
    """Which patterns match everything that others do. Says no once `work` is used up: hostile ones may take long."""

    def __init__(self, work: int = 100_000) -> None:
        self._work = work

    def covers(self, wider: str, pattern: str) -> bool:
        """Whether every path that `pattern` matches is matched by `wider` too."""
        if wider == pattern:
            return True
        inner, outer = signs(nfc(pattern)), signs(nfc(wider))
        letters = {t for t in (*inner, *outer) if t not in ("*", "**", "**/", "?")} | {"/", _OTHER}
        start = (_closure(inner, {(0, False)}), _closure(outer, {(0, False)}))
        seen, queue = {start}, deque([start])
        while queue and self._work > 0:
            mine, theirs = queue.popleft()
            if (len(inner), False) in mine and (len(outer), False) not in theirs:
                return False
            self._work -= len(letters) * (len(mine) + len(theirs))
            for letter in letters:
                following = (_step(inner, mine, letter), _step(outer, theirs, letter))
                if following[0] and following not in seen:
                    seen.add(following)
                    queue.append(following)
        return not queue


_State = tuple[int, bool]               # how many signs are done, and whether a `**/` is under way


def instance(pattern: str) -> str:
    """One path that the pattern matches; what matches all its paths matches this one."""
    return "".join({"*": _OTHER, "**": f"{_OTHER}/{_OTHER}", "**/": f"{_OTHER}/", "?": _OTHER}.get(t, t)
                   for t in signs(nfc(pattern)))


def _closure(parts: list[str], states: set[_State]) -> frozenset[_State]:
    found = set(states)
    for n, under_way in sorted(states):
        while not under_way and n < len(parts) and parts[n] in ("*", "**", "**/"):
            n += 1
            found.add((n, False))
    return frozenset(found)


def _step(parts: list[str], states: frozenset[_State], letter: str) -> frozenset[_State]:
    after: set[_State] = set()
    for n, _ in states:
        sign = parts[n] if n < len(parts) else None
        if sign == "**/":
            after |= {(n, True), (n + 1, False)} if letter == "/" else {(n, True)}
        elif sign == "**" or (sign == "*" and letter != "/"):
            after.add((n, False))
        elif sign == letter or (sign == "?" and letter != "/"):
            after.add((n + 1, False))
    return _closure(parts, after)
