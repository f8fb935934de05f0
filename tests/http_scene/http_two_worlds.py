"""Two services whose homes differ only in documents that a reader may not see, and all that this reader gets."""

import random
import re
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any

from homes.memory import folder_in_memory

from bots.http.app import Service
from http_scene.http_client import Client, Reply
from http_scene.http_place import Place, http_place

WORDS = ("vault", "tokens", "salary", "bands", "leave", "days", "thirty", "ninety", "rotated", "reviewed", "engineers")
READERS = ("", "ana")                   # the public, and somebody of another group
# Marks of forms and of questions, numbers of requests, names of processes, and times.
_DRAWN = re.compile(rb'(?<![0-9a-f])(?:[0-9a-f]{64}|[0-9a-f]{16})(?![0-9a-f])|(?<=^id: )[0-9a-f]{8}(?=-)'
                    rb'|"timings_ms": ?\{[^}]*\}'
                    rb'|(?<="ms": )[0-9.]+|(?<="ms":)[0-9.]+|<table class="waterfall">.*?</table>'
                    rb'|(?<=<td data-label="Took ms">)[0-9.]+', re.DOTALL | re.MULTILINE)
_OF_THE_MOMENT = {"date", "x-request-id", "content-length", "set-cookie"}
Change = Callable[[Service], Service]


MOST_PAPERS = 3                         # of a world that are not hidden


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
    return Pair(papers("", drawn.randint(1, MOST_PAPERS)), hidden,
                (f"What {words(3)}?", f"Which {words(2)}?")[:questions], drawn.choice(READERS))


@dataclass
class Unhurried:
    """Says that an answer is there only once all that was told on the way to it has been looked at.

    Which stages are seen is else a matter of chance. Whoever asks without a key of their own waits for the answer
    alone, and gets it when it is there.
    """

    questions: Any
    progress: Any
    told: set[str] = field(default_factory=set)
    tell: list[Any] = field(default_factory=list)
    plain: set[str] = field(default_factory=set)
    arrived: list[Any] = field(default_factory=list)

    def ask(self, text: str, readers: Any, once: str | None = None, *words: Any, **named: Any) -> str:
        question_id = str(self.questions.ask(text, readers, once, *words, **named))
        if once is None:
            self.plain.add(question_id)
        return question_id

    def __getattr__(self, name: str) -> Any:
        return getattr(self.questions, name)

    def is_sent(self, question_id: str) -> bool:
        return question_id in self.told or (question_id in self.plain and self.questions.is_sent(question_id))

    def sent_among(self, question_ids: Any) -> Any:
        sent = set(self.questions.sent_among(question_ids))
        for question_id in sent:
            for tell in self.tell:
                tell(question_id)
        return self.told.intersection(question_ids) | sent & self.plain

    def when_sent(self, tell: Any) -> None:
        self.arrived.append(tell)
        self.questions.when_sent(lambda question_id: question_id in self.plain and tell(question_id))

    def when_noted(self, tell: Any) -> None:
        self.tell.append(tell)
        self.progress.when_noted(tell)

    def after(self, question_id: str, number: int) -> Any:
        sent = self.questions.is_sent(question_id)
        events = self.progress.after(question_id, number)
        if sent:
            self.told.add(question_id)
            for tell in self.arrived:
                tell(question_id)
        return events


def unhurried(service: Service) -> Service:
    both: Any = Unhurried(service.questions, service.progress)
    return replace(service, questions=both, progress=both)


def differences(pair: Pair, plant: Change = lambda service: service) -> list[str]:
    """The requests that are answered otherwise in the two worlds."""
    return list(told_apart(pair, plant))


def told_apart(pair: Pair, plant: Change = lambda service: service) -> dict[str, str]:
    """From where on they differ, in the one and in the other."""
    with ExitStack() as stack:
        places = [stack.enter_context(http_place(stack.enter_context(folder_in_memory()), {**pair.seen, **papers},
                                                 changed=lambda service: unhurried(plant(service))))
                  for papers in pair.hidden]
        named = [*_chunks(places), "0" * 32]
        first, second = (_observed(place, pair, named) for place in places)
    assert list(first) == list(second)
    return {name: _from_where(str(first[name]), str(second[name])) for name in first if first[name] != second[name]}


def _from_where(one: str, other: str) -> str:
    same = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    at = max(0, same - 200)
    return f"{one[at : at + 600]}\n--- other ---\n{other[at : at + 600]}"


def _chunks(places: list[Place]) -> list[str]:
    """Ids of all passages of both worlds, the hidden ones too."""
    found = set()
    for place in places:
        chunks = place.home.index.version().chunks
        found |= {chunks.hex_id(number) for number in range(int(chunks.firsts[-1]))}
    return sorted(found)


@dataclass
class _Noted:
    """What this reader gets, by what was asked for. Ids of answers without a key are `drawn`, and no difference."""

    client: Client
    seen: dict[str, Any] = field(default_factory=dict)
    drawn: set[str] = field(default_factory=set)

    def note(self, name: str, reply: Reply) -> Reply:
        assert name not in self.seen
        headers = {key: self._masked(value.encode()) for key, value in reply.headers.items()
                   if key not in _OF_THE_MOMENT}
        body = self._masked(reply.body)
        self.seen[name] = reply.status, sorted(headers.items()), body, len(body)
        return reply

    def _masked(self, raw: bytes) -> bytes:
        raw = _DRAWN.sub(b"*", raw)
        for one in self.drawn:
            raw = raw.replace(one.encode(), b"*")
        return raw

    def get(self, name: str, path: str) -> Reply:
        return self.note(name, self.client.get(path))

    def post(self, name: str, path: str, body: Any, **headers: str) -> Reply:
        return self.note(name, self.client.post(path, body, **headers))

    def ask(self, name: str, **asked: Any) -> Any:
        """The answer to a question without a key."""
        return self._drawn(self.client.post("/v1/ask", asked), name)

    def ask_by_form(self, name: str, **asked: str) -> Any:
        """The answer, and the page that the form leads to."""
        place = self.form(name, "/ask", asked).headers["location"]
        found = self._drawn(self.client.get(f"/v1{place}"), f"answer of {name}")
        self.get(f"page of {name}", place)
        return found

    def _drawn(self, reply: Reply, name: str) -> Any:
        if reply.status == 200:         # strangers are refused filters by owners
            self.drawn.add(reply.json["id"])
        return self.note(name, reply).json

    def form(self, name: str, path: str, fields: dict[str, str]) -> Reply:
        """As a browser sends it, from a page that was loaded for it."""
        return self.note(name, self.client.form(path, {"mark": self.client.get("/").mark, **fields}))


def _observed(place: Place, pair: Pair, chunks: list[str]) -> dict[str, Any]:
    noted = _Noted(place.person(pair.reader) if pair.reader else place.visitor())
    for path in ("/", "/readyz", "/healthz", "/v1/me", "/v1/versions", "/v1/openapi.json", "/metrics", "/nothing",
                 "/v1/answers/x"):
        noted.get(path, path)
    for number, question in enumerate(pair.questions):
        _by_program(noted, number, question, chunks)
    for path in ("questions", "operate/status", "operate/documents?source=docs", "operate/access?person=b",
                 "v1/questions"):
        noted.get(path, f"/{path}")
    for chunk in chunks:
        noted.get(f"chunk {chunk}", f"/v1/chunks/{chunk}")
        noted.get(f"part of {chunk}", f"/v1/chunks/{chunk[:6]}")
    for path in sorted({*pair.seen, *pair.hidden[0], *pair.hidden[1], "people/none.md"}):
        noted.get(f"document {path}", f"/v1/documents/docs/{path}")
    _listed(noted)
    _on_pages(noted, pair.questions[-1])
    _in_other_ways(noted, pair.questions[-1])
    _shared(noted, place, pair, pair.questions[-1])
    return noted.seen


def _by_program(noted: _Noted, number: int, question: str, chunks: list[str]) -> None:
    once = {"Idempotency_Key": str(number)}
    asked = noted.post(f"ask {number}", "/v1/ask", {"question": question, "wait": 0}, **once).json
    noted.get(f"events {number}", f"{asked['answer_at']}/events")
    answer = noted.get(f"answer {number}", asked["answer_at"]).json
    noted.post(f"again {number}", "/v1/ask", {"question": question}, **once)
    for page in ("", "/trace", "/events"):
        noted.get(f"page {number}{page}", f"/answers/{answer['id']}{page}")
    noted.post(f"vote {number}", "/v1/feedback", {"answer_id": answer["id"], "vote": "up"})
    for mode in ("fused", "lexical", "dense", "reranked"):
        noted.post(f"search {number} {mode}", "/v1/search", {"query": question, "mode": mode, "top": 50})
    for cited in answer["citations"]:
        noted.get(f"citation {number} {cited['number']}", f"/answers/{answer['id']}/citations/{cited['number']}")
    for chunk in chunks:
        noted.get(f"trace {number} {chunk}", f"/answers/{answer['id']}/trace/{chunk}")
        noted.get(f"passage {number} {chunk}", f"/answers/{answer['id']}/passages/{chunk}")


def _listed(noted: _Noted) -> None:
    """Documents, all at once and one a page, and from places that are hidden or not there."""
    for place in ("docs/people/0.md", "docs/people/00.md", "docs/zz", "docs/!", "none/0.md"):
        noted.get(f"documents after {place}", f"/v1/documents?after={place}")
    path = "/v1/documents?limit=1"
    for number in range(MOST_PAPERS + 1):
        path = noted.get(f"documents of page {number}", path).json["next"] or path
    noted.get("documents", "/v1/documents")


def _on_pages(noted: _Noted, question: str) -> None:
    """A question, a vote and a follow-up by forms, and the pages they lead to; a form of a page that is not ours."""
    named = noted.ask_by_form("form", question=question)["id"]
    voted = noted.form("voted", "/vote", {"answer": named, "vote": "down", "category": "outdated"})
    noted.get("page voted", voted.headers.get("location", "/"))
    noted.ask_by_form("form follows", question="And by whom?", follows=named)
    noted.form("form without a mark", "/ask", {"question": question, "mark": ""})


def _in_other_ways(noted: _Noted, question: str) -> None:
    """Answers from some documents alone, hidden ones among them, in several steps, and of follow-ups."""
    narrowed = {"seen": {"paths": ["*.md"]}, "hidden": {"paths": ["people/**"]}, "both": {"sources": ["docs", "none"]},
                "old": {"after": "2020-01-01"}, "owned": {"owners": ["group:people"]}}
    for name, filters in narrowed.items():
        noted.ask(f"answer {name}", question=question, filters=filters)
        noted.post(f"search {name}", "/v1/search", {"query": question, "filters": filters, "top": 50})
    twofold = f"{question} And what are salary bands?"
    first = noted.ask("answer in steps", question=twofold, steps=3)
    noted.get("page in steps", f"/answers/{first['id']}/trace")
    noted.ask("answer follows", question="And by whom?", follows=first["id"])


def _shared(noted: _Noted, place: Place, pair: Pair, question: str) -> None:
    """Answers for somebody besides who may read what is hidden, whoever of the two asks."""
    ours = noted.ask("answer for two", question=question, audience=["user:ben"])
    noted.get("page for two", f"/answers/{ours['id']}")
    noted.ask_by_form("form for two", question=question, audience="user:ben, group:people")
    reader = f"user:{pair.reader}" if pair.reader else "public"
    theirs = place.person("ben").post("/v1/ask", {"question": question, "audience": [reader]}).json
    noted.drawn.add(theirs["id"])
    for what in ("", "/trace", "/events"):
        noted.get(f"page of another{what}", f"/answers/{theirs['id']}{what}")
    noted.get("answer of another", f"/v1/answers/{theirs['id']}")
