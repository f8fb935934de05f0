"""What a learned fusion is trained from: questions with known quotations, over the documents that are served."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from flows.finding import Finder, golden_candidates
from services.search import SearchService
from vouch.learning.fusion_training import JudgedCandidates
from vouch.learning.golden import GoldenQuestion


def judged_candidates(
    search: SearchService, questions: Sequence[GoldenQuestion], readers: Mapping[str, str],
    progress: Callable[[str, int, int], None],
) -> Iterator[JudgedCandidates]:  # fmt: skip
    """Per answerable question what both engines find. Raises NotFound for a reader nobody knows."""
    finder = Finder(search.index, search.permissions, search.encoder, search.analyser, search.ranking.top)
    return golden_candidates(finder, questions, readers, progress)
