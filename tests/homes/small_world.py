"""A handful of passages with everything the loop needs, without a model: tests read it as their company."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import accumulate
from typing import Any

from fakes.hashed_models import HashedEncoder, OverlapReranker
from fakes.memory_index import MemoryIndex

from vouch.access import PUBLIC, Audience, Label, Reader
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.parsers.markdown.parser import read_markdown
from vouch.answering.quoting.extractive import ExtractiveWriter, Gate
from vouch.correction.components import Components, QuestionKinds
from vouch.correction.recipes import FactQuestions, ListQuestions
from vouch.ports.language import Evidence
from vouch.retrieval.ranking import Ranking
from vouch.values.candidate import Candidate, Passage
from vouch.values.question import Question

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
EVERYBODY = Audience((Reader(PUBLIC, frozenset({PUBLIC})),))
OPEN = Label(frozenset({PUBLIC}))
NOBODY = Label(frozenset())
GATE = Gate(least=0.75)                 # for scores of shared words, which run lower than MaxSim's

HANDBOOK = {
    ("leave.md", "Leave", "Parental leave"): "Parents get 12 weeks of paid leave. It must be used within one year.",
    ("leave.md", "Leave", "Sick leave"): "You earn four hours of sick leave per pay period. Tell your supervisor.",
    ("travel.md", "Travel", "Receipts"):
        "Keep these receipts:\n\n- lodging of any price\n- rental cars\n- other expenses over $75\n\nScan them all.",
    ("travel.md", "Travel", "Rates"): "| Kind | Rate |\n|---|---|\n| Travel day | 75% |\n| Full day | 100% |",
    ("tools.md", "Tools", "Zoom"):
        "Zoom meetings need a password. See [the rules](https://rules.example/zoom) before you host one.",
}


def passage(text: str, **values: Any) -> Passage:
    fields: dict[str, Any] = {
        "chunk_id": "c1", "source": "handbook", "path": "a.md", "title": "A", "section": ("A",), "text": text,
        "start": 0, "end": len(text), "first_line": 1, "last_line": 1 + text.count("\n"), "ordinal": 0,
        "document_chunks": 1, "markup": read_markdown(text)[1].within(text, 0, len(text)),
    }
    return Passage(**(fields | values))


def evidence(*texts: str) -> list[Evidence]:
    """Each text as a whole passage, numbered from 1, one behind the other in a document."""
    starts = accumulate((len(text) + 1 for text in texts), initial=100)
    return [
        Evidence(n, passage(text, chunk_id=f"c{n}", start=start, end=start + len(text)), ((0, len(text)),), 0.9)
        for n, (text, start) in enumerate(zip(texts, starts, strict=False), 1)
    ]


def handbook() -> list[Passage]:
    made: list[Passage] = []
    for (path, title, section), text in HANDBOOK.items():
        before = [p for p in made if p.path == path]
        start = sum(len(p.text) + 2 for p in before)
        made.append(passage(
            text, chunk_id=f"{path}:{section}", path=path, title=title, section=(title, section), start=start,
            end=start + len(text), ordinal=len(before), document_chunks=2 if path != "tools.md" else 1,
        ))
    return made


class CoverageEvaluator:
    """Probability is the share of the question that a passage covers: what the trained one does, without training."""

    fingerprint, judged_with = "coverage", ""
    thresholds = (0.3, 0.6)

    def probabilities(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        return [candidate.features["coverage"] for candidate in candidates]


@dataclass
class SmallWorld:
    """`ask` makes a question of everybody; `labels` of the index may be changed."""

    index: MemoryIndex
    components: Components

    @staticmethod
    def ask(text: str, audience: Audience = EVERYBODY) -> Question:
        return Question("q1", text, audience, NOW)


def small_world(passages: Sequence[Passage] | None = None, **changes: Any) -> SmallWorld:
    rows = handbook() if passages is None else passages
    analyser = SnowballAnalyser()
    reranker = OverlapReranker(analyser)
    index = MemoryIndex(rows, {p.chunk_id: OPEN for p in rows}, HashedEncoder(analyser), analyser)
    writer = ExtractiveWriter(reranker, analyser, gate=GATE)
    components = Components(
        index=index, encoder=index.encoder, reranker=reranker, closeness=reranker,
        evaluator=CoverageEvaluator(), writer=writer,
        fallback=writer, analyser=analyser, count_tokens=lambda text: len(text.split()), clock=lambda: NOW,
        kinds=QuestionKinds(FactQuestions(Ranking(top=20)), ListQuestions()),
    )
    return SmallWorld(index, replace(components, **changes))
