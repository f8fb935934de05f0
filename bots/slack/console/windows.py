"""The windows that the app opened for a person: what stands in them, and which one is open."""

from collections.abc import Iterator, Mapping
from typing import Any

from bots.slack.console.view import readable
from bots.slack.simulator import User
from bots.slack.simulator.drawing import draw
from bots.slack.simulator.workspace import Workspace
from bots.wrapping import Line, wrap
from vouch.errors import BadInput

View = Mapping[str, Any]
_MARGIN = "    "


class Windows:
    def __init__(self, workspace: Workspace, width: int) -> None:
        self._space = workspace
        self._width = width
        self._told = 0
        self._sent: dict[str, View] = {}        # of each person the last one

    def news(self, person: User) -> list[Line]:
        """Those of this person that were opened since."""
        new = self._space.views[self._told:]
        self._told += len(new)
        return [Line(part) for view in new if _is_of(view, person) for line in _lines(view)
                for part in wrap(line, self._width, rest=f"{_MARGIN}  ")]

    def open(self, person: User) -> dict[str, Any]:
        """Slack shows one at a time. Raises BadInput where nothing waits to be sent."""
        mine = [view for view in self._space.views if _is_of(view, person)]
        if not mine or mine[-1] is self._sent.get(person.id) or "submit" not in mine[-1]:
            raise BadInput("no window is open", cure="press a button that opens one")
        return mine[-1]

    def sent(self, person: User, view: View) -> None:
        self._sent[person.id] = view


def _is_of(view: View, person: User) -> bool:
    return bool(view["type"] == "modal" and view["for"] == person.id)


def _lines(view: View) -> Iterator[str]:
    yield f"a window: {view['title']['text']}"
    for block in view["blocks"]:
        lines = _asked(block) if block["type"] == "input" else readable(draw([block]), {}).split("\n")
        yield from (f"{_MARGIN}{line}" for line in lines)


def _asked(block: View) -> Iterator[str]:
    """What is asked for, what stands there before anything is typed, and what there is to choose from."""
    element = block["element"]
    hint = f" ({block['hint']['text']})" if "hint" in block else ""
    yield f"{block['label']['text']}{hint}: {element.get('initial_value', '')}".rstrip()
    chosen = (element.get("initial_option") or {}).get("value")
    for option in element.get("options", ()):
        yield f"({'x' if option['value'] == chosen else ' '}) {option['text']['text']}"
