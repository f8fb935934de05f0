"""A row of many columns is shown with what names it and what is asked for, and cited whole."""

from collections.abc import Sequence

from fakes.hashed_models import OverlapReranker
from homes.small_world import GATE, evidence
from hypothesis import given
from hypothesis import strategies as st

from vouch.adapters.analyser import SnowballAnalyser
from vouch.answering.quoting.extractive import ExtractiveWriter, Gate
from vouch.answering.quoting.nearest import quote_nearest
from vouch.answering.quoting.quotable import quotables
from vouch.answering.quoting.wide_rows import WIDE, narrowed

ANALYSER = SnowballAnalyser()
RERANKER = OverlapReranker(ANALYSER)
WRITER = ExtractiveWriter(RERANKER, ANALYSER, gate=GATE)
COLUMNS = ("Customer", "Region", "Account manager", "Contract end", "Robots", "Support level", "Invoice address",
           "Language", "Notes")
ACME = ("ACME", "North", "Sofia Marques", "31 January 2028", "48", "Gold", "12 Harbour Road, Bristol, BS1 4XD",
        "English", "Asks for a yearly visit of the plant in spring, with the safety officer")
BOREALIS = ("Borealis", "East", "Li Wei", "30 June 2027", "20", "Silver", "3 Fjord Street, Bergen, 5003",
            "Norwegian", "Pays late; remind them by telephone in the first week of each quarter")
TABLE = "\n".join(f"| {' | '.join(row)} |" for row in (COLUMNS, ("---",) * len(COLUMNS), ACME, BOREALIS))


def test_the_asked_column_is_shown_beside_the_first_and_the_whole_row_is_cited() -> None:
    given_ = evidence(TABLE)
    question = "When does the contract of ACME end?"
    for draft in (WRITER.write(question, given_), quote_nearest(RERANKER, question, given_, ANALYSER.terms)):
        first = draft.sentences[0]
        assert (first.text, first.left_out) == ("Customer: ACME; Contract end: 31 January 2028", "7 more columns")
        [(number, start, end)] = first.quotes
        assert (number, TABLE[start:end]) == (1, " | ".join(ACME))


class Blurred(OverlapReranker):
    """Holds Widget-71 for nearer to Widget-17 than itself, as a model of meaning may."""

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        return [0.9 if "Widget-71 " in text else 0.8 for _, text in pairs]


def test_the_row_that_is_named_is_quoted_though_another_one_is_nearer() -> None:
    given_ = evidence("| Product | Price |\n|---|---|\n| Widget-71 | 3 |\n| Widget-17 | 5 |")
    reranker = Blurred(ANALYSER)

    def first(question: str) -> set[str]:
        drafts = (ExtractiveWriter(reranker, ANALYSER, gate=Gate(least=0)).write(question, given_),
                  quote_nearest(reranker, question, given_, ANALYSER.terms))
        return {draft.sentences[0].text for draft in drafts}

    assert first("what is the price of Widget-17?") == {"Product: Widget-17; Price: 5"}
    assert first("what is the price of the widget?") == {"Product: Widget-71; Price: 3"}


def test_a_second_row_with_the_same_first_column_is_whole() -> None:
    """What was left out would tell the two apart, or they would say the same twice."""
    twin = (ACME[0], "South", *ACME[2:])
    table = "\n".join(f"| {' | '.join(row)} |" for row in (COLUMNS, ("---",) * len(COLUMNS), ACME, twin))
    first, second = quotables(evidence(table)[0])
    asked = set(ANALYSER.terms("When does the contract of ACME end?"))
    shown = narrowed(first, asked, ANALYSER.terms)
    assert len(shown.text) < len(first.text) and narrowed(second, asked, ANALYSER.terms, [shown]) is second


def test_a_cell_that_is_asked_for_is_shown() -> None:
    [acme, _] = quotables(evidence(TABLE)[0])
    found = narrowed(acme, set(ANALYSER.terms("Which contract ends in the north?")), ANALYSER.terms)
    assert "Region: North" in found.text and "Contract end" in found.text and "Robots" not in found.text


def test_a_row_is_whole_where_no_column_is_asked_for_or_it_is_short() -> None:
    whole = "; ".join(f"{name}: {cell}" for name, cell in zip(COLUMNS, ACME, strict=True))
    [acme, _] = quotables(evidence(TABLE)[0])
    assert acme.text == whole
    assert narrowed(acme, set(ANALYSER.terms("Where is ACME?")), ANALYSER.terms) is acme
    short = evidence("| Customer | Robots |\n|---|---|\n| ACME | 48 |")[0]
    [row] = quotables(short)
    assert narrowed(row, {"robot"}, ANALYSER.terms) is row
    prose = quotables(evidence("Parents get weeks of leave. " * 20)[0])[0]
    assert narrowed(prose, {"parent"}, ANALYSER.terms) is prose


CELL = st.text("abc xyz", min_size=1, max_size=60).filter(str.strip)


@given(st.lists(CELL, min_size=4, max_size=9), st.sets(st.integers(1, 8)))
def test_what_is_shown_is_always_pairs_of_the_row_and_the_rest_is_counted(cells: list[str], wanted: set[int]) -> None:
    names = [f"column{n}" for n in range(len(cells))]
    text = "\n".join(f"| {' | '.join(row)} |" for row in (names, ["---"] * len(names), cells))
    [row] = quotables(evidence(text)[0])
    asked = {f"column{n}" for n in wanted}
    found = narrowed(row, asked, str.split)
    assert found.spans == row.spans and found.cited == row.cited
    every, shown = row.text.split("; "), found.text.split("; ")
    assert shown == [pair for pair in every if pair in shown] and shown[0] == every[0]
    if found is not row:
        assert len(row.text) > WIDE and {pair.split(":")[0] for pair in shown[1:]} == asked & set(names)
        assert found.left_out.split(" ")[0] == str(len(every) - len(shown)) or not found.left_out


def test_beside_a_row_that_is_named_no_other_row_is_quoted() -> None:
    given_ = evidence("| Product | Price |\n|---|---|\n| Widget-71 | 3 |\n| Widget-17 | 5 |\n| Widget-18 | 6 |")
    writer = ExtractiveWriter(Blurred(ANALYSER), ANALYSER, gate=Gate(least=0))

    def quoted(question: str) -> list[str]:
        return [one.text for one in writer.write(question, given_).sentences]

    assert quoted("what is the price of Widget-17?") == ["Product: Widget-17; Price: 5"]
    assert len(quoted("what is the price of Widget-17 and Widget-18?")) == 2
