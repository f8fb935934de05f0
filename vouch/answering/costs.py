"""What language models did for an answer, in words."""

from collections.abc import Mapping
from typing import Any

from vouch.wording import count


def told_cost(tokens: Mapping[str, Any]) -> str:
    """As `2 calls, 640 tokens read, 24 written, cost 0.0012`; empty where no model was asked.

    Answers of before the calls were counted have tokens alone.
    """
    prompt, completion = tokens.get("prompt", 0), tokens.get("completion", 0)
    calls, cost = tokens.get("calls", 0), tokens.get("cost")
    if not (calls or prompt or completion):
        return ""
    parts = [count(calls, "call")] if calls else []
    parts += [f"{prompt} tokens read", f"{completion} written"]
    return ", ".join([*parts, *([] if cost is None else [f"cost {cost:.6f}".rstrip("0").rstrip(".")])])
