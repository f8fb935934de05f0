"""A process that readers ask, alive as long as its home, and everything that it lets them observe."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from typing import Any

from fakes.hashed_models import HashedEncoder, OverlapReranker
from homes.living_home import ANALYSER, LivingHome
from homes.small_world import GATE, CoverageEvaluator
from machines.earlier_questions import earlier_within_a_day
from machines.reply_wall import Wall
from two_world.answers import EXEMPT, exact

from bots import terminal
from consumers.monitoring.telemetry import Telemetry
from consumers.questions.answerer import Answerer
from consumers.questions.handler import QuestionHandler
from consumers.replies.sender import ReplySender
from consumers.resilience import Backoff
from indexers.live_index import LiveIndex
from indexers.versions.version import OpenVersion
from services.answering.search import SearchService
from vouch.adapters.access.watched import WatchedPermissions
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.answering.quoting.extractive import ExtractiveWriter
from vouch.correction.components import Components, QuestionKinds
from vouch.correction.recipes import FactQuestions, ListQuestions
from vouch.errors import VouchError
from vouch.messages import QuestionAsked, TagsAudience
from vouch.ports.language import Writer
from vouch.ports.surface import Delivery
from vouch.retrieval.ranking import Ranking
from vouch.retrieval.recipe.step import RankingModels

# What may differ of an answer, besides what any answer's ledger row adds: random ids.
RANDOM = {"id", "question_id"}
WIDTH = 100
MISSING = "0" * 32
Tags = tuple[str, ...]


@dataclass
class Door(Wall):
    """A surface that looks at each post: what it cites must be readable, to one who opens the index just then."""

    unreadable: list[str] = field(default_factory=list)
    readable: Callable[[str, Sequence[str]], set[str]] = lambda question, ids: set(ids)

    def post(self, delivery: Delivery) -> None:
        cited = [citation["chunk_id"] for citation in delivery.answer["citations"]]
        self.unreadable += set(cited) - self.readable(delivery.question_id, cited)
        super().post(delivery)


class Reading:
    """Opened once: index, caches and machines live on through whatever happens to the home."""

    def __init__(self, home: LivingHome, chat: Writer | None = None) -> None:
        self.home, ledger = home, home.bench.ledger
        self.watched = WatchedPermissions(ledger.sources, ledger.access)
        self.index = LiveIndex(home.store, self.watched, self._now)
        encoder, reranker = HashedEncoder(ANALYSER), OverlapReranker(ANALYSER)
        models = RankingModels(encoder, reranker, ANALYSER, None)
        self.finder = SearchService(self.index, self.watched, ANALYSER, lambda: encoder, lambda: models, Ranking())
        writer = ExtractiveWriter(reranker, ANALYSER, gate=GATE)
        components = Components(
            index=self.index, encoder=encoder, reranker=reranker, closeness=reranker,
            evaluator=CoverageEvaluator(), writer=writer,
            fallback=writer, analyser=ANALYSER, count_tokens=lambda text: len(text.split()), clock=self._now,
            kinds=QuestionKinds(FactQuestions(Ranking(top=40, rerank=12), places=4, evidence_tokens=200),
                            ListQuestions(Ranking(top=1000, rerank=20), 5)),
        )
        earlier = earlier_within_a_day(ledger)
        self.answerer = Answerer(self.watched, self.index, lambda: components, self._now, earlier=earlier)
        chatting = replace(components, writer=chat or writer)
        self.chatting = Answerer(self.watched, self.index, lambda: chatting, self._now, earlier=earlier)
        self.door, self.asked = Door(readable=self._readable), dict[str, Tags]()
        self.telemetry = Telemetry()
        self.sender = ReplySender(
            ledger, self.answerer.still_visible, self.answerer.answer, self.answerer.decline, {"terminal": self.door},
            EmbeddedLog(home.bench.home / "log.sqlite").producer(), self._now, backoff=Backoff(1, 1),
            telemetry=self.telemetry,
        )

    def _now(self) -> Any:
        return self.home.now

    def _readable(self, question: str, ids: Sequence[str]) -> set[str]:
        index, tags = self.home.opened(), self.asked[question]
        return index.visible(self.watched.permissions().directory.audience(tags, self.home.now), ids)

    def version(self) -> OpenVersion | None:
        """What is served, for those who may see all of it."""
        try:
            return self.index.version()
        except VouchError:
            return None

    # what readers do, and what they get

    def search(self, text: str, tags: Tags, modes: Sequence[str]) -> dict[str, Any]:
        found = {mode: attempt(partial(self.finder.search, text, tags, 50, mode)) for mode in modes}
        return {f"{mode} search": without(one, {"index_version", "access_epoch"}) for mode, one in found.items()}

    def look_up(self, ids: Sequence[str], tags: Tags) -> dict[str, Any]:
        """What each id gives, hidden, missing or visible."""
        view = attempt(lambda: self.index.view(self.watched.permissions().directory.audience(tags, self.home.now)))
        if isinstance(view, dict):
            return {"view": view}
        ways = {"passages": lambda one: view.passages([one]), "around": lambda one: view.around(one, 1, 1),
                "section": view.same_section, "shows": view.shows, "starting": lambda one: view.starting(one[:6])}
        return {f"{name} {one}": attempt(partial(way, one)) for name, way in ways.items() for one in ids}

    def show(self, ids: Sequence[str], tags: Tags) -> dict[str, Any]:
        """The same for the command, which also takes the first digits."""
        return {f"show {one}": without(attempt(partial(self.finder.show, one, tags, 1)), {"index_version"})
                for one in ids}

    def answer(self, text: str, tags: Tags, *, chat: bool = False) -> dict[str, Any]:
        asked = attempt(lambda: self._question("q", text, tags))
        if isinstance(asked, dict):
            return {"question": asked}
        outcome = attempt(lambda: (self.chatting if chat else self.answerer).answer(asked))
        if isinstance(outcome, dict):
            return {"answer": outcome}
        told = outcome.answer.model_dump(mode="json")
        return {"answer": without(told, EXEMPT | RANDOM), "candidates": exact(outcome.candidates),
                "given": list(outcome.given), **rendered(told)}

    def ask(self, name: str, text: str, tags: Tags) -> Any:
        """The question is answered; the answer waits to be sent."""
        self.asked[name] = tags
        handler = QuestionHandler(self.answerer.answer, self.answerer.decline, self.home.bench.ledger, self._now)
        return attempt(lambda: handler.handle(self._question(name, text, tags)))

    def posted(self) -> dict[str, Any]:
        """All that ever reached somebody, once the sender has done what it can."""
        for _ in range(6):
            while self.sender.step():
                pass
            self.home.later(timedelta(seconds=2))
        posts = {post.question_id: dict(post.answer) for post in self.door.posts}
        return {f"post {name}": {**rendered(told), **without(told, EXEMPT | RANDOM)} for name, told in posts.items()}

    def _question(self, name: str, text: str, tags: Tags) -> QuestionAsked:
        return QuestionAsked(id=name, text=text, surface="terminal", asker=tags[0],
                             audience=TagsAudience(tags=tags), asked_at=self.home.now)


def rendered(answer: dict[str, Any]) -> dict[str, str]:
    """As a terminal shows it."""
    told = {**answer, "index_version": 0, "id": "a"}
    return {"rendered": terminal.render(told, WIDTH), "rendered in full": terminal.render(told, WIDTH, verbose=True)}


def attempt(act: Callable[[], Any]) -> Any:
    """What it gives, or the words of its error, as a person reads them; numbers of versions are exempt."""
    try:
        return act()
    except VouchError as error:
        told = {"error": type(error).__name__, "cause": error.cause, "cure": error.cure}
        return {name: re.sub(r"version \d+|/\S+/home/\S+", "N", str(text)) for name, text in told.items()}
    except ValueError as error:         # of pydantic: the message cannot be sent
        return {"error": type(error).__name__, "cause": re.sub(r"https?://\S+", "", str(error))}


def without(value: dict[str, Any], names: set[str]) -> Any:
    return exact({key: item for key, item in value.items() if key not in names})


def as_text(seen: Any) -> str:
    return json.dumps(seen, ensure_ascii=False, default=str)
