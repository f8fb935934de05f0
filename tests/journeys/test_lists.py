"""Lists from the demo company, held against what its documents say; and two worlds that list alike."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fakes.hashed_models import OverlapReranker
from homes.memory import folder_in_memory
from hypothesis import Phase, given, settings
from running.soak_table import Figures
from two_world.answers import loop_components, observed_answer
from two_world.drawing import ALIKE, world_pairs
from two_world.worlds import ANALYSER, Pair, World, open_world

from indexers.live_index import LiveIndex
from vouch.answering.quoting.listing import LeftOut
from vouch.correction.components import Components, QuestionKinds
from vouch.correction.recipes import FactQuestions, ListQuestions
from vouch.learning.models.evaluator_model import load_evaluator
from vouch.retrieval.ranking import Ranking

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PAIRS = 60
RECALL, PRECISION = 0.85, 0.95          # measured: .92 and 1
ASKED = [                               # what is asked for, and what a document that mentions it holds
    ("the travel card", r"travel card"), ("telework", r"telework"), ("annual leave", r"annual leave"),
    ("sick leave", r"sick leave"), ("passwords", r"password"), ("receipts", r"receipt"), ("Zoom", r"\bzoom\b"),
    ("FOIA", r"\bfoia\b"), ("a purchase card", r"purchase card"), ("Concur", r"\bconcur\b"),
    ("Slack direct messages", r"direct message|\bDMs?\b"), ("comp time", r"comp(ensatory)? time"),
    ("laptop", r"laptop"), ("the pay period", r"pay period"), ("unicorns", r"unicorn"), ("chess tournaments", r"chess"),
]
FORMS = ("List all documents that mention {}.", "Which documents mention {}?", "Name every page about {}")


@pytest.fixture(scope="module")
def company(demo_home: Path) -> Any:
    """A desk over the ingested demo company, in this process."""
    from cli.wiring.asking import open_ask_client

    patch = pytest.MonkeyPatch()
    patch.setenv("VOUCH_HOME", str(demo_home))
    with open_ask_client() as desk:
        yield desk
    patch.undo()


def readable(person: str) -> dict[str, str]:
    """Path → text of every document that `person` may read, read from the version's own records."""
    from cli.wiring.administration import open_administration

    parts = open_administration()
    version = parts.store.open_current()
    assert version is not None
    reader = parts.permissions.directory.audience([person])
    return {
        h.path: version.record(h.source, h.path).text for h in version.documents()  # type: ignore[union-attr]
        if reader.may_read(parts.permissions.label(h.source, h.path, h.narrowed))
    }


@pytest.mark.model
@pytest.mark.slow
@pytest.mark.parametrize("person", ["user:ana@acme.test", "user:cleo@acme.test"])
def test_lists_name_the_documents_that_mention_it(company: Any, person: str) -> None:
    texts = readable(person)
    there = named = right = 0
    for n, (subject, words) in enumerate(ASKED):
        wanted = {path for path, text in texts.items() if re.search(words, text, re.IGNORECASE)}
        answer = company.ask(FORMS[n % len(FORMS)].format(subject), [person])
        paths = [c["path"] for c in answer["citations"]]
        assert set(paths) <= set(texts)
        assert len(answer["sentences"]) == len(set(paths))  # one line for each document
        assert all(c["quote"] in texts[c["path"]] for c in answer["citations"])
        assert (answer["action"] == "declined") == (not paths)
        if not wanted:
            assert answer["action"] == "declined", subject
        there, named, right = there + len(wanted), named + len(set(paths)), right + len(wanted & set(paths))
    print(f"{person}: recall {right}/{there} = {right / there:.2f}, precision {right}/{named} = {right / named:.2f}")
    assert right >= RECALL * there and right >= PRECISION * named


@pytest.mark.model
@pytest.mark.slow
def test_a_list_is_the_same_each_time(company: Any) -> None:
    first, second = (company.ask("List all documents that mention passwords", ["user:ana@acme.test"]) for _ in "ab")
    assert first["citations"] == second["citations"] and first["answer"] == second["answer"]


@pytest.mark.model
@pytest.mark.soak
def test_a_question_taken_for_a_list_by_mistake_still_gets_the_right_document(
    company: Any, monkeypatch: pytest.MonkeyPatch, figures: Figures
) -> None:
    """All sixty questions of the demo, none of which asks for a list, answered as usual and as lists."""
    asked = [json.loads(line) for name in ("questions.jsonl", "tuning.jsonl")
             for line in (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines()]
    right, quoted, declined = {}, {}, {}
    for way in ("usual", "as lists"):
        if way == "as lists":
            monkeypatch.setattr("vouch.correction.loop.as_list", lambda query, analyser: replace(query, lists=True))
        answers = [company.ask(q["text"], q["as"]) for q in asked]
        pairs = [(q, a) for q, a in zip(asked, answers, strict=True) if q["answerable"]]
        others = [a for q, a in zip(asked, answers, strict=True) if not q["answerable"]]
        right[way] = sum(any(c["path"] == q["path"] for c in a["citations"]) for q, a in pairs)
        quoted[way] = sum(any(_flat(q["quote"]) in _flat(c["quote"]) for c in a["citations"]) for q, a in pairs)
        declined[way] = sum(a["action"] == "declined" for a in others)
    figures("questions answered as usual and as lists", f"{len(asked)} questions",
            f"right document {right}, expected words {quoted}, declined {declined}")
    assert right["as lists"] >= right["usual"] - 1 and declined["as lists"] >= declined["usual"] - 1
    assert quoted["as lists"] >= 0.75 * quoted["usual"]


def _flat(text: str) -> str:
    return " ".join(text.split())


def fast(world: World) -> Components:
    components = loop_components(world, world.encoder, OverlapReranker(ANALYSER), load_evaluator())
    return replace(components, kinds=QuestionKinds(FactQuestions(), ListQuestions(Ranking(top=20, rerank=8), 1)))


def both_sides(pair: Pair) -> list[dict[str, Any]]:
    """What each side of the pair answers when the question asks for a list."""
    listing = replace(pair, question=f"List all documents that mention {pair.question}")
    with folder_in_memory() as home:
        return [observed_answer(fast(open_world(home / str(n), side)), listing)
                for n, side in enumerate((pair.first, pair.second))]


def test_hidden_documents_change_no_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fsync", lambda handle: None)
    answers: list[dict[str, Any]] = []

    @settings(ALIKE, max_examples=PAIRS)
    @given(world_pairs())
    def check(pair: Pair) -> None:
        first, second = both_sides(pair)
        assert json.dumps(first) == json.dumps(second)
        answers.append(first["answer"])

    check()
    listed = [a for a in answers if re.search("^- .*: ", a["answer"], re.MULTILINE)]
    counted = [a for a in listed if any("more document" in warning for warning in a["warnings"])]
    print(f"{len(answers)} pairs: {len(listed)} lists, {len(counted)} of them with a count of more")
    assert len(listed) >= 0.2 * PAIRS and len(counted) >= 3


def test_a_count_of_everybodys_documents_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted bug: what a list leaves out is counted over the whole version."""
    monkeypatch.setattr("os.fsync", lambda handle: None)
    monkeypatch.setattr(
        "vouch.correction.recipes.left_out",
        lambda verdict, judged, near, verified: LeftOut((), sum(h.chunks for h in everything[-1].documents())),
    )
    everything: list[Any] = []
    version = LiveIndex.version

    def noted(index: LiveIndex) -> Any:
        everything.append(version(index))
        return everything[-1]

    monkeypatch.setattr(LiveIndex, "version", noted)
    found = []

    @settings(ALIKE, max_examples=30, phases=[Phase.generate])
    @given(world_pairs())
    def check(pair: Pair) -> None:
        if not found:
            first, second = both_sides(pair)
            found.extend(["differ"] if first != second else [])

    check()
    assert found
