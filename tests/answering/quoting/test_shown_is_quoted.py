"""What is shown is what the document says, but for marks that markdown-it calls marks: over drawn documents."""

import re
from collections.abc import Callable
from itertools import product

import pytest
from documents.drawn_markdown import DOCUMENT_WITH_CODE
from fakes.hashed_models import OverlapReranker
from homes.small_world import GATE, passage
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.models.tokenizer import load_tokenizer
from vouch.adapters.parsers.markdown.parser import parse_markdown
from vouch.answering.quoting.extractive import ExtractiveWriter, Gate
from vouch.answering.quoting.listing import quote_each
from vouch.answering.verification.citations import verify
from vouch.chunking.document_chunks import chunk_document
from vouch.documents.document import Parsed
from vouch.documents.text import markup
from vouch.ports.language import Evidence

ANALYSER = SnowballAnalyser()
RERANKER = OverlapReranker(ANALYSER)
WRITER = ExtractiveWriter(RERANKER, ANALYSER, gate=Gate(least=-10))
TOKENIZER = load_tokenizer()
KNOWN = ("br", "b")                     # HTML elements that are drawn
MARKS = re.compile(r"^(?:[ \t]*(?:[-*+]|\d{1,3}[.)])(?=\s|$))+", re.MULTILINE)     # of items, nested ones too
LETTER = "ꙮ"                            # stands for an asterisk that is none of markdown-it's
TAGS = re.compile(rf"</?(?:{'|'.join(KNOWN)})>|<!--.*?-->", re.DOTALL)
QUESTIONS = st.sampled_from(["How do I request a laptop?", "vacation policy days", "code abc", "office of the manager"])


def oracle(text: str) -> str:
    """The words of a document as markdown-it's own tokens give them, without marks and white space.

    Asterisks between digits are shown, though CommonMark may take them for marks: 2**10 is no 210.
    """
    found: list[str] = []
    sums = re.sub(r"(?<=\d)\*{1,2}(?=\d)", lambda power: LETTER * len(power[0]), text)
    for token in MarkdownIt("commonmark").enable("table").disable("text_join").parse(sums):
        if token.type in ("fence", "code_block"):
            found.append("\n" + token.content)
        elif token.type == "html_block":
            found.append("\n" + TAGS.sub("", token.content))
        elif token.type == "inline":
            found.append("\n")
            for child in token.children or ():
                if child.type == "code_inline":
                    found.append(child.markup + child.content + child.markup)
                elif child.type == "html_inline":
                    name = re.match(r"</?(\w+)", child.content)
                    found.append(child.content if name and name[1] not in KNOWN else "")
                else:
                    found.append(child.content or "\n" * (child.type in ("softbreak", "hardbreak")))
    return squeezed("".join(found).replace(LETTER, "*"))


def squeezed(text: str) -> str:
    """Without white space, and with names such as __init__ as bold words: they alone are shown against the tokens."""
    return re.sub(r"__(init)__", r"\1", re.sub(r"\s+", "", text))


def words(shown: str) -> str:
    """What a sentence shows, without the layout of lists and code."""
    lines = [line for line in shown.split("\n") if not line.lstrip().startswith("```")]
    return squeezed("\n".join(lines).removesuffix(" …"))


def ends(text: str) -> tuple[str, str]:
    """The first and the last three letters and digits of what is shown or quoted, link targets and tags left out."""
    letters = re.sub(r"[\W_]", "", re.sub(r"\]\([^)]*\)|^[ \t>]*(?:```|~~~).*", "", TAGS.sub("", text),
                                         flags=re.MULTILINE))
    return letters[:3], letters[-3:]


def evidences(parsed: Parsed, size: int) -> list[Evidence]:
    chunks = chunk_document("s", "a.md", parsed, TOKENIZER, size=size)
    return [
        Evidence(n, passage(parsed.text[c.start : c.end], chunk_id=c.id, markup=c.markup), ((0, c.end - c.start),), 0.9)
        for n, c in enumerate(chunks[:6], 1)
    ]


def check(text: str, question: str, size: int) -> int:
    """How many sentences were shown, each found in the document."""
    given = evidences(parse_markdown(text), size)
    count = 0
    for draft in (WRITER.write(question, given), quote_each(RERANKER, question, given)):
        verified = verify(draft, given, ANALYSER.terms)
        assert not verified.warnings, verified.warnings
        assert len(verified.sentences) == len(draft.sentences)
        for sentence, drafted in zip(verified.sentences, draft.sentences, strict=True):
            quotes = [given[n - 1].passage.text[a:b] for n, a, b in drafted.quotes]
            if any("|" in quote for quote in quotes):
                continue                # a row is shown as pairs of column and cell
            cut = sentence.text.endswith(" …") or bool(sentence.left_out)
            assert stands(sentence.text, oracle(text), quotes, cut=cut), sentence.text
            count += 1
    return count


def stands(shown: str, said: str, quotes: list[str], *, cut: bool) -> bool:
    """Whether all that is quoted is shown: one piece of the document, or a lead-in and an item of its list."""
    if len(quotes) == 1:
        return _all_stand([shown], said, quotes, cut=cut)
    parts = ([shown[: m.end()], shown[m.end() :].lstrip(" ")] for m in re.finditer(r":[*_]*(?=\s)", shown))
    return any(_all_stand(pieces, said, quotes, cut=cut) for pieces in parts)


def _all_stand(pieces: list[str], said: str, quotes: list[str], *, cut: bool) -> bool:
    for n, (piece, quote) in enumerate(zip(pieces, quotes, strict=True), 1):
        cut_here = cut and n == len(pieces)
        # What looks like the mark of an item may be a number of the text: 5*3. reads 53. where the asterisk is a mark.
        if not any(_one_stands(*both, said, cut=cut_here) for both in product(_bare(piece), _bare(quote))):
            return False
    return True


def _bare(text: str) -> tuple[str, str]:
    return MARKS.sub("", text), text


def _one_stands(piece: str, quote: str, said: str, *, cut: bool) -> bool:
    (first, last), (quoted_first, quoted_last) = ends(piece), ends(quote)
    return words(piece) in said and first == quoted_first and (cut or last == quoted_last)


@pytest.mark.slow
@settings(max_examples=150, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(DOCUMENT_WITH_CODE, QUESTIONS, st.sampled_from([180, 60]))
def test_every_sentence_shown_stands_in_the_document(text: str, question: str, size: int) -> None:
    check(text, question, size)


@pytest.mark.parametrize(("text", "question"), [
    ("The office is open.\n\n- *\n\n) . x\n\n*\n**`x`** of the laptop.", "laptop"),                # empty items
    ("> *!\n> it.\n> 5*3.\n> my_file `code` abc.", "code abc"),                            # reads 53.
    ("(see): (see):\n\n* the laptop it. The days", "laptop"),                             # a lead-in with two colons
    ("> <br>\n> **(a)**b the laptop.", "laptop"),            # HTML in a quote goes on to the next empty line
    ("Days of office and *very*:\n\n```\n )#),\n```\n\n> the office of the manager", "office of the manager"),
])
def test_what_once_was_shown_otherwise(text: str, question: str) -> None:
    assert check(text, question, 180)


def test_the_mark_of_an_empty_item_is_not_shown() -> None:
    draft = WRITER.write("Where is the laptop?", evidences(parse_markdown("It is here:\n\n*\n**The** laptop."), 180))
    assert draft.sentences and not any("*" in sentence.text for sentence in draft.sentences)


def test_code_of_signs_alone_is_shown_where_it_is_quoted() -> None:
    text = "The laptop of the office:\n\n```\n )#),\n```\n\nThe laptop of the manager."
    draft = WRITER.write("laptop of the office manager", evidences(parse_markdown(text), 180))
    assert [")#)," in sentence.text for sentence in draft.sentences] == [True]


@pytest.mark.parametrize("bug", ["every asterisk", "none"])
def test_planted_marks_that_are_none_are_found(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative controls: taking out what only looks like a mark, and leaving marks in."""
    planted: dict[str, Callable[..., str]] = {
        "every asterisk": lambda text, start, end, marks: re.sub(r"[*_`]|<[^>]*>", "", text[start:end]),
        "none": lambda text, start, end, marks: text[start:end],
    }
    monkeypatch.setattr("vouch.documents.text.markup.without_marks", planted[bug])
    text = "The **glob** for tests of the office is `tests/**/*.py` and `<user>`."
    with pytest.raises(AssertionError):
        check(text, "office", 180)
    monkeypatch.undo()
    assert markup.shown(text, 0, 12, markup.NOTHING) == "The **glob**" and check(text, "office", 180) == 2


PLAIN = "The variable __debug__ turns *tracing* on. The file is my_file_*.log, a Map<String, Integer> of 2**10 <user>."


def test_plain_text_is_shown_to_the_letter() -> None:
    from vouch.adapters.parsers.plain.text import TextParser
    from vouch.documents.document import Content

    parsed = TextParser().parse(Content("a.txt", PLAIN.encode(), ""))
    given = evidences(parsed, 180)
    draft = ExtractiveWriter(RERANKER, ANALYSER, gate=GATE).write("Which variable turns tracing on in the file?", given)
    verified = verify(draft, given, ANALYSER.terms)
    assert [s.text for s in verified.sentences] == [PLAIN] and verified.warnings == ()


@pytest.mark.parametrize("mark", ["-", "*", "+"])
def test_the_mark_of_an_item_is_no_minus_before_its_number(mark: str) -> None:
    told = ("the manager of x", "3.5 **bold** days request laptop", "Dr. of days")
    assert check("\n".join(f"{mark} {words}" for words in told), "How do I request a laptop?", 180)
