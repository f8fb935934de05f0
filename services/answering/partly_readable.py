"""What is still told of an answer's further steps where something that it was made from may not be read any more."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from vouch.values.made_by import RULES

_WORDLESS = ("tool", "by", "by_rules", "error", "ms")


def chunks_named(rows: Sequence[Mapping[str, Any]]) -> set[str]:
    """By steps as the ledger keeps them: what they found, and what words of their queries are from."""
    return {one for row in rows for one in (*(named for named, _ in row["found"]), *row["args"].get("words_of", ()))}


def steps_told(body: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], seen: Collection[str]) -> dict[str, Any]:
    """The steps with what was found and is among `seen`; `withheld` where words of theirs may be from elsewhere.

    Of parts that are open only how many there are, as a language model may have taken words of them from titles. So
    may words of any query be where titles completed the question.
    """
    if not body.get("stopped"):
        return {}
    rules = "" if body.get("searched_as") else body.get("planned_by") or RULES
    steps = [_step(step, row, rules, seen) for step, row in zip(body.get("steps", ()), rows, strict=True)]
    orders = [{**one, "thought": one["thought"] if _is_by_rules(one, rules) else ""} for one in body.get("orders", ())]
    open_parts = [""] * len(body.get("open_parts", ()))
    return {"stopped": body["stopped"], "steps": steps, "orders": orders,
            **({"open_parts": open_parts} if open_parts else {})}


def _step(step: Mapping[str, Any], row: Mapping[str, Any], rules: str, seen: Collection[str]) -> dict[str, Any]:
    if step["tool"] == "web":
        return dict(step)
    passages = [one for one in step["passages"] if one in seen]
    if _has_readable_words(step, row, rules, seen):
        return {**step, "passages": passages}
    return {**{name: step[name] for name in _WORDLESS if name in step}, "query": "", "thought": "",
            "passages": passages, "withheld": True}


def _has_readable_words(step: Mapping[str, Any], row: Mapping[str, Any], rules: str, seen: Collection[str]) -> bool:
    """Of rules it is known which passages their words are from; a model's may be from all that it was told of."""
    if not _is_by_rules(step, rules):
        return False
    if step["tool"] == "open":
        return step.get("opened", "") in seen
    return set(row["args"].get("words_of", ())) <= set(seen)


def _is_by_rules(one: Mapping[str, Any], rules: str) -> bool:
    """Answers of former versions have the name alone."""
    noted = one.get("by_rules")
    return one["by"] == rules if noted is None else bool(noted)
