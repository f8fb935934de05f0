"""The papers profile: what it leaves out, how it writes addresses, and where its chunks end."""

from itertools import pairwise

from vouch.adapters.models.tokenizer import load_tokenizer
from vouch.adapters.parsers import parse
from vouch.adapters.sandbox.limits import ParsingLimits
from vouch.adapters.sandbox.parsed_chunks import ParsedChunks, take_apart
from vouch.chunking.document_chunks import chunker_fingerprint
from vouch.chunking.papers import OVERLAP, SIZE, URL, as_paper
from vouch.documents.document import Content

TOKENIZER = load_tokenizer()
SENTENCE = "We trained the tagger on {} tokens of news text and report its accuracy."
BODY = " ".join(SENTENCE.format(n) for n in range(20))
PAPER = f"""# A tagger

## Method

{BODY}

See https://example.org/code.v2/tagger.html. The [code](https://example.org/a.b) is free, www.example.org/x?y=1 too.

## References

Ana and Bo. 2019. A tagger of old.

### Further ones

Cy. 2020. Another.

## Results

It works.

## 7 Acknowledgements

We thank Di.

## Appendix A: Details

The rate was low.
"""
PLAIN = "\n\n\n".join((
    "Method\nWe tag words.", "References\nAna 2019.\n\nBo 2020.", "Results\nIt works well.", "Acknowledgment\nThanks.",
))


def apart(text: str, path: str = "a.md", *, papers: bool = True) -> ParsedChunks:
    content = Content(path, text.encode(), "")
    return take_apart("docs", content, TOKENIZER, size=SIZE, overlap=OVERLAP, limits=ParsingLimits(),
                      profile="papers" if papers else "usual")


def texts(found: ParsedChunks) -> list[str]:
    return [found.text[one.start : one.end] for one in found.chunks]


def test_references_thanks_and_appendices_are_left_out() -> None:
    said = "\n".join(texts(apart(PAPER)))
    assert "We trained" in said and "It works." in said
    assert not any(word in said for word in ("2019", "2020", "thank Di", "rate was low"))
    assert {one.section[-1] for one in apart(PAPER).chunks} == {"Method", "Results"}
    assert "2019" in "\n".join(texts(apart(PAPER, papers=False)))


def test_headings_that_are_lines_of_plain_text_count_too() -> None:
    said = "\n".join(texts(apart(PLAIN, "a.txt")))
    assert "We tag words." in said and "It works well." in said
    assert not any(word in said for word in ("Ana 2019", "Bo 2020", "Thanks"))


def test_a_sentence_on_an_appendix_and_a_wrapped_reference_are_no_headings() -> None:
    said = "\n".join(texts(apart("Method\nWe tag.\n\nAppendix A shows the rates.\n\nIt rains.", "a.txt")))
    assert "shows the rates" in said and "It rains." in said
    wrapped = "Method\nWe tag.\n\nReferences\nAna and Bo. 2019. A tagger of\nold words.\n\nCy. 2020. On\nrain."
    said = "\n".join(texts(apart(wrapped, "a.txt")))
    assert "We tag." in said and "old words" not in said and "rain" not in said


def test_addresses_that_readers_see_are_written_url() -> None:
    found = apart(PAPER)
    said = "\n".join(texts(found))
    assert f"See {URL}. The [code](https://example.org/a.b) is free, {URL} too." in said
    assert all(found.text[one.start : one.end].strip() for one in found.chunks)


def test_places_are_moved_with_the_addresses() -> None:
    parsed = parse(Content("a.md", PAPER.encode(), ""))
    made = as_paper(parsed)
    for block in made.blocks:
        text = made.text[block.start : block.end]
        assert text == text.strip() and text
    assert 3 < len(made.blocks) < len(parsed.blocks)
    marks = [parsed.text[a:b] for a, b in parsed.markup.hidden]
    assert [one for one in marks if "#" not in one] == [made.text[a:b] for a, b in made.markup.hidden
                                                        if "#" not in made.text[a:b]]


def test_chunks_end_with_sentences_and_share_some() -> None:
    found = [one for one in texts(apart(PAPER)) if "We trained" in one]
    assert len(found) >= 3 and all(len(one) <= SIZE and one.endswith(".") for one in found)
    assert all(one[0].isalnum() for one in texts(apart(PAPER)))
    for before, after in pairwise(found):
        shared = next(n for n in range(min(len(before), len(after)), -1, -1) if before.endswith(after[:n]))
        assert 0 < shared <= OVERLAP


def test_another_profile_makes_another_index() -> None:
    assert chunker_fingerprint(SIZE, OVERLAP, "papers") != chunker_fingerprint(SIZE, OVERLAP)
