import pytest
from documents.drawn_markdown import BODY
from hypothesis import given
from hypothesis import strategies as st

from vouch.documents.text.sentences import sentence_spans


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. Smith met J. K. Rowling on Jan. 5.", ["Dr. Smith met J. K. Rowling on Jan. 5."]),
        ("It costs $3.50, e.g. for tea. Next.", ["It costs $3.50, e.g. for tea.", "Next."]),
        ("He moved to the U.S. The office stayed.", ["He moved to the U.S.", "The office stayed."]),
        ("The U.S. Government pays.", ["The U.S. Government pays."]),
        ("We end at 5 p.m. We start at 9 a.m. daily.", ["We end at 5 p.m.", "We start at 9 a.m. daily."]),
        ("Use `a. B` here. See [Foo. Bar](http://x.y/a.b).", ["Use `a. B` here.", "See [Foo. Bar](http://x.y/a.b)."]),
        ('"Really?" he asked. (See below. Then go.)', ['"Really?" he asked.', "(See below.", "Then go.)"]),
        ("**Note.** Mind the gap.[1] Then go.", ["**Note.**", "Mind the gap.[1]", "Then go."]),
        ("他来了。她走了。", ["他来了。", "她走了。"]),
        ("Wait... and see. Version 2.0.1 is out. 12 came.", ["Wait... and see.", "Version 2.0.1 is out.", "12 came."]),
        ("no marks at all", ["no marks at all"]),
    ],
)
def test_a_full_stop_ends_a_sentence_only_where_one_ends(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_lines_of_markdown_stand_alone() -> None:
    text = (
        "# A heading\nText that runs\nover lines. More.\n\n- first item. Yes.\n- [x] second\n  goes on\n1. third\n\n"
        "> quoted\n> words.\n\n| a | b |\n|---|---|\n| c | d |\n\n```sh\nls -l. Now\npwd\n```\n***\nEnd\n===\n"
    )
    assert sentences(text) == [
        "A heading", "Text that runs\nover lines.", "More.", "first item.", "Yes.", "second\n  goes on", "third",
        "quoted\n> words.", "a | b", "c | d", "ls -l. Now", "pwd", "End",
    ]  # fmt: skip


def test_a_wrapped_line_that_begins_with_a_number_is_no_list_item() -> None:
    assert sentences("The year was\n12. It was cold.") == ["The year was\n12.", "It was cold."]


@pytest.mark.slow
@given(st.one_of(BODY, st.text(st.sampled_from("ab. \n-*>|`#1[]()\"'。!A\t\r"), max_size=200), st.text(max_size=80)))
def test_spans_are_ordered_trimmed_and_cover_every_word(text: str) -> None:
    spans = sentence_spans(text)
    assert all(a < b <= c for (a, b), (c, _) in zip(spans, [*spans[1:], (len(text), 0)], strict=False))
    assert all(text[a:b] == text[a:b].strip() for a, b in spans)
    inside = {i for a, b in spans for i in range(a, b)}
    assert not [text[i] for i, c in enumerate(text) if c.isalpha() and i not in inside and not _fence_word(text, i)]


def _fence_word(text: str, at: int) -> bool:
    """The language named after an opening fence is no word of the document."""
    line = text[text.rfind("\n", 0, at) + 1 :].split("\n", 1)[0]
    return line.lstrip(" \t>").startswith(("```", "~~~"))


@pytest.mark.parametrize("unit", [".)", ". ", "[", "`", "<", "(\"", "| ", "> ", "1. ", "。", "a.", "x。「"])
def test_hostile_text_takes_no_longer_than_its_length(unit: str) -> None:
    assert isinstance(sentence_spans(unit * 50_000 + "x"), list)
