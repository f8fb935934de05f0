"""Parts that an answer leaves open are named by what reached the writer and what is cited, not by what was found."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest
from homes.small_world import passage, small_world

from bots.steps_line import steps_line
from vouch.answering.answer_text import PARTLY, REST, UNSURE, in_part
from vouch.answering.part_notes import (
    NO_ROOM,
    NOT_SAID,
    NOT_SEARCHED,
    NOT_SURE,
    NOTHING,
)
from vouch.answering.verification.citations import Citation, Sentence, Verified, verify
from vouch.correction.evaluation import Verdict
from vouch.correction.loop import answer_question
from vouch.correction.outcome import Outcome
from vouch.correction.recipes import FactQuestions
from vouch.correction.steps.parts_open import LeftOpen, parts_left_open
from vouch.correction.steps.trajectory import PartFound, Walked
from vouch.ports.language import QUOTED, Draft, DraftSentence, Evidence
from vouch.retrieval.ranking import Ranking
from vouch.values.candidate import Candidate, Passage

LEAVE, CALL = "how many weeks of paid leave do parents get", "who is on call on Monday"
BOTH = f"{LEAVE.capitalize()} and {CALL}?"
WEEKS = passage("Parents get 12 weeks of paid leave.", chunk_id="leave", path="leave.md", title="Leave", section=())
FALCON = passage("Falcon has the pager from Monday to Friday.", chunk_id="falcon", path="f.md", title="Rota",
                 section=("On call",))
TERMS = small_world().components.analyser.terms


def left_open(
    likely: tuple[float, float], given: Sequence[Passage], cited: Sequence[Passage], model: str = "big-one",
    tried: bool = True,
) -> list[str]:
    """`likely`: of the two passages, each for its part; the thresholds are .3 and .6."""
    return list(opened(*written(likely, given, cited, model, tried=tried)).notes)


def opened(walked: Walked, draft: Draft, verified: Verified, evidence: list[Evidence]) -> LeftOpen:
    return parts_left_open(walked, draft, verified, evidence, TERMS)


def written(
    likely: tuple[float, float], given: Sequence[Passage], cited: Sequence[Passage], model: str, *, tried: bool = True
) -> tuple[Walked, Draft, Verified, list[Evidence]]:
    found = [WEEKS, FALCON]
    parts = tuple(PartFound(text, True, {one.chunk_id: each} if tried else {}, tried)
                  for text, one, each in zip((LEAVE, CALL), found, likely, strict=True))
    walked = Walked(Verdict("correct", likely, max(likely), (0.3, 0.6), ""), [Candidate(one) for one in found], [], [],
                    parts=parts)
    evidence = [Evidence(n, one, ((0, len(one.text)),), 0.9) for n, one in enumerate(given, 1)]
    quotes = [next((each.number, 0, len(one.text)) for each in evidence if each.passage is one) for one in cited]
    draft = Draft(tuple(DraftSentence(one.text, (quote,)) for one, quote in zip(cited, quotes, strict=True)), model)
    return walked, draft, verify(draft, evidence, TERMS), evidence


def test_a_part_that_is_cited_is_not_named_and_any_other_is() -> None:
    assert left_open((0.9, 0.9), [WEEKS, FALCON], [WEEKS, FALCON]) == []
    assert left_open((0.9, 0.9), [WEEKS, FALCON], [WEEKS]) == [f"{NOT_SAID}: {CALL}"]
    assert left_open((0.9, 0.1), [WEEKS, FALCON], [WEEKS], QUOTED) == [f"{NOTHING}: {CALL}"]


def test_a_part_is_answered_by_what_is_likely_enough_for_it_and_not_by_what_may() -> None:
    assert left_open((0.9, 0.6), [WEEKS, FALCON], [WEEKS, FALCON], QUOTED) == []
    assert left_open((0.9, 0.5), [WEEKS, FALCON], [WEEKS, FALCON], QUOTED) == [f"{NOT_SURE}: {CALL}"]
    assert left_open((0.9, 0.5), [WEEKS, FALCON], [WEEKS], QUOTED) == [f"{NOT_SAID}: {CALL}"]


def test_what_answers_a_part_comes_first_and_what_may_answer_the_other_after_it() -> None:
    made = written((0.9, 0.5), [FALCON, WEEKS], [FALCON, WEEKS], QUOTED)
    told = in_part(made[2], opened(*made).answered)
    assert told == f"{PARTLY}\n\n{WEEKS.text} [2]\n\n{REST}\n\nRota:\n- {FALCON.text} [1]"
    made = written((0.5, 0.5), [FALCON, WEEKS], [FALCON, WEEKS], QUOTED)
    assert in_part(made[2], opened(*made).answered).startswith(UNSURE)
    made = written((0.9, 0.1), [WEEKS], [WEEKS], QUOTED)
    assert in_part(made[2], opened(*made).answered) == f"{PARTLY}\n\n{WEEKS.text} [1]"
    made = written((0.9, 0.9), [WEEKS, FALCON], [WEEKS, FALCON], QUOTED)
    assert opened(*made) == LeftOpen()


@pytest.mark.parametrize("model", [QUOTED, "big-one"])
def test_a_part_whose_passage_was_found_and_did_not_reach_the_writer_is_named(model: str) -> None:
    assert left_open((0.9, 0.9), [WEEKS], [WEEKS], model) == [f"{NO_ROOM}: {CALL}"]


def test_what_a_language_model_cites_for_a_part_answers_it_though_the_evaluator_doubts_it() -> None:
    assert left_open((0.9, 0.4), [WEEKS, FALCON], [WEEKS, FALCON]) == []
    assert left_open((0.9, 0.1), [WEEKS, FALCON], [WEEKS, FALCON]) == [f"{NOTHING}: {CALL}"]
    assert left_open((0.9, 0.1), [WEEKS, FALCON], [WEEKS, FALCON], QUOTED) == [f"{NOTHING}: {CALL}"]


@pytest.mark.parametrize("cited", [WEEKS, FALCON])
@pytest.mark.parametrize("says", ["The documents do not say", "It is not known", "Nobody says"])
def test_that_the_documents_do_not_say_it_answers_no_part(says: str, cited: Passage) -> None:
    walked, draft, _, evidence = written((0.9, 0.1), [WEEKS, FALCON], [WEEKS, cited], "big-one")
    draft = replace(draft, sentences=(draft.sentences[0], replace(draft.sentences[1], text=f"{says} {CALL}.")))
    assert opened(walked, draft, verify(draft, evidence, TERMS), evidence).parts == (CALL,)


def test_a_sentence_that_is_not_held_by_what_it_cites_answers_no_part() -> None:
    walked, draft, verified, evidence = written((0.9, 0.4), [WEEKS, FALCON], [WEEKS, FALCON], "big-one")
    assert opened(walked, draft, verified, evidence).parts == ()
    weak = replace(verified, sentences=tuple(replace(one, weak=True) for one in verified.sentences))
    assert opened(walked, draft, weak, evidence).parts == (CALL,)


def test_the_web_answers_a_part_in_whose_words_it_is_quoted() -> None:
    page = replace(FALCON, origin="external", chunk_id="page")
    assert left_open((0.9, 0.1), [WEEKS, page], [WEEKS, page], QUOTED) == []
    other = replace(page, text="The weather is fine.", section=())
    assert left_open((0.9, 0.1), [WEEKS, other], [WEEKS, other], QUOTED) == [f"{NOTHING}: {CALL}"]


def test_of_a_decline_only_what_was_not_found_is_named() -> None:
    assert left_open((0.9, 0.1), [WEEKS], []) == [f"{NOTHING}: {CALL}"]
    assert left_open((0.9, 0.9), [WEEKS, FALCON], []) == []
    assert left_open((0.0, 0.0), [], [], tried=False) == [f"{NOT_SEARCHED}: {LEAVE}", f"{NOT_SEARCHED}: {CALL}"]


class Cites:
    """A writer that is a language model, and cites all it is given."""

    def write(self, question: str, evidence: Sequence[Evidence]) -> Draft:
        return Draft(tuple(DraftSentence(one.passage.text, ((one.number, 0, len(one.passage.text)),))
                           for one in evidence), "big-one")


@dataclass
class Told:
    sentences: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)

    def stage(self, name: str) -> None: ...

    def counted(self, name: str, number: int) -> None: ...

    def over(self) -> None: ...

    def sentence(self, sentence: Sentence, citations: Sequence[Citation]) -> None:
        assert tuple(one.number for one in citations) == sentence.citations
        self.sentences.append((sentence.text, sentence.citations))


def asked(tokens: int, *, model: bool, told: Told | None = None) -> Outcome:
    rows = [passage("Parents get 12 weeks of paid leave.", chunk_id="leave", path="leave.md"),
            passage("Falcon is on call on Monday.", chunk_id="falcon", path="f.md", title="Rota")]
    made = small_world(rows, kinds=replace(small_world().components.kinds,
                                             facts=FactQuestions(Ranking(top=20), evidence_tokens=tokens)))
    components = replace(made.components, writer=Cites()) if model else made.components
    return answer_question(replace(made.ask(BOTH), steps=4), components, told)


@pytest.mark.parametrize("model", [False, True])
def test_a_part_cut_by_the_room_for_evidence_is_named_and_the_answer_is_cautious(model: bool) -> None:
    roomy, tight = asked(1000, model=model), asked(1, model=model)
    assert roomy.answer.action == "answered" and roomy.answer.warnings == []
    [cited] = tight.answer.citations
    missing = CALL if cited.chunk_id == "leave" else LEAVE
    assert tight.answer.verdict and tight.answer.verdict.kind == "correct"         # both were found
    assert [one.casefold() for one in tight.answer.warnings] == [f"{NO_ROOM}: {missing}".casefold()]
    assert [one.casefold() for one in tight.answer.open_parts] == [missing.casefold()] and not roomy.answer.open_parts
    assert tight.answer.action == "answered_with_caution"


@pytest.mark.parametrize("model", [False, True])
def test_sentences_are_told_as_certain_only_if_no_part_is_found_open_after_them(model: bool) -> None:
    roomy, tight = Told(), Told()
    answer = asked(1000, model=model, told=roomy).answer
    assert roomy.sentences == [(one.text, tuple(one.citations)) for one in answer.sentences] and roomy.sentences[1:]
    assert asked(1, model=model, told=tight).answer.sentences and tight.sentences == []


CODE, DAYS = "what is the launch code of Falcon", ("Monday", "Tuesday", "Friday")


def many_parts(*parts: str) -> Outcome:
    rows = [passage("Parents get 12 weeks of paid leave.", chunk_id="leave", path="leave.md"),
            *(passage(f"Falcon is on call on {day}.", chunk_id=day, path=f"{day}.md", title="Rota") for day in DAYS)]
    made = small_world(rows)
    return answer_question(replace(made.ask(f"{' and '.join(parts).capitalize()}?"), steps=8), made.components)


def test_what_was_found_is_told_first_where_a_part_is_open() -> None:
    answer = many_parts(LEAVE, CALL, CODE).answer
    assert answer.action == "answered_with_caution" and answer.answer.startswith(PARTLY)
    assert answer.warnings[0].endswith(CODE.casefold())


def test_more_parts_than_are_searched_for_are_never_told_as_covered() -> None:
    answer = many_parts(LEAVE, *(f"who is on call on {day}" for day in DAYS), CODE).answer
    assert answer.stopped == "covered" and answer.warnings[0].startswith(NOT_SEARCHED)
    assert answer.action == "answered_with_caution" and answer.answer.startswith(PARTLY)
    assert answer.open_parts == [CODE.casefold()]
    line = steps_line(answer.model_dump(mode="json") | {"warnings": []})       # in whatever words the warnings are
    assert line.endswith("for each part that was searched for there is a passage that may answer it")
