"""What an audience sees of a world, written down bit by bit, and in what two worlds differ for it."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from typing import Any

from homes.memory import folder_in_memory
from two_world.worlds import ANALYSER, AUDIENCES, SOURCE, WORDS, Engines, Pair, World, open_world

from indexers.elastic.engine import ElasticEngine
from indexers.search.view import LiveView
from vouch.filters import EVERYTHING, Filters

FILTERS = (Filters(paths=("open/**",)), Filters(paths=("team", "people/*")), Filters(sources=(SOURCE,)),
           Filters(sources=("elsewhere",)), Filters(after=date(2026, 1, 1)),
           Filters(owners=("user:ana@acme.test", "group:people")))
Make = Callable[..., LiveView]


def observe(world: World, pair: Pair, make: Make = LiveView) -> dict[str, Any]:
    """All that the audience can see of a world through its view, scores as exact hexadecimal; and through filters."""
    filters = FILTERS[sum(map(ord, pair.question)) % len(FILTERS)]
    narrowed = {f"{name} filtered": seen for name, seen in _observe(world, pair, make, filters).items()}
    return _observe(world, pair, make, EVERYTHING) | narrowed


def _observe(world: World, pair: Pair, make: Make, filters: Filters) -> dict[str, Any]:
    view = world.index.view(pair.audience, filters)
    view = make(view._version, view.epoch, view._rows, lexical=view._engine)
    terms = ANALYSER.terms(pair.question)
    vector = world.encoder.questions([pair.question])[0]
    seen: dict[str, Any] = {}
    for top in (1, 3, 100):
        seen[f"lexical {top}"] = [(h.chunk_id, h.score.hex()) for h in view.lexical(terms, top)]
        seen[f"dense {top}"] = [(h.chunk_id, h.score.hex()) for h in view.dense(vector, top)]
    everything = [term for word in WORDS for term in ANALYSER.terms(word)]
    seen["statistics"] = view.statistics([*terms, *everything])
    ids = list(dict.fromkeys(chunk_id for chunk_id, _ in seen["lexical 100"] + seen["dense 100"]))
    seen["passages"] = view.passages(ids)
    seen["around"] = [view.around(chunk_id, 1, 2) for chunk_id in ids]
    seen["section"] = [view.same_section(chunk_id) for chunk_id in ids]
    return seen


def observe_among_others(world: World, pair: Pair, make: Make = LiveView) -> dict[str, Any]:
    """The same, while other audiences ask the same question of the same index."""
    others = [replace(pair, tags=tuple(tags)) for tags in AUDIENCES if tuple(tags) != pair.tags]
    with ThreadPoolExecutor(len(others) + 1) as pool:
        asked = [pool.submit(observe, world, other, make) for other in others]
        seen = pool.submit(observe, world, pair, make).result()
        for other in asked:
            other.result()
    return seen


def differences(pair: Pair, *, make: Make = LiveView, engines: Engines | None = None) -> list[str]:
    """What the pair's audience sees otherwise in the two worlds. In a quarter of them others ask at the same time."""
    look = observe_among_others if len(pair.question) % 4 == 0 else observe
    with folder_in_memory() as place:
        first = open_world(place / "first", pair.first, engines=engines)
        seen = look(first, pair, make)
        second = open_world(place / "second", pair.second, engines=engines)
        other = observe(second, pair, make)
        for world in (first, second):
            if isinstance(world.store.lexical, ElasticEngine):
                world.store.lexical.wait()
    return [name for name in seen if seen[name] != other[name]]
