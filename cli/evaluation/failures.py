"""The questions of an evaluation that went wrong, for people."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bots.wrapping import Line, wrap
from cli.terminal import screen
from cli.terminal.output import on_one_line, say
from vouch.documents.formats import shown_path, where
from vouch.plurals import count

_WRONG = {
    "declined": "declined, though a document answers it",
    "answered": "answered with something else",
    "answered_with_caution": "shown something else, with caution",
    "replied": "taken for small talk",
}
_UNANSWERABLE = "answered, though no document is known to answer it"


def tell_failures(failures: Sequence[Mapping[str, Any]]) -> None:
    """Prints each, with what was shown in its place, what was expected, and how far down it was found."""
    if not failures:
        say("no question went wrong")
        return
    say(f"{count(len(failures), 'question')} went wrong:")
    for failure in failures:
        say("")
        say(Line(on_one_line(f"{failure['id']}: {failure['question']}"), "strong"))
        for name, text in _told(failure):
            _pair(name, text)


def _told(failure: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    expected = failure["expected"]
    why = _WRONG[failure["wrong"]] if expected else _UNANSWERABLE
    yield "wrong", f"{why}: {failure['reason']}" if failure["reason"] else why
    yield from (("shown", _place(one)) for one in failure["shown"])
    if not failure["shown"]:
        yield "shown", "nothing"
    needed = "expected" if failure["all_needed"] or len(expected) < 2 else "expected one of"
    yield from ((needed, f'{shown_path(one["path"])}: "{one["quote"]}"') for one in expected)
    if not expected:
        yield "expected", "to be declined"
    elif failure["place"]:
        yield "found", f"in passage {failure['place']} of the final order"
    else:
        yield "found", "in no passage"


def _place(one: Mapping[str, Any]) -> str:
    position = where(one["path"], tuple(one["lines"]), one["page"])
    heading = " > ".join(one["section"]) or one["title"]
    place = f"{one['source']}:{shown_path(one['path'])}" + (f", {position}" if position else "")
    return f'{heading} ({place}): "{one["quote"]}"' if heading else f'{place}: "{one["quote"]}"'


def _pair(name: str, text: str) -> None:
    lead = f"  {name}: "
    for line in wrap(on_one_line(" ".join(text.split())), screen.width(), first=lead, rest="    "):
        say(line)
