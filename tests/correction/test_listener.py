"""Who waits for an answer is told of stages and sentences, and of no word that its readers may not read."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from homes.small_world import NOBODY, SmallWorld, passage, small_world

from vouch.answering.verification.citations import Citation, Sentence
from vouch.correction.loop import answer_question
from vouch.ports.language import Draft, DraftSentence, Evidence

QUESTION = "How many weeks of paid leave do parents get?"


@dataclass
class Told:
    stages: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)

    def stage(self, name: str) -> None:
        self.stages.append(name)

    def counted(self, name: str, number: int) -> None:
        assert self.stages[-1] == name and number >= 0

    def over(self) -> None: ...

    def sentence(self, sentence: Sentence, citations: Sequence[Citation]) -> None:
        assert citations and self.stages[-1] == "verify"
        self.sentences.append(sentence.text)


def test_stages_in_order_and_each_sentence_that_holds() -> None:
    told, world = Told(), small_world()
    answer = answer_question(world.ask(QUESTION), world.components, told).answer
    assert told.stages[-6:] == ["rerank", "evaluate", "refine", "pack", "write", "verify"]
    assert told.sentences and len(told.sentences) == len(answer.sentences)


@dataclass
class Revoked:
    """A model that writes of all it was given and cites one passage; the other is revoked meanwhile."""

    world: SmallWorld

    def write(self, question: str, evidence: Sequence[Evidence]) -> Draft:
        given = {one.passage.chunk_id: one for one in evidence}
        words = "Parents get paid leave until fired." if "hr" in given else "Parents get paid leave."
        self.world.index.labels["hr"] = NOBODY
        leave = given["leave"]
        return Draft((DraftSentence(words, ((leave.number, 0, len(leave.passage.text)),)),), "a model")


def test_no_sentence_is_told_once_something_its_writer_was_given_is_revoked() -> None:
    world = small_world([
        passage("Many weeks of paid leave do parents get in summer.", chunk_id="leave", path="a.md"),
        passage("Many weeks of paid leave do parents get until fired.", chunk_id="hr", path="hr.md"),
    ])
    told = Told()
    components = replace(world.components, writer=Revoked(world))
    answer = answer_question(world.ask(QUESTION), components, told).answer
    assert told.sentences == ["Parents get paid leave."] and "fired" not in answer.answer
