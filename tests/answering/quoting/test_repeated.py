"""No sentence is quoted twice: neither from the overlap of two passages, nor from two documents."""

from fakes.hashed_models import OverlapReranker
from homes.small_world import GATE, passage
from hypothesis import given
from hypothesis import strategies as st

from vouch.adapters.analyser import SnowballAnalyser
from vouch.answering.quoting.extractive import ExtractiveWriter
from vouch.answering.quoting.nearest import quote_nearest
from vouch.ports.language import Draft, Evidence

ANALYSER = SnowballAnalyser()
RERANKER = OverlapReranker(ANALYSER)
WRITER = ExtractiveWriter(RERANKER, ANALYSER, gate=GATE)
DOCUMENT = (
    "Birds fly south. Parents get 12 weeks of leave. Parents may share the weeks of leave. "
    "Parents of twins get more weeks of leave. Fish swim north."
)


def chunks(*bounds: tuple[int, int]) -> list[Evidence]:
    """Passages of one document, with the characters that `bounds` say."""
    return [
        Evidence(n, passage(DOCUMENT[a:b], chunk_id=f"c{n}", start=a, end=b), ((0, b - a),), 0.9)
        for n, (a, b) in enumerate(bounds, 1)
    ]


def places(draft: Draft, evidence: list[Evidence]) -> list[tuple[int, int]]:
    starts = {one.number: one.passage.start for one in evidence}
    return [(starts[n] + a, starts[n] + b) for sentence in draft.sentences for n, a, b in sentence.quotes]


def apart(found: list[tuple[int, int]]) -> bool:
    return all(b <= c or d <= a for n, (a, b) in enumerate(found) for c, d in found[:n])


OVERLAPPING = chunks((0, DOCUMENT.index(" Parents of")), (DOCUMENT.index("Parents may"), len(DOCUMENT)))


def test_the_overlap_of_neighboring_passages_is_quoted_once() -> None:
    found = places(WRITER.write("Which weeks of leave may parents share?", OVERLAPPING), OVERLAPPING)
    assert found and apart(found)


def test_the_nearest_passages_show_their_overlap_once() -> None:
    draft = quote_nearest(RERANKER, "Which weeks of leave may parents share?", OVERLAPPING, ANALYSER.terms)
    assert len(draft.sentences) == 2 and apart(places(draft, OVERLAPPING))
    assert draft.sentences[1].text == "Parents of twins get more weeks of leave. Fish swim north."


def test_a_passage_of_which_all_is_shown_has_no_place_among_the_nearest() -> None:
    inner = chunks((0, len(DOCUMENT)), (DOCUMENT.index("Parents get"), DOCUMENT.index(" Fish")))
    assert len(quote_nearest(RERANKER, "weeks of leave", inner, ANALYSER.terms).sentences) == 1


def test_what_two_documents_say_in_the_same_words_is_quoted_once() -> None:
    text = "Parents get 12 weeks of leave."
    given_ = [Evidence(n, passage(text + more, path=f"{n}.md", chunk_id=f"c{n}"), ((0, len(text + more)),), 0.9)
              for n, more in enumerate(["", "\n\n## Fish\n\nFish swim."], 1)]
    assert len(WRITER.write("How many weeks of leave do parents get?", given_).sentences) == 1


def test_the_same_place_of_two_documents_is_no_overlap() -> None:
    given_ = [Evidence(n, passage(text, path=f"{n}.md", chunk_id=f"c{n}"), ((0, len(text)),), 0.9)
              for n, text in enumerate(["Parents get weeks of leave.", "Parents get weeks of sick leave."], 1)]
    assert len(WRITER.write("How many weeks of leave do parents get?", given_).sentences) == 2


@given(st.lists(st.tuples(st.integers(0, len(DOCUMENT) - 1), st.integers(1, 80)), min_size=1, max_size=4))
def test_whatever_the_passages_no_character_is_quoted_twice(bounds: list[tuple[int, int]]) -> None:
    given_ = chunks(*((a, min(a + length, len(DOCUMENT))) for a, length in bounds))
    nearest = quote_nearest(RERANKER, "weeks", given_, ANALYSER.terms)
    for draft in (WRITER.write("weeks of leave of parents", given_), nearest):
        assert apart(places(draft, given_))
