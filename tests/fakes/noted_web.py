"""A web that holds a few passages and notes what it is asked."""

from collections.abc import Sequence
from datetime import UTC, datetime

from vouch.errors import WebDown
from vouch.ports.web import Found
from vouch.values.candidate import Passage

FETCHED = datetime(2026, 1, 5, 11, tzinfo=UTC)


def web_passage(text: str, name: str = "page", title: str = "A page of the web") -> Passage:
    url = f"https://site.org/{name}"
    return Passage(
        chunk_id=f"web:{name}", source="web", path=url, title=title, section=(title,), text=text, start=0,
        end=len(text), first_line=1, last_line=1 + text.count("\n"), ordinal=0, document_chunks=1, url=url,
        origin="external", fetched_at=FETCHED,
    )


class NotedWeb:
    """Implements ports.WebSearch. `asked` are the questions; with `down` it fails with those words."""

    def __init__(self, *held: Passage, down: str = "") -> None:
        self.held: Sequence[Passage] = held
        self.down = down
        self.asked: list[str] = []

    def passages(self, question: str, top: int) -> Found:
        self.asked.append(question)
        if self.down:
            raise WebDown(self.down)
        return Found(self.held[:top], () if self.held else ("the web search found no page",))
