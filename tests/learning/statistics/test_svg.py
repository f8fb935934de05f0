"""Pictures: places are in proportion, names steer nothing, and all of them are well-formed."""

from datetime import UTC, datetime
from xml.etree import ElementTree

import pytest

from vouch.learning.drift.drift_look import Drift, Period, Standing
from vouch.learning.drift.drift_report import drift_picture
from vouch.learning.drift.stability import Share, Stability
from vouch.learning.statistics.report import Scale, bar, dot, line, picture, span, words
from vouch.learning.training.training_report import pictures

HOSTILE = '</text><script>alert("x")</script> & \'quoted\''


def shapes(svg: str, kind: str) -> list[dict[str, str]]:
    return [dict(one.attrib) for one in ElementTree.fromstring(svg).iter() if one.tag.endswith("}" + kind)]


def test_a_scale_is_in_proportion_and_ends_at_its_edges() -> None:
    scale = Scale(-1.0, 3.0, 100, 500)
    assert [scale(value) for value in (-1, 0, 1, 3, 9, -9)] == [100, 200, 300, 500, 500, 100]
    assert Scale(0, 1, 300, 100)(0.25) == 250, "upwards"
    assert span([2.0, 1.0], 0, 100)(1.0) == 50 and span([], 0, 100)(0.0) == 0


def test_whatever_is_written_is_text() -> None:
    drawn = picture(HOSTILE, 200, 100, [words(1, 2, HOSTILE), bar(9, 3, 1, 2, color="red", told=HOSTILE)])
    root = ElementTree.fromstring(drawn)
    assert "".join(root.itertext()).count("alert") == 3 and root.attrib["aria-label"] == HOSTILE
    assert {one.tag.rpartition("}")[2] for one in root.iter()} == {"svg", "rect", "text", "title"}


def test_shapes_are_where_they_were_put() -> None:
    drawn = picture("t", 200, 100, [bar(9, 3, 1, 2, color="red"), line([(1, 2), (3, 4)], color="red"),
                                    dot(5, 6, color="red")])
    assert shapes(drawn, "rect")[1] | {"fill": ""} == {"x": "3", "y": "1", "width": "6", "height": "2", "fill": ""}
    assert shapes(drawn, "polyline")[0]["points"] == "1,2 3,4"
    assert (shapes(drawn, "circle")[0]["cx"], shapes(drawn, "circle")[0]["cy"]) == ("5", "6")


NOTHING = Share(0, 0, 0.0, 1.0)
WEEK = Period(datetime(2026, 11, 16, tzinfo=UTC), datetime(2026, 11, 23, tzinfo=UTC), "the week")


def test_a_shift_is_a_longer_bar_and_the_largest_is_on_top() -> None:
    columns = {"a": Stability(0.25, 0.1), "b<c": Stability(0.5, 0.1), "z": Stability(7.0, 0.1)}
    drawn = drift_picture(Drift(Standing(WEEK, NOTHING, NOTHING), None, columns))
    assert "Shares" not in drawn
    named = [text for text in ElementTree.fromstring(drawn).itertext() if text in ("a", "b<c", "z")]
    assert named == ["z", "b<c", "a"]
    lengths = [float(one["width"]) for one in shapes(drawn, "rect")[2::2]]
    assert lengths == [420, 210, 105] and "7.00 …" in drawn


def test_shares_of_declines_and_votes_stand_below_with_their_intervals() -> None:
    now, then = (Standing(WEEK, Share(30, 100, 0.2, 0.4), NOTHING), Standing(WEEK, Share(10, 100, 0.05, 0.15),
                                                                           Share(3, 4, 0.25, 1.0)))
    drawn = drift_picture(Drift(now, then, {"a": Stability(0.25, 0.1)}))
    named = [text for text in ElementTree.fromstring(drawn).itertext() if text.endswith((", now", ", then"))]
    assert named == ["declined, now", "declined, then", "votes up, then"], "nobody voted now"
    bars = [(float(one["x"]), float(one["width"])) for one in shapes(drawn, "rect")[3:]]
    assert bars == [(190 + 84, 84), (190 + 21, 42), (190 + 105, 315)]
    assert [float(one["cx"]) for one in shapes(drawn, "circle")] == [190 + 126, 190 + 42, 190 + 315]
    assert "declined, now: 30.0% (20.0% to 40.0%) of 100" in drawn


def test_gains_and_weights_of_a_training() -> None:
    report = {
        "figures": {"current": {"gain": 0.1, "gain_interval": [-0.1, 0.3]}, "reciprocal ranks": {"questions": 0}},
        "weights": {"bm25_share": {"before": 0.0, "after": 2.0}, "sem_gap": {"before": 1.0, "after": -1.0}},
    }
    drawn = pictures(report)
    (zero, interval), [gain] = shapes(drawn["gains"], "polyline"), shapes(drawn["gains"], "circle")
    ends = [float(point.split(",")[0]) for point in interval["points"].split()]
    assert float(gain["cx"]) == pytest.approx(sum(ends) / 2) and ends == [250, 680]
    assert float(zero["points"].split(",")[0]) == pytest.approx(250 + 430 / 4)
    assert "against current" in drawn["gains"] and "reciprocal" not in drawn["gains"]
    widths = [float(one["width"]) for one in shapes(drawn["weights"], "rect")[1:]]
    assert sorted(widths) == pytest.approx([0, 430 / 3, 430 / 3, 2 * 430 / 3], abs=0.2)
