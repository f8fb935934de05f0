"""A chain is answered from all of its links, and is certain only where what is quoted has all of its words."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from homes.small_world import handbook, passage, small_world
from homes.steps_world import CHAIN, FALCON, GATEWAY, Scripted, ask, world

from vouch.answering.answer_text import PARTLY
from vouch.answering.part_notes import FIRST_LINK, NOT_LINKED, NOT_QUOTED
from vouch.correction.evaluation import Verdict
from vouch.correction.loop import answer_question
from vouch.correction.planning import parts
from vouch.correction.planning.chains import clauses, links_in
from vouch.correction.planning.ending_names import by_ending_names
from vouch.correction.planning.order import RagArgs, written
from vouch.correction.steps import parts_draft, parts_open
from vouch.correction.steps.links import words_not_quoted
from vouch.correction.steps.memory import Memory
from vouch.correction.steps.parts_draft import write_by_parts
from vouch.correction.steps.trajectory import OrderedBy, PartFound, StepTaken, Walked
from vouch.correction.web_fallback import _is_first_link
from vouch.ports.language import QUOTED, Draft, DraftSentence, Evidence
from vouch.retrieval.question.query import form_query
from vouch.values.candidate import Candidate

RULES_BY = OrderedBy("rules", True)
MISSING = "Who is the deputy of the team that owns the payment gateway?"


class Told:
    """A listener that notes the sentences it is told of."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def sentence(self, sentence: Any, citations: Any) -> None:
        self.sentences.append(sentence.text)

    def __getattr__(self, name: str) -> Any:
        return lambda *words, **more: None


class Writes:
    """A language model that says what nothing but it knows to be an answer."""

    def write(self, question: str, evidence: list[Evidence]) -> Draft:
        of = next(one for one in evidence if one.passage.chunk_id == GATEWAY.chunk_id)
        return Draft((DraftSentence("The Falcon team owns the payment gateway.", ((of.number, 0, 20),)),), "writes")


def test_each_link_is_quoted() -> None:
    answer = ask(world(), CHAIN).answer
    assert answer.action == "answered" and answer.open_parts == [] and "Its lead is Mara Lind." in answer.answer
    assert {one.chunk_id for one in answer.citations} == {"gateway", "falcon"}


def test_without_the_quotation_of_a_link_it_would_not_be_certain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts_draft, "_with_links", lambda draft, *_: draft)
    answer = ask(world(), CHAIN).answer
    assert answer.action == "answered_with_caution" and answer.warnings[0] == f"{NOT_QUOTED}: leads"


def test_a_link_that_nothing_tells_is_named_and_nothing_looks_certain() -> None:
    answer = ask(world(), MISSING).answer
    assert answer.stopped == "covered" and answer.verdict and answer.verdict.kind == "correct"
    assert answer.action == "answered_with_caution" and answer.open_parts == [MISSING]
    assert answer.warnings == [f"{NOT_QUOTED}: deputy"]


def test_planted_certainty_of_a_first_link_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control."""
    monkeypatch.setattr(parts_open, "_words_left", lambda *_: "")
    assert ask(world(), MISSING).answer.action == "answered"


def test_nobody_is_told_a_sentence_before_it_is_known_whether_it_answers() -> None:
    made = world()
    for text, told in ((CHAIN, True), (MISSING, False)):
        listener = Told()
        answer_question(replace(made.ask(text), steps=4), made.components, listener)  # type: ignore[arg-type]
        assert bool(listener.sentences) == told


def test_what_a_language_model_wrote_is_not_held_against_words() -> None:
    answer = ask(world(writer=Writes()), MISSING).answer
    assert not any(one.startswith(NOT_QUOTED) for one in answer.warnings) and answer.open_parts == []


ELSEWHERE = passage(f"{GATEWAY.text} It takes cards.\n\nThe copper leads of the old alarm are in the cellar, "
                    "a deputy sheriff says.", chunk_id="gateway", path="gateway.md", title="Payment gateway",
                    section=("Payment gateway",))
OF_ANOTHER = passage("Merlin is a team of four people in Berlin. Bo Ek leads the team.", chunk_id="merlin",
                     path="merlin.md", title="Merlin", section=("Merlin",))
LEADLESS = replace(FALCON, text="Falcon is on call from Monday to Friday.", end=40)


@pytest.mark.parametrize("question", [CHAIN, MISSING])
def test_words_that_stand_elsewhere_in_a_quoted_passage_do_not_count(question: str) -> None:
    answer = ask(small_world([ELSEWHERE, LEADLESS, *handbook()]), question).answer
    assert answer.action == "answered_with_caution" and answer.warnings[0].startswith(NOT_QUOTED)


def test_what_is_said_of_another_team_is_no_link() -> None:
    """It shares no name with what it would go on from."""
    answer = ask(small_world([GATEWAY, LEADLESS, OF_ANOTHER, *handbook()]), CHAIN).answer
    assert answer.action == "answered_with_caution" and answer.warnings[0] == f"{NOT_QUOTED}: leads"
    with_it = ask(small_world([GATEWAY, FALCON, OF_ANOTHER, *handbook()]), CHAIN).answer
    assert with_it.action == "answered" and "Its lead is Mara Lind." in with_it.answer


@pytest.mark.parametrize("end", ["final", "stop"])
def test_a_planner_that_ends_early_makes_nothing_certain(end: str) -> None:
    planner = Scripted(written(None, {}, "", final=end == "final"))
    answer = ask(world(planner=planner), MISSING).answer
    assert answer.steps == [] and answer.action == "answered_with_caution" and "deputy" in answer.warnings[0]


@pytest.mark.parametrize("asked", [
    "Please tell me who leads the team that owns the payment gateway?",
    "Do you know who currently leads the team that owns the payment gateway?",
    "What is the name of the person who leads the team that owns the payment gateway today?",
])
def test_words_by_which_people_ask_need_not_stand_in_what_answers(asked: str) -> None:
    assert not any(one.startswith(NOT_QUOTED) for one in ask(world(), asked).answer.warnings)


def test_names_of_columns_are_no_words_of_a_row() -> None:
    """The desk of her manager stands in another row."""
    rows = passage("| Marta Lindqvist | B-204 | Heinrich Voss |\n| Heinrich Voss | B-301 | Priya Nair |",
                   chunk_id="people", path="people.csv", title="People", section=(), has_table=True,
                   header="| name | desk | manager |")
    answer = ask(small_world([rows, *handbook()]), "What is the desk of the manager of Marta Lindqvist?").answer
    assert answer.action != "answered"


def test_what_a_part_quotes_is_not_quoted_again_for_another() -> None:
    made, drafts = world(), [((1, 0, 63),), ((1, 41, 63),)]     # both sentences of a passage, then the second of them
    kind: Any = SimpleNamespace(write=lambda *_: Draft((DraftSentence("words", drafts.pop(0)),), QUOTED, certain=True))
    parts = tuple(PartFound(text, True, {"falcon": 0.9}, True) for text in ("Who is on call?", "Who is the lead?"))
    walked = Walked(Verdict("correct", (0.9,), 0.9, (0.2, 0.6), ""), [Candidate(FALCON)], [], [], parts=parts)
    query = form_query("Who is on call and who is the lead?", made.components.analyser)
    draft = write_by_parts(kind, walked, walked.verdict, query, [Evidence(1, FALCON, ((0, 63),), 0.9)], made.components)
    assert [one.quotes for one in draft.sentences] == [((1, 0, 63),)] and not drafts


@pytest.mark.parametrize("change", [
    {"title": "Handbook", "section": ("Handbook",)}, {"text": "Today Bo Ek leads the Merlin team, since 2024."},
])
def test_equal_headings_years_and_first_words_are_no_names(change: Any) -> None:
    gateway = replace(GATEWAY, text="Today the payment gateway is owned by the Falcon team, since 2024.", **(
        {"title": "Handbook", "section": ("Handbook",)} if "title" in change else {}))
    merlin = replace(OF_ANOTHER, **{"text": "Bo Ek leads the Merlin team.", **change})
    leadless = replace(LEADLESS, **{key: value for key, value in change.items() if key != "text"})
    answer = ask(small_world([gateway, leadless, merlin, *handbook()]), CHAIN).answer
    assert answer.action == "answered_with_caution"


PARTED = "Who leads the team that owns the payment gateway and how many weeks of paid leave do parents get?"
PARTED_MISSING = PARTED.replace("leads", "is the deputy of")


def test_a_part_that_is_a_chain_is_followed_and_each_of_its_links_is_quoted() -> None:
    answer = ask(world(), PARTED).answer
    assert answer.action == "answered" and answer.open_parts == [] and "Its lead is Mara Lind." in answer.answer
    assert {"gateway", "falcon"} < {one.chunk_id for one in answer.citations}
    bridged = [step for step in answer.steps if step.query and "Falcon" in step.query]
    assert bridged and "leave" not in bridged[0].query      # words that this part lacks, and none of the other's


def test_a_link_of_a_part_that_nothing_tells_leaves_that_part_alone_open() -> None:
    answer = ask(world(), PARTED_MISSING).answer
    assert answer.action == "answered_with_caution" and answer.warnings[0] == f"{NOT_QUOTED}: deputy"
    [left] = answer.open_parts
    assert "deputy" in left and "leave" not in left
    first = answer.answer.index("weeks")        # what answers a part stands before what is only near to the other
    assert first < answer.answer.index("Falcon")


def test_planted_certainty_of_a_part_by_its_first_link_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control."""
    monkeypatch.setattr(parts, "links_in", lambda _: [])
    assert ask(world(), PARTED_MISSING).answer.action == "answered"


@pytest.mark.parametrize(("owned", "heading", "other"), [
    ("the platform team. New members read the getting started guide.", "Getting started", "Bo Ek leads the tour."),
    ("the platform team, which follows the security policy.", "Security policy", "Bo Ek leads the yearly audit."),
    ("the platform team, as the employee handbook says.", "Employee handbook", "Bo Ek leads Merlin."),
])
def test_headings_of_ordinary_words_link_nothing(owned: str, heading: str, other: str) -> None:
    gateway = passage(f"The payment gateway is owned by {owned}", chunk_id="gateway", path="gateway.md",
                      title=heading if "handbook" in heading else "Payment gateway", section=())
    elsewhere = passage(other, chunk_id="else", path="else.md", title=heading, section=(heading,))
    answer = ask(small_world([gateway, elsewhere, *handbook()]), CHAIN).answer
    assert answer.action == "answered_with_caution"


def test_words_that_are_quoted_and_that_no_name_links_are_told_so() -> None:
    merlin = passage("Bo Ek leads the Merlin team.", chunk_id="merlin", path="merlin.md", title="Merlin", section=())
    part = PartFound(CHAIN, True, {}, True, by_words=True)
    quoted = [(one, 0, len(one.text)) for one in (GATEWAY, merlin)]
    note = parts_open._words_left(part, quoted, world().components.analyser.terms)
    assert note == f"{NOT_LINKED}: leads"


@pytest.mark.parametrize("asked", [
    "Who leads the team owning the payment gateway?", "Who leads the payment gateway's team?",
    "Who leads the team responsible for the payment gateway?",
])
def test_a_chain_is_known_in_other_forms(asked: str) -> None:
    """Words for the same are others: what owns need not be responsible."""
    answer = ask(world(), asked).answer
    assert "Its lead is Mara Lind." in answer.answer
    missing = ask(world(), asked.replace("leads", "is the deputy of")).answer
    assert missing.action == "answered_with_caution" and "deputy" in missing.warnings[0]


@pytest.mark.parametrize(("asked", "links"), [
    ("Where does Ana's manager sit?", ["Ana's manager"]), ("Is Ana's manager on call?", ["Ana's manager"]),
    ("Where is the payment gateway's team sitting?", ["the payment gateway's team"]),
    ("What’s Ana’s manager’s desk?", ["Ana’s manager"]), ("Where does Bo Ek's team sit?", ["Bo Ek's team"]),
    ("Who is Ana's manager?", []), ("Who’s the gateway’s owner?", []), ("Where is the company's head office?", []),
    ("What is the company's policy on leave?", []), ("Who's head of finance?", []), ("What's lead time?", []),
    ("When's manager training?", []), ("When does today's lead start?", []), ("Who is currently Ana's manager?", []),
    ("How do I write the project's lead time?", []), ("When does Anna's Office 365 licence end?", []),
    ("Tell me Ana's manager.", []), ("Where is the main office building downtown?", []),
    ("What are the rules governing travel expenses?", []), ("What are the summer running group times?", []),
])
def test_what_somebody_has_is_a_link_where_more_is_asked_of_it(asked: str, links: list[str]) -> None:
    assert links_in(asked) == links


@pytest.mark.parametrize("asked", [
    "Where is the team that owns the payment gateway?",
    "Where is the team that owns the payment gateway, and how many weeks of paid leave do parents get?",
])
def test_a_chain_that_asks_in_words_that_need_not_stand_anywhere_needs_a_second_passage(asked: str) -> None:
    answer = ask(world(), asked).answer
    assert answer.action == "answered_with_caution" and FIRST_LINK in answer.warnings


def test_one_passage_that_tells_all_of_a_chain_is_enough() -> None:
    both = replace(GATEWAY, text="The payment gateway is owned by the Falcon team, which sits in Oslo.", end=69)
    answer = ask(small_world([both, *handbook()]), "Where does the team that owns the payment gateway sit?").answer
    assert FIRST_LINK not in answer.warnings and not any(one.startswith(NOT_QUOTED) for one in answer.warnings)


def test_what_is_the_companys_may_be_told_without_the_company() -> None:
    analyse = world().components.analyser.terms
    opens = passage("The office opens at 8.", chunk_id="opens", path="opens.md", title="Office", section=())
    assert words_not_quoted("When does the company’s office open?", [(opens, 0, 22)], analyse) == []


LEDGER = passage("The ledger is owned by the Heron team.", chunk_id="ledger", path="ledger.md", title="Ledger",
                 section=("Ledger",))
HERON = passage("Heron is on call from Friday to Sunday. Its lead is Bo Ek.", chunk_id="heron", path="heron.md",
                title="Heron", section=("Heron",))


@pytest.mark.parametrize("order", [1, -1])
def test_of_two_chains_each_is_followed(order: int) -> None:
    """A bridge is for the part that is searched for, though the other, shorter one has more of its words."""
    asked = " and ".join(["who leads the team that owns the payment gateway",
                          "who leads the team that owns the ledger"][::order])
    answer = ask(small_world([GATEWAY, FALCON, LEDGER, HERON, *handbook()]), f"{asked.capitalize()}?").answer
    assert answer.stopped == "covered" and answer.action == "answered"
    assert "Mara Lind" in answer.answer and "Bo Ek" in answer.answer


def test_all_links_stand_under_the_part_that_they_answer() -> None:
    answer = ask(world(), "Who leads the team that owns the payment gateway and what is the capital of France?").answer
    assert answer.action == "answered_with_caution" and "France" in answer.open_parts[0]
    assert "Mara Lind" in answer.answer.split("nearest to the rest")[0]


def test_what_answers_a_part_with_a_rest_beside_it_stands_first() -> None:
    answer = ask(world(), "Who is on call on Monday in Falcon and Zorblax?").answer
    assert answer.action == "answered_with_caution" and answer.answer.startswith(PARTLY)


def test_a_part_made_of_two_names_may_be_a_chain() -> None:
    made = [replace(FALCON, text=f"{FALCON.text} The Merlin and the Osprey gateways are ours.")]
    names = by_ending_names("Who leads the team that owns Merlin and Osprey", made)
    assert names and all(part.chain for part in parts.each_alone(names))


def test_two_names_at_the_end_are_two_chains() -> None:
    merlin = replace(GATEWAY, text="Merlin is owned by the Falcon team.", end=35, title="Merlin", section=("Merlin",))
    osprey = replace(LEDGER, text="Osprey is owned by the Heron team.", end=34, title="Osprey", section=("Osprey",))
    made = small_world([merlin, FALCON, osprey, HERON, *handbook()])
    answer = ask(made, "Who leads the team that owns Merlin and Osprey?").answer
    assert "Mara Lind" in answer.answer and "Bo Ek" in answer.answer


def test_a_bridge_for_one_part_follows_no_name_for_another() -> None:
    gateway, ledger = "who leads the team that owns the gateway", "who leads the team that owns the ledger"
    likely = [Candidate(GATEWAY, probability=0.9)]
    memory = Memory(f"{gateway} and {ledger}", parts.each_alone([gateway, ledger]), likely, 0.6,
                    world().components.analyser.terms, lambda _: ("Falcon",))
    for number, (query, words_of) in enumerate([(gateway, ()), (ledger, ()), ("leads gateway Falcon", ("gateway",))]):
        memory.add(StepTaken(number, "rag", RagArgs(query=query), RULES_BY, "", 1.0, found=tuple(likely),
                             words_of=words_of), query, ())
    assert [part.best for part in memory.parts] == [0.9, 0.9] and memory.wanted == ledger


def test_a_question_that_its_first_search_left_open_needs_all_words_too() -> None:
    answer = ask(world(), "Who is the deputy on Friday at Falcon?").answer
    assert links_in("Who is the deputy on Friday at Falcon?") == []
    assert answer.action == "answered_with_caution" and answer.warnings[0] == f"{NOT_QUOTED}: deputy"


@pytest.mark.parametrize("asked", [CHAIN, PARTED])
@pytest.mark.parametrize("found", [False, True])
def test_a_chain_on_the_web_is_in_doubt_until_a_further_search_brought_a_page(asked: str, found: bool) -> None:
    made = world()
    question, walk = replace(made.ask(asked), steps=4), SimpleNamespace(steps=[SimpleNamespace(found=found)])
    first_link: Any = _is_first_link
    assert first_link(question, form_query(asked, made.components.analyser), walk) is not found


def test_a_clause_is_told_once() -> None:
    assert clauses("Where does the person in charge of Merlin now sit?") == [
        "the person in charge of Merlin now sit"]


@pytest.mark.parametrize(("quoted", "note"), [((GATEWAY,), FIRST_LINK), ((GATEWAY, FALCON), "")])
def test_a_second_passage_that_a_name_links_is_enough(quoted: tuple[Any, ...], note: str) -> None:
    part = PartFound("Where is the team that owns the payment gateway?", True, {}, True, by_words=True)
    quotations = [(one, 0, len(one.text)) for one in quoted]
    assert parts_open._words_left(part, quotations, world().components.analyser.terms) == note
