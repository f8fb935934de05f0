"""Every way that benchmarks/search/elastic_filters.py compares names exactly the visible rows."""

from typing import Any

import numpy as np
import pytest

from benchmarks.search.row_filters import Layout, Mask, RowFilters, layouts

ROWS = 6_000


@pytest.mark.parametrize("layout", layouts(ROWS), ids=lambda layout: layout.name)
@pytest.mark.parametrize("count", [0, 1, 30, 150, 297, 300])
def test_each_way_names_exactly_what_a_reader_sees(layout: Layout, count: int) -> None:
    sets: dict[str, list[int]] = {}

    def send(name: str, numbers: list[int]) -> dict[str, Any]:
        sets[name] = numbers
        return {"index": "sets", "id": name}

    filters = RowFilters(layout, send)
    mask = layout.visible(count, 0)
    for way, made in filters.all.items():
        if (query := made(mask)) is None:
            assert way == "ranges"
        else:
            assert (matched(query, filters, layout, sets) == mask).all(), way


def matched(query: Any, filters: RowFilters, layout: Layout, sets: dict[str, list[int]]) -> Mask:
    """The rows that Elasticsearch would find."""
    [(kind, inside)] = query.items()
    rows = np.arange(ROWS)
    if kind == "bool":
        found = np.ones(ROWS, np.bool_)
        for clause in inside.get("filter", ()):
            found &= matched(clause, filters, layout, sets)
        for clause in inside.get("must_not", ()):
            found &= ~matched(clause, filters, layout, sets)
        if inside.get("should"):
            found &= np.any([matched(clause, filters, layout, sets) for clause in inside["should"]], axis=0)
        return found
    if kind == "match_none":
        return np.zeros(ROWS, np.bool_)
    if kind == "script":
        bits = inside["script"]["params"]["bits"]
        return np.array([(ord(bits[row // 6]) - 48 >> row % 6) & 1 for row in rows], np.bool_)
    if kind == "range":
        return (rows >= inside["serial"]["gte"]) & (rows < inside["serial"]["lt"])
    [(field, values)] = inside.items()
    if field == "segment":
        return np.any([(rows >= filters.spans[s].start) & (rows < filters.spans[s].stop) for s in values], axis=0)
    if field == "label":
        return np.isin(np.array(layout.labels)[layout.of_row], values)
    return np.isin(rows, np.array(sets[values["id"]] if isinstance(values, dict) else values, np.int64))
