"""Rights that end while a search is under way: its results are those of the rights at its end."""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from fakes.hashed_models import OverlapReranker
from homes.living_home import LivingHome
from homes.memory import folder_in_memory
from http_scene.http_place import PAPERS, PEOPLE, RULES, Paper
from two_world.worlds import ANALYSER

from services.answering.search import SearchService
from vouch.errors import Unavailable
from vouch.retrieval.ranking import Ranking
from vouch.retrieval.recipe.step import RankingModels


class Meanwhile:
    """Reranks, and does something before it is done."""

    def __init__(self, do: Callable[[], object]) -> None:
        self._inner, self._do = OverlapReranker(ANALYSER), do

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def scores(self, *given: Any, **named: Any) -> Any:
        found = self._inner.scores(*given, **named)
        self._do()
        return found


def paths(home: LivingHome, tags: Sequence[str], do: Callable[[], object]) -> list[str]:
    reranker: Any = Meanwhile(do)
    finder = SearchService(home.index, home.watched, ANALYSER, lambda: home.bench.encoder,
                           lambda: RankingModels(home.bench.encoder, reranker, ANALYSER, None), Ranking(top=20))
    found = finder.search("vault tokens and paid leave", tags, 10, "reranked")
    return [one["path"] for one in found["results"]]


@pytest.fixture
def home() -> Any:
    with folder_in_memory() as folder:
        made = LivingHome(folder, ["docs"])
        made.people(PEOPLE)
        made.put_rules("docs", RULES)
        for path, words in PAPERS.items():
            made.put("docs", path, Paper(words))
        assert made.ingest(["docs"])
        yield made
        made.close()


def test_what_may_not_be_read_any_more_is_not_among_the_results(home: LivingHome) -> None:
    assert "eng/tokens.md" in paths(home, ["user:ana"], lambda: None)
    taken = paths(home, ["user:ana"], lambda: home.put_rules("docs", [("**", ["public"]), ("eng/**", [])]))
    assert "eng/tokens.md" not in taken and "leave.md" in taken


def test_rights_that_change_faster_than_it_searches_are_an_error_and_not_an_empty_list(home: LivingHome) -> None:
    nothing: Any = SimpleNamespace(chunk_ids=set())
    home.index.visible_to = lambda readers, chunk_ids: nothing      # type: ignore[method-assign]
    with pytest.raises(Unavailable, match="changed while it was searched"):
        paths(home, ["user:ana"], lambda: None)


def test_a_change_of_what_others_may_read_does_not_stop_a_search(home: LivingHome) -> None:
    assert "eng/tokens.md" in paths(home, ["user:ana"], lambda: home.put_rules(
        "docs", [("**", ["public"]), ("eng/**", ["group:eng"]), ("people/**", [])]))
