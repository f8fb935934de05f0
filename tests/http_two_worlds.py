"""Two services whose homes differ only in documents that a reader may not see, and all that this reader gets."""

import random
import re
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any

from http_client import Reply
from http_place import Place, http_place
from memory import folder_in_memory

from bots.http.app import Service

WORDS = ("vault", "tokens", "salary", "bands", "leave", "days", "thirty", "ninety", "rotated", "reviewed", "engineers")
READERS = ("", "ana")                   # the public, and somebody of another group
# Marks of forms and of questions, numbers of requests, and times.
_DRAWN = re.compile(rb'(?<![0-9a-f])(?:[0-9a-f]{64}|[0-9a-f]{16})(?![0-9a-f])|"timings_ms": ?\{[^}]*\}'
                    rb'|(?<="ms": )[0-9.]+|<table class="waterfall">.*?</table>', re.DOTALL)
_OF_THE_MOMENT = {"date", "x-request-id", "content-length", "set-cookie"}
Change = Callable[[Service], Service]


@dataclass(frozen=True)
class Pair:
    """The papers of two worlds, what is asked, and who asks; the second world has hidden papers, perhaps the first."""

    seen: Mapping[str, str]
    hidden: tuple[Mapping[str, str], Mapping[str, str]]
    questions: tuple[str, ...]
    reader: str


def draw(seed: int, questions: int = 2) -> Pair:
    drawn = random.Random(seed)

    def words(count: int) -> str:
        return " ".join(drawn.choice(WORDS) for _ in range(count))

    def papers(folder: str, count: int) -> dict[str, str]:
        return {f"{folder}{n}.md": f"# {words(2)}\n\nThe {words(6)}.\n\n## {words(1)}\n\nAll {words(8)}.\n"
                for n in range(count)}

    hidden = papers("people/", drawn.randint(0, 2)), papers("people/", drawn.randint(1, 4))
    return Pair(papers("", drawn.randint(1, 3)), hidden, (f"What {words(3)}?", f"Which {words(2)}?")[:questions],
                drawn.choice(READERS))


@dataclass
class Unhurried:
    """Says that an answer is there only once all that was told on the way to it has been looked at.

    Which stages are seen is else a matter of chance.
    """

    questions: Any
    progress: Any
    told: set[str] = field(default_factory=set)
    tell: list[Any] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.questions, name)

    def is_sent(self, question_id: str) -> bool:
        return question_id in self.told

    def sent_among(self, question_ids: Any) -> Any:
        for question_id in self.questions.sent_among(question_ids):
            for tell in self.tell:
                tell(question_id)
        return self.told.intersection(question_ids)

    def when_noted(self, tell: Any) -> None:
        self.tell.append(tell)
        self.progress.when_noted(tell)

    def after(self, question_id: str, number: int) -> Any:
        sent = self.questions.is_sent(question_id)
        events = self.progress.after(question_id, number)
        if sent:
            self.told.add(question_id)
        return events


def unhurried(service: Service) -> Service:
    both: Any = Unhurried(service.questions, service.progress)
    return replace(service, questions=both, progress=both)


def differences(pair: Pair, plant: Change = lambda service: service) -> list[str]:
    """The requests that are answered otherwise in the two worlds."""
    with ExitStack() as stack:
        places = [stack.enter_context(http_place(stack.enter_context(folder_in_memory()), {**pair.seen, **papers},
                                                 changed=lambda service: unhurried(plant(service))))
                  for papers in pair.hidden]
        named = [*_chunks(places), "0" * 32]
        first, second = (_observed(place, pair, named) for place in places)
    assert list(first) == list(second)
    return [name for name in first if first[name] != second[name]]


def _chunks(places: list[Place]) -> list[str]:
    """Ids of all passages of both worlds, the hidden ones too."""
    found = set()
    for place in places:
        chunks = place.home.index.version().chunks
        found |= {chunks.hex_id(number) for number in range(int(chunks.firsts[-1]))}
    return sorted(found)


def _observed(place: Place, pair: Pair, chunks: list[str]) -> dict[str, Any]:
    client = place.person(pair.reader) if pair.reader else place.visitor()
    seen: dict[str, Any] = {}

    def note(name: str, reply: Reply) -> Reply:
        headers = {key: value for key, value in reply.headers.items() if key not in _OF_THE_MOMENT}
        headers = {key: _DRAWN.sub(b"*", value.encode()).decode() for key, value in headers.items()}
        body = _DRAWN.sub(b"*", reply.body)
        seen[name] = reply.status, sorted(headers.items()), body, len(body)
        return reply

    for path in ("/", "/readyz", "/healthz", "/v1/me", "/v1/versions", "/v1/openapi.json", "/metrics", "/nothing",
                 "/v1/answers/x"):
        note(path, client.get(path))
    for number, question in enumerate(pair.questions):
        once = {"Idempotency_Key": str(number)}
        asked = note(f"ask {number}", client.post("/v1/ask", {"question": question, "wait": 0}, **once)).json
        note(f"events {number}", client.get(f"{asked['answer_at']}/events"))
        answer = note(f"answer {number}", client.get(asked["answer_at"])).json
        note(f"again {number}", client.post("/v1/ask", {"question": question}, **once))
        for page in ("", "/trace", "/events"):
            note(f"page {number}{page}", client.get(f"/answers/{answer['id']}{page}"))
        note(f"vote {number}", client.post("/v1/feedback", {"answer_id": answer["id"], "vote": "up"}))
        for mode in ("fused", "lexical", "dense", "reranked"):
            note(f"search {number} {mode}", client.post("/v1/search", {"query": question, "mode": mode, "top": 50}))
        for cited in answer["citations"]:
            note(f"citation {number} {cited['number']}",
                 client.get(f"/answers/{answer['id']}/citations/{cited['number']}"))
        for chunk in chunks:
            note(f"trace {number} {chunk}", client.get(f"/answers/{answer['id']}/trace/{chunk}"))
    for path in ("questions", "operate/status", "operate/documents?source=docs", "operate/access?person=b",
                 "v1/questions"):
        note(path, client.get(f"/{path}"))
    for chunk in chunks:
        note(f"chunk {chunk}", client.get(f"/v1/chunks/{chunk}"))
        note(f"part of {chunk}", client.get(f"/v1/chunks/{chunk[:6]}"))
    for path in sorted({*pair.seen, *pair.hidden[0], *pair.hidden[1], "people/none.md"}):
        note(f"document {path}", client.get(f"/v1/documents/docs/{path}"))
    return seen
