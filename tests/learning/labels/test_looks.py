"""From labels and recorded answers to what was seen, with swaps undone; and from there to propensities."""

from datetime import UTC, datetime

from vouch.learning.labels.label import Label, Source
from vouch.learning.labels.propensity import estimate, looks_of
from vouch.retrieval.experiments import swap
from vouch.retrieval.fusion_features import FEATURE_NAMES, FEATURE_SCHEMA

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


def label(answer: str | None, chunk: str, relevance: int, source: Source = "vote", at: int | None = None) -> Label:
    return Label("How?", ("public",), chunk, None, 1, relevance, source, 1.0, NOON, "p", answer, at)


def row(
    chunk: str, position: int, shown: int | None = 1, schema: int = FEATURE_SCHEMA, cited: bool = True
) -> dict[str, object]:
    return {"chunk_id": chunk, "position": position, "shown": shown, "schema": schema, "cited": cited,
            "features": dict.fromkeys(FEATURE_NAMES, 0.5)}


def test_what_was_cited_by_answers_that_people_reacted_to() -> None:
    recorded = {
        "one": [row("a", 1), row("b", 2, shown=2), row("c", 3, shown=None), row("d", 4, schema=1),
                row("e", 5, shown=5, cited=False)],
        "other": [row("a", 1)],
    }
    labels = [label("one", "b", 3), label("one", "a", 0), label("one", "a", 1, "cited"),
              label("other", "a", 1, "cited"), label(None, "a", 3, "judged"), label("gone", "a", 3)]
    found = looks_of(labels, recorded, {"one": (1, 2)})
    assert (found.place.tolist(), found.ranked.tolist(), found.helpful.tolist()) == ([1, 2], [2, 1], [0.0, 1.0])
    assert found.features.shape == (2, len(FEATURE_NAMES))


def test_a_place_is_that_of_the_labels_which_corrections_go_by() -> None:
    """The ranking puts c second, the writer is given it first, and the answer cites it third."""
    recorded = {"one": [row("a", 1, cited=False), row("c", 2), row("b", 3, shown=2)]}
    found = looks_of([label("one", "c", 3, at=3)], recorded, {"one": (2, 3)})
    assert (found.place.tolist(), found.ranked.tolist()) == ([3, 2], [2, 3])
    unmoved = looks_of([label("one", "c", 3, at=3)], recorded, {"one": (1, 2)})
    assert unmoved.ranked.tolist() == [3, 2]


def test_nothing_recorded_gives_no_propensities() -> None:
    assert estimate(looks_of([], {}, {})) == {}
    assert estimate(looks_of([label("one", "a", 3)], {}, {})) == {}


def test_readers_who_look_at_the_first_alone_half_of_the_time() -> None:
    """Everything helps; at the second place every other reader sees it."""
    labels, recorded, swapped = [], {}, {}
    for n in range(400):
        order, swapped[str(n)] = swap(["a", "b"], 0.5, str(n), 2)
        recorded[str(n)] = [row(chunk, place, shown=place) for place, chunk in enumerate(order, 1)]
        labels += [label(str(n), order[0], 3), label(str(n), order[1], 3 * (n // 2 % 2))]
    found = estimate(looks_of(labels, recorded, swapped))
    assert found[1] == 1 and abs(found[2] - 0.5) < 0.1
