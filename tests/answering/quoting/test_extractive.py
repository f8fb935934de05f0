"""What the extractive writer quotes of prose, lists and tables, and when it declines."""

from collections.abc import Sequence

import pytest
from fakes.hashed_models import OverlapReranker
from homes.small_world import GATE, evidence, passage

from vouch.adapters.analyser import SnowballAnalyser
from vouch.answering.quoting.extractive import ExtractiveWriter, Gate
from vouch.answering.quoting.quotable import quotables, units
from vouch.ports.language import Draft, Evidence

ANALYSER = SnowballAnalyser()
WRITER = ExtractiveWriter(OverlapReranker(ANALYSER), ANALYSER, gate=GATE)
LIST = "Keep these receipts:\n\n- lodging of any price\n- rental cars\n- other expenses over $75\n\nScan them all."
TABLE = "| Kind | Rate |\n|---|---|\n| Travel day | 75% |\n| Full day | 100% |"


def quotes(draft: Draft, given: list[Evidence]) -> list[list[str]]:
    texts = {one.number: one.passage.text for one in given}
    return [[texts[n][a:b] for n, a, b in sentence.quotes] for sentence in draft.sentences]


def test_it_quotes_the_sentence_and_the_one_that_goes_on() -> None:
    given = evidence("Birds fly. Parents get 12 weeks of leave. It must be used within a year. Fish swim.")
    draft = WRITER.write("How many weeks of leave do parents get, used within a year?", given)
    assert draft.sentences[0].text == "Parents get 12 weeks of leave. It must be used within a year."
    assert quotes(draft, given)[0] == ["Parents get 12 weeks of leave. It must be used within a year."]


def test_an_item_brings_its_lead_in() -> None:
    given = evidence(LIST)
    draft = WRITER.write("receipts for other expenses over $75", given)
    assert quotes(draft, given)[0] == ["Keep these receipts:", "other expenses over $75"]
    assert draft.sentences[0].text == "Keep these receipts: other expenses over $75"
    assert draft.sentences[0].left_out == "2 more items"


def test_a_lead_in_brings_its_items() -> None:
    [one] = evidence(LIST)
    first = quotables(one)[0]
    assert first.text == "Keep these receipts:\n- lodging of any price\n- rental cars\n- other expenses over $75"
    assert [LIST[a:b] for a, b in first.spans] == [LIST[: LIST.index("\n\nScan")]]


def test_a_row_is_shown_under_its_header_and_cited_alone() -> None:
    given = evidence(TABLE)
    draft = WRITER.write("Rate on a travel day", given)
    assert draft.sentences[0].text == "Kind: Travel day; Rate: 75%"
    assert quotes(draft, given)[0] == ["Travel day | 75%"]


RATES = (
    "| Kind | Rate for meals, hotel, taxi, parking, phone, fuel, laundry and tips |\n|---|---|\n"
    "| First day | 75% |\n| Last day | 75% |\n| Full day | 100% |")
ASKED = "Rate for meals, hotel, taxi, parking, phone, fuel, laundry and tips on a full day"


class LikesFirst(OverlapReranker):
    """Finds the first days a little nearer than what is asked."""

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        return [0.96 if "First" in text else 0.95 for _, text in pairs]


LIKES_FIRST = ExtractiveWriter(LikesFirst(ANALYSER), ANALYSER, gate=GATE)


def kinds(given: list[Evidence], question: str, writer: ExtractiveWriter = WRITER) -> list[str]:
    draft = writer.write(question, given)
    return [one.text.removeprefix("Kind: ").split(" day;")[0] for one in draft.sentences]


def test_of_rows_the_asked_one_comes_first() -> None:
    assert kinds(evidence(RATES), ASKED) == ["Full", "First", "Last"]
    assert kinds(evidence(f"Tips are paid on each day of a rate.\n\n{RATES}"), ASKED)[0] == "Full"


def test_of_a_table_in_two_passages_too() -> None:
    cut = RATES.index("| Full")
    first, second = RATES[:cut], RATES[: RATES.index("| First")] + RATES[cut:]
    for given in (evidence(first, second), evidence(second, first)):
        assert kinds(given, ASKED, LIKES_FIRST)[:2] in (["Full", "First"], ["Full", "Last"])


def test_rows_that_have_as_much_of_the_question_are_in_order_of_their_scores() -> None:
    assert kinds(evidence(RATES), "Rate for meals, hotel and taxi per day") == ["First", "Last", "Full"]


def test_marks_are_cleaned_from_the_words_but_not_from_the_quote() -> None:
    text = 'Ask in **[the channel](https://x.example/c)** {% slack_channel "help" %} about `vpn`.'
    given = evidence(text)
    draft = WRITER.write("ask about vpn in the channel", given)
    assert draft.sentences[0].text == "Ask in the channel help about `vpn`."
    assert quotes(draft, given)[0] == [text]


def test_a_heading_alone_is_no_quote() -> None:
    [one] = evidence("## How many weeks of leave?\n\nTwelve.")
    assert [q.text for q in quotables(one)] == ["Twelve."]
    assert [u.kind for u in units(passage("# A\n\nb\n\n1. c\n\n| d | e |"))] == ["heading", "prose", "item", "row"]


def test_only_strips_are_quoted() -> None:
    text = "Parents get 12 weeks of leave. Parents get 13 weeks of leave."
    given = [Evidence(1, passage(text), ((0, 30),), 0.9)]
    draft = WRITER.write("How many weeks of leave do parents get?", given)
    assert quotes(draft, given) == [["Parents get 12 weeks of leave."]]


def test_quotes_never_overlap_and_are_at_most_three() -> None:
    given = evidence(*(" ".join(f"Parents get {n} weeks of leave {m}." for m in range(6)) for n in range(3)))
    draft = WRITER.write("weeks of leave parents get", given)
    places = [quote for sentence in draft.sentences for quote in sentence.quotes]
    assert 1 <= len(draft.sentences) <= 3
    for n, (number, start, end) in enumerate(places):
        assert all(number != other or end <= a or b <= start for other, a, b in places[:n])


@pytest.mark.parametrize("question", ["Who won the chess cup?", "What is the capital of Peru?", "Leave Germany how?"])
def test_it_declines_what_the_evidence_is_not_about(question: str) -> None:
    draft = WRITER.write(question, evidence("Parents get 12 weeks of leave. It must be used within a year."))
    assert draft.sentences == () and draft.reason


def test_a_name_that_is_nowhere_weighs_against_quoting() -> None:
    writer = ExtractiveWriter(OverlapReranker(ANALYSER), ANALYSER, gate=Gate(least=0.75, names=0.3))
    given = evidence("Parents get 12 weeks of leave.")
    assert writer.write("How many weeks of leave do parents get?", given).sentences
    assert not writer.write("How many weeks of leave do parents of Berlin get?", given).sentences
