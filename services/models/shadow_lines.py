"""What was seen of a model while it shadows or did, in words for people."""

from collections.abc import Iterator, Mapping
from typing import Any


def shadow_lines(seen: Mapping[str, Any]) -> Iterator[str]:
    """Each figure that there is, beside the number of answers."""
    if seen["answers"]:
        yield (f"{seen['overlap@10']:.0%} of the first ten are the same; the first would change in "
               f"{seen['first_changes']:.0%}, the first three in {seen['first_three_change']:.0%}")
    if "first_falls_to" in seen:
        yield f"where the first would change, it would fall to place {seen['first_falls_to']:.1f} on average"
    if "cited_still_read" in seen:
        yield f"{seen['cited_still_read']:.0%} of the cited passages would still have reached the reranker"
    if turns := seen["interleaving"]:
        low, high = turns["share_of_wins_interval"]
        when = "at the end of its time" if turns.get("decided_at") else "so far, which decides nothing yet"
        yield (f"interleaved, people: {turns['wins']} won, {turns['ties']} even, {turns['losses']} lost; "
               f"share won {low:.0%} to {high:.0%} (95 %), {when}")
