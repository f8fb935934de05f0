"""What a learned fusion is trained from: questions with known quotations, over the documents that are served."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from services.evaluation import check_reader
from services.search import SearchService
from vouch.access import PUBLIC
from vouch.learning.fusion_training import JudgedCandidates, describe
from vouch.learning.golden import GoldenQuestion, relevance
from vouch.retrieval.fusion import ReciprocalRanks, fuse
from vouch.retrieval.query import form_query
from vouch.retrieval.retrieve import retrieve


def judged_candidates(
    finder: SearchService, questions: Sequence[GoldenQuestion], readers: Mapping[str, str],
    progress: Callable[[str, int, int], None],
) -> Iterator[JudgedCandidates]:  # fmt: skip
    """Per answerable question what both engines find; a passage is relevant if it holds a quotation of the question's.

    Each question finds only what its reader may read: `readers` by corpus, the
    public for the others. Raises NotFound for a reader nobody knows.
    """
    for tag in readers.values():
        check_reader(finder.permissions().directory, tag)
    asked = [one for one in questions if one.gold]
    for done, question in enumerate(asked, 1):
        view = finder.index.view(finder.permissions().directory.audience([readers.get(question.corpus, PUBLIC)]))
        query = form_query(question.text, finder.analyser)
        hits = retrieve(view, finder.encoder(), query, finder.ranking.top)
        candidates = fuse(view, query, hits, ReciprocalRanks()).candidates
        items = [c.chunk_id for c in candidates]
        relevant = relevance(question, [c.passage for c in candidates])
        yield describe(view, query, candidates, items, relevant, finder.analyser)
        progress("search", done, len(asked))
