"""A history is played in two homes at once, and after each step the observers of both are asked the same."""

import logging
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

from homes.living_home import damaged
from two_world.folder_moves import Moves
from two_world.hostile import QUESTIONS
from two_world.prompts import Chat
from two_world.reading import MISSING, Reading, as_text

from consumers.monitoring.metrics import ProcessMetrics
from consumers.monitoring.status import StatusSnapshot

History = Sequence[tuple[str, int]]
LOOKED_UP = 2


class Different(AssertionError):
    """What an observer sees differs, or tells of what is hidden."""


class Played(Moves):
    """`counts` says what was done and seen; `chat` is the language model that is asked at the end."""

    def __init__(self, place: Path, rng: Random, counts: Counter[str], chat: Chat | None = None) -> None:
        super().__init__(place, rng)
        self.counts, self.chat = counts, chat
        self.readings = [Reading(home, chat.writer() if chat else None) for home in self.homes]

    def step(self, move: str, dice: int) -> None:
        self.rng = Random(dice)
        self.counts[move] += 1
        getattr(self, move)()
        self.observe(f"after {move}")

    # what is asked, and sent

    def ask(self) -> None:
        """Answered now, and sent when `post` comes."""
        text = self.question()
        for tags in self.observers:
            name = f"q{next(self.numbers)}"
            self.same(f"{name} is asked", [reading.ask(name, text, tags) for reading in self.readings])

    def post(self) -> None:
        posts = [reading.posted() for reading in self.readings]
        self.same("posts", [self.without_purged(one) for one in posts])
        self.tells_nothing("posts", posts, as_text([post["question"] for post in posts[0].values()]))
        self.counts["posted"] = max(self.counts["posted"], len(posts[0]))
        for reading in self.readings:
            if reading.door.unreadable:
                raise Different(f"posted, though it may not be read: {reading.door.unreadable}")

    def without_purged(self, posts: dict[str, Any]) -> dict[str, Any]:
        """A question that itself quotes what was purged is answered anew: that is one of the exceptions."""
        return {name: post for name, post in posts.items() if not any(mark in post["question"] for mark in self.purged)}

    def damage(self) -> None:
        """A file of the current version of both is damaged under those who read it, and mostly restored."""
        files = self.damages()
        if files is None:
            return
        restores = [damaged(file) for _, file in files]
        self.both(lambda home: home.later(timedelta(seconds=31)))
        self.observe(f"with a damaged {files[0][1].name}")
        if self.rng.random() < 0.5:
            self.add()
            self.ingest_both()
            self.observe("after an ingest over damage")
        for restore in restores:
            restore()
        self.both(lambda home: home.later(timedelta(seconds=31)))

    def question(self) -> str:
        """Of words that stand in documents, hidden and visible ones, or one that nobody expects."""
        if self.rng.random() < 0.3:
            return self.rng.choice(QUESTIONS)
        pages = [p for shelf in (self.common, *self.secrets) for pages in shelf.values() for p in pages.values()]
        texts = [self.rng.choice((page.first, *page.others)) for page in self.rng.sample(pages, min(2, len(pages)))]
        return " ".join(texts)[:500]

    # what is compared

    def observe(self, when: str) -> None:
        self.both(lambda home: home.later(timedelta(seconds=2)))
        text, ids = self.question(), self.ids()
        modes = ("fused", "lexical", "dense") if self.rng.random() < 0.2 else ("fused",)
        shown = [self.rng.choice(ids), self.rng.choice(ids)[:6]]
        for tags in self.observers:
            seen = [{**reading.search(text, tags, modes), **reading.look_up(ids, tags), **reading.show(shown, tags),
                     **reading.answer(text, tags)} for reading in self.readings]
            self.same(f"{when}, for {tags}, asked {text!r:.80}", seen)
            self.tells_nothing(when, seen, text)
            self.counts["observations"] += 1
            self.counts["something found"] += bool(seen[0]["fused search"].get("results"))
            self.counts["answered"] += seen[0].get("answer", {}).get("action", "").startswith("answered")

    def observe_prompts(self) -> None:
        """What a language model is sent, in bytes."""
        assert self.chat is not None
        for tags in self.observers:
            text, sent = self.question(), []
            for reading in self.readings:
                answer = reading.answer(text, tags, chat=True)
                sent.append({**answer, "sent": self.chat.taken()})
            self.same(f"sent to a language model, for {tags}", sent)
            self.tells_nothing("prompts", sent, text)
            self.counts["prompts"] += len(sent[0]["sent"])

    def same(self, when: str, seen: Sequence[Any]) -> None:
        first, second = seen
        if first == second:
            return
        if not isinstance(first, dict):
            raise Different(f"{when}: {first} or {second}")
        names = [name for name in first.keys() | second.keys() if first.get(name) != second.get(name)]
        name = min(names)
        texts = [as_text(one.get(name)) for one in seen]
        at = max(next((n for n, (one, other) in enumerate(zip(*texts, strict=False)) if one != other), 0) - 300, 0)
        told = "\n".join(text[at : at + 900] for text in texts)
        raise Different(f"{when}: {sorted(names)[:5]}\n{told}")

    def tells_nothing(self, when: str, seen: Sequence[Any], asked: str) -> None:
        """No word of a text that no observer ever could read, nor the id of a passage of it."""
        told = as_text(seen)
        if words := [mark for mark in self.unseen() if mark in told and mark not in asked]:
            raise Different(f"{when}: words of hidden documents: {words}")

    def unseen(self) -> set[str]:
        marks = {page.mark for shelf in self.secrets for pages in shelf.values() for page in pages.values()}
        return marks - self.shared

    def ids(self) -> list[str]:
        """Of passages of both worlds, hidden and shared ones, and one that does not exist."""
        found = {MISSING}
        for reading, secrets in zip(self.readings, self.secrets, strict=True):
            version = reading.version()
            if version is None:
                continue
            hidden = [header for header in version.headers if header.path in secrets[header.source]]
            shared = [header for header in version.headers if header.path not in secrets[header.source]]
            for header in (*hidden[:LOOKED_UP], *shared[:1]):
                found |= {chunk.id for chunk in version.record(header.source, header.path).chunks[:1]}
        return sorted(found)

    def metrics(self) -> str:
        return "".join(ProcessMetrics(reading.telemetry, lambda: StatusSnapshot(machines=())).page()[1]
                       for reading in self.readings)


def play(folder: Path, history: History, counts: Counter[str] | None = None, chat: Chat | None = None) -> None:
    """Raises Different when an observer sees what is hidden, or that it is."""
    with tempfile.TemporaryDirectory(dir=folder) as place, logged() as lines, ExitStack() as ending:
        world = Played(Path(place), Random(history[0][1]), counts if counts is not None else Counter(), chat)
        ending.callback(world.close)
        world.observe("at first")
        for move, dice in history:
            world.step(move, dice)
        world.post()
        if chat is not None:
            world.observe_prompts()
        silent(world, lines)


def silent(world: Played, lines: list[str]) -> None:
    """At level info neither logs nor metrics hold words of a document or of a question: marks are in both."""
    told = "\n".join(lines) + world.metrics()
    marks = {page.mark for shelf in (world.common, *world.secrets) for pages in shelf.values()
             for page in pages.values()}
    if words := [mark for mark in marks if mark in told]:
        raise Different(f"logs or metrics hold {words}")


@contextmanager
def logged() -> Iterator[list[str]]:
    """The lines that a log at level info would have."""
    lines: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(self.format(record))

    root, handler = logging.getLogger(), Kept(logging.INFO)
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    try:
        yield lines
    finally:
        root.removeHandler(handler)
        root.setLevel(before)
