"""A directory that would lock many people out is more often a mistake than a wish."""

from vouch.access import Directory
from vouch.errors import Guarded

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
