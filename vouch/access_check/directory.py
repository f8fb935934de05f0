"""People and groups: names that the directory lacks, and a directory that locks many people out."""

import difflib
from collections.abc import Iterable, Iterator, Set
from datetime import UTC, datetime, timedelta

from vouch.access import PUBLIC, Directory
from vouch.errors import Guarded

_MOST = 5_000                           # names compared; each costs some microseconds


def groups_of(directory: Directory) -> frozenset[str]:
    """The groups there are: those listed under `groups`; where none is listed, those that people are in."""
    if directory.groups:
        return frozenset(directory.groups)
    return frozenset(group for person in directory.people.values() for group in person.groups)


def is_known(directory: Directory, tag: str) -> bool:
    kind, _, name = tag.partition(":")
    return tag == PUBLIC or name in (groups_of(directory) if kind == "group" else directory.people)


def did_you_mean(name: str, names: Iterable[str], form: str = "{}") -> str:
    """`; did you mean …?` with the nearest of `names`, or nothing if none is near."""
    some = [other for _, other in zip(range(_MOST), sorted(names), strict=False)]
    folded = [other for other in some if other.casefold() == name.casefold()]
    near = folded or difflib.get_close_matches(name, some, 1)
    return f"; did you mean {form.format(near[0])}?" if near else ""


def unknown(directory: Directory, tag: str, verb: str = " is") -> str:
    """That `tag` is not in the directory, with the nearest one that is; empty if it is there."""
    if is_known(directory, tag):
        return ""
    kind, _, name = tag.partition(":")
    names = groups_of(directory) if kind == "group" else directory.people
    return f"{tag}{verb} not in the directory{did_you_mean(name, names, kind + ':{}')}"


def unknown_among(directory: Directory, named: Iterable[str]) -> list[str]:
    """Of each tag that is not there, once. Other names, such as those of accounts, are passed over."""
    tags = (name for name in dict.fromkeys(named) if ":" in name)
    return [told for tag in tags if (told := unknown(directory, tag))]


def asked_in_vain(directory: Directory, tag: str, now: datetime | None = None) -> str:
    """Why a reader named `tag` may get less than whoever asks expects; empty if there is no reason."""
    if told := unknown(directory, tag):
        kind = tag.partition(":")[0]
        reads = "public documents only" if kind == "user" else "what is public or allowed to that very name"
        return f"{told} It reads {reads}" if told.endswith("?") else f"{told} and reads {reads}"
    gone = expired(directory, tag, now)
    return f"{tag} {gone} and reads public documents only" if gone else ""


def expired(directory: Directory, tag: str, now: datetime | None = None) -> str:
    """`expired on DATE` for a person whose last day is over, else nothing."""
    person = directory.people.get(tag.removeprefix("user:")) if tag.startswith("user:") else None
    if person is None or person.until is None or (now or datetime.now(UTC)) < person.until:
        return ""
    return f"expired on {last_day(person.until)}"


def last_day(until: datetime) -> str:
    """As a directory file says it: the last day itself, or the moment where one was written."""
    if until == datetime.max.replace(tzinfo=UTC):
        return "9999-12-31"
    if (until.hour, until.minute, until.second, until.microsecond) == (0, 0, 0, 0):
        return (until - timedelta(days=1)).date().isoformat()
    return until.isoformat()


def directory_warnings(directory: Directory) -> Iterator[str]:
    """Groups that people or other groups are put into, and that are listed nowhere."""
    used: dict[str, str] = {}
    for name, person in directory.people.items():
        used.update({group: f"people: {name}" for group in person.groups if group not in used})
    for name, above in directory.groups.items():
        used.update({group: f"groups: {name}" for group in above if group not in used})
    known = groups_of(directory)
    for group in sorted(used.keys() - known):
        yield f"{used[group]}: {group} is not one of the groups in the file{did_you_mean(group, known)}"


def strangers(directory: Directory, named: Iterable[tuple[str, Set[str]]]) -> Iterator[str]:
    """Which of the tags named by each of these, told in words, the directory does not hold; each tag once."""
    told: set[str] = set()
    for where, tags in named:
        for tag in sorted(tags - told):
            told.add(tag)
            if reason := unknown(directory, tag, ", which is"):
                yield f"{where} names {reason}"
            elif reason := asked_in_vain(directory, tag):
                yield f"{where}: {reason}"


A_FEW = 3                               # fewer may always go


def guard_people(before: Directory, after: Directory, most: float) -> None:
    """Raises Guarded if `after` lacks more than a few people of `before`, and more than the share `most` of them."""
    gone = sorted(before.people.keys() - after.people.keys())
    if len(gone) >= A_FEW and len(gone) / len(before.people) > most:
        some = ", ".join(gone[:A_FEW]) + (", …" if len(gone) > A_FEW else "")
        raise Guarded(
            f"{len(gone)} of {len(before.people)} people would be removed, more than {most:.0%}: {some}",
            cure="if that is right, run again with --allow-removals",
        )
