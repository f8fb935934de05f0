"""What `vouch trace --replay` shows: the recorded steps of an answer, run again."""

from typing import Any

from cli.output import on_one_line, say
from cli.table import table

_HEADS = ["step", "tool", "for", "same", "gone", "new", "error before", "error now"]


def tell_replay(row: dict[str, Any]) -> None:
    """Differences only are told in words; each step has a line."""
    version = row["index_version"]
    say(f"recorded on index version {version['before']}, run again on {version['now']}")
    table(_HEADS, [
        (one["number"], one["tool"], on_one_line(one["for"]), len(one["same"]), len(one["gone"]), len(one["new"]),
         one["error"]["before"], one["error"]["now"] if one["taken"] else "not taken")
        for one in row["steps"]
    ])  # fmt: skip
    for one in row["steps"]:
        for what in ("gone", "new"):
            for chunk in one[what]:
                say(f"step {one['number']}: {what} {chunk}")
    for what in ("stopped", "verdict"):
        if row[what]["before"] != row[what]["now"]:
            say(f"{what}: {row[what]['before'] or 'nothing'} before, {row[what]['now'] or 'nothing'} now")
    if not differs(row):
        say("no difference")


def differs(row: dict[str, Any]) -> bool:
    steps = any(one["gone"] or one["new"] or not one["taken"] or one["error"]["before"] != one["error"]["now"]
                for one in row["steps"])
    return steps or any(row[what]["before"] != row[what]["now"] for what in ("stopped", "verdict"))
