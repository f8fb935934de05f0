"""What people read of a registered model."""

from collections.abc import Mapping
from typing import Any

from cli.output import moment, say
from cli.table import table


def role(row: Mapping[str, Any]) -> str:
    """What it does at present; empty if nothing."""
    if row["current"]:
        return "current" if row["serves"] else f"current, but {row['instead']} serves"
    return f"shadow since {moment(row['shadow_since'])}" if row["shadow_since"] else ""


def say_model(row: Mapping[str, Any]) -> None:
    """All that `show` found."""
    does = role(row)
    say(f"{row['name']}, {row['kind']}, {row['state']}{f', {does}' if does else ''}, made {moment(row['made_at'])}")
    if row["reason"]:
        say(f"  {row['reason']}")
    if row["fingerprint"]:
        say(f"  {row['fingerprint']}")
    if row["unfit"]:
        say(f"  it cannot be used: {row['unfit']}")
    for move in row["moves"]:
        way = f"{move['former'] or '-'} -> {move['model'] or '-'}"
        say(f"  {moment(move['at'])} {way}, by {move['by']}: {move['reason']}")
    if row["shadow"]:
        _say_shadow(row["shadow"])
    weights: Mapping[str, float] = row["weights"]
    heaviest = sorted(weights, key=lambda name: -abs(weights[name]))
    if heaviest:
        table(["feature", "weight"], [(name, weights[name]) for name in heaviest])


def _say_shadow(seen: Mapping[str, Any]) -> None:
    say(f"  shadows {seen['beside']} since {moment(seen['since'])}: {seen['answers']} answers compared"
        + (f", {seen['other_schema']} of another feature schema skipped" if seen["other_schema"] else ""))
    if seen["answers"]:
        say(f"  {seen['overlap@10']:.0%} of the first ten are the same; the first would change in "
            f"{seen['first_changes']:.0%}, the first three in {seen['first_three_change']:.0%}")
    if "first_falls_to" in seen:
        say(f"  where the first would change, it would fall to place {seen['first_falls_to']:.1f} on average")
    if "cited_still_read" in seen:
        say(f"  {seen['cited_still_read']:.0%} of the cited passages would still have reached the reranker")
    if turns := seen["interleaving"]:
        low, high = turns["share_of_wins_interval"]
        say(f"  interleaved, people: {turns['wins']} won, {turns['ties']} even, {turns['losses']} lost; "
            f"share won {low:.0%} to {high:.0%} (95 %)")
    say("  enough to promote it" if seen["enough"] else "  not enough yet to promote it without --early")
