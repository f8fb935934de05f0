"""What a site's robots.txt lets programs fetch (RFC 9309): the longest rule that fits decides, and allowing wins."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote

MOST_BYTES = 500 * 1024                 # that much of the file is looked at, as the standard wants
_MOST_RULES = 2000
_LONGEST_RULE = 500


@dataclass(frozen=True, slots=True)
class Robots:
    """Rules of one site for vouch: (pattern, allowed)."""

    rules: tuple[tuple[str, bool], ...] = ()

    def allows(self, target: str) -> bool:
        fitting = [(len(pattern), allowed) for pattern, allowed in self.rules if _fits(pattern, unquote(target))]
        return max(fitting, default=(0, True))[1]


EVERYTHING, NOTHING = Robots(), Robots((("/", False),))


def parse_robots(data: bytes, agent: str) -> Robots:
    """The rules of all groups that name `agent`, else of those for everybody."""
    own: list[tuple[str, bool]] | None = None
    others: list[tuple[str, bool]] = []
    named: list[str] = []
    heading = False                     # among the lines that say whom a group is for
    for line in data[:MOST_BYTES].decode("utf-8", errors="replace").removeprefix("\ufeff").splitlines():
        field, _, value = (part.strip() for part in line.partition("#")[0].partition(":"))
        if field.lower() == "user-agent":
            named = [*(named if heading else ()), value.lower()]
            heading = True
            if agent in named and own is None:
                own = []
        elif field.lower() in ("allow", "disallow"):
            heading = False
            rule = (unquote(value)[:_LONGEST_RULE], field.lower() == "allow")
            if value and own is not None and agent in named:
                own.append(rule)
            elif value and "*" in named:
                others.append(rule)
    return Robots(tuple((others if own is None else own)[:_MOST_RULES]))


def _fits(pattern: str, target: str) -> bool:
    """`*` stands for any characters and `$` for the end; each piece is looked for once, so this is quick."""
    ends = pattern.endswith("$")
    first, *rest = pattern.removesuffix("$").split("*")
    if not target.startswith(first):
        return False
    return _rest_fits(rest, target, len(first), ends=ends)


def _rest_fits(pieces: Sequence[str], target: str, at: int, *, ends: bool) -> bool:
    for number, piece in enumerate(pieces):
        last = number == len(pieces) - 1
        if last and ends:
            return len(target) - len(piece) >= at and target.endswith(piece)
        found = target.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return not ends or at == len(target)
