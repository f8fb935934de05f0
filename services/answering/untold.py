"""What readers whom nobody knows are not told: numbers that count also what happens to documents they may not read."""

from collections.abc import Sequence

from vouch.access import PUBLIC


def untold(tags: Sequence[str]) -> dict[str, int]:
    """To be laid over what is shown to these readers; nothing for those who are known."""
    return {} if set(tags) - {PUBLIC} else {"index_version": 0, "access_epoch": 0}
