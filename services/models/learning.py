"""What a learned fusion is trained from: questions with known quotations, over the documents that are served."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from flows.training.finding import Finder, golden_candidates
from services.answering.search import SearchService
from vouch.learning.collections.golden import GoldenQuestion
from vouch.learning.training.fusion_training import JudgedCandidates


def judged_candidates(
    search: SearchService, questions: Sequence[GoldenQuestion], readers: Mapping[str, str],
    progress: Callable[[str, int, int], None],
) -> Iterator[JudgedCandidates]:  # fmt: skip
    """Per answerable question what both engines find. Raises NotFound for a reader nobody knows."""
    finder = Finder(search.index, search.permissions, search.encoder, search.analyser, search.ranking.top)
    return golden_candidates(finder, questions, readers, progress)
