"""Models on the pages for operators: what gates said, letting one serve and going back, each confirmed and noted."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from homes.memory import folder_in_memory
from http_scene.html_page import complaints
from http_scene.http_place import Place, http_place
from learning_scene.registry_rows import fusion_row, point

from vouch.adapters.ledger.registry.model_rows import GUARD

EVIL = "<script>alert(1)</script>"
GATES = [{"name": "held out", "passed": True, "found": 45.0, "least": 40.0, "told": ""},
         {"name": EVIL, "passed": False, "found": None, "least": 0.5, "told": EVIL}]


@pytest.fixture
def place() -> Iterator[Place]:
    with folder_in_memory() as folder, http_place(folder, works=False) as made:
        yield made


def register(place: Place, **weights: float) -> str:
    report = {"gates": GATES, "figures": {"reciprocal ranks": {"gain": 0.0123, "gain_interval": [0.001, 0.02]}}}
    model = replace(fusion_row(**weights), report=report)
    assert place.home.bench.ledger.models.add(model)
    return model.name


def current(place: Place) -> str | None:
    return place.home.bench.ledger.models.pointer("fusion").model


def test_a_model_is_shown_with_what_each_gate_said(place: Place) -> None:
    name, olga = register(place, bm25_share=1.0), place.person("olga")
    listed, shown = olga.get("/operate/models"), olga.get(f"/operate/models/model?name={name}")
    assert name in listed.text and "gain +0.012" in listed.text and complaints(listed.text) == []
    assert "held out" in shown.text and "not passed" in shown.text and ">45<" in shown.text
    assert "0.001 to 0.02" in shown.text and complaints(shown.text) == []
    assert name in olga.get("/operate/runs").text
    assert olga.get("/operate/models/model?name=none").status == 404


def test_a_promotion_is_refused_told_and_noted_until_it_is_said_again(place: Place) -> None:
    name, olga = register(place, bm25_share=1.0), place.person("olga")
    mark = olga.get(f"/operate/models/model?name={name}").mark
    early = olga.form("/operate/models/promote", {"mark": mark, "name": name})
    assert early.status == 409 and "has not shadowed" in early.text and complaints(early.text) == []
    assert current(place) is None
    assert olga.form("/operate/models/promote", {"mark": "0" * 64, "name": name, "early": "yes"}).status == 403
    done = olga.form("/operate/models/promote", {"mark": mark, "name": name, "early": "yes"})
    assert done.status == 303 and current(place) == name
    acts = [(act.by, act.act, act.outcome) for act in place.home.bench.ledger.acts.list()]
    assert acts[0] == ("user:olga", f"promotion of {name}, although it did not shadow for long enough", "done")
    assert acts[1] == ("user:olga", f"promotion of {name}", "refused: Usage")
    move = place.home.bench.ledger.models.moves()[-1]
    assert (move.by, move.model) == ("user:olga", name)
    assert "serves" in olga.get("/operate/models").text


def test_going_back_shows_first_what_would_serve(place: Place) -> None:
    olga, names = place.person("olga"), [register(place, bm25_share=one) for one in (1.0, 2.0)]
    mark = olga.get("/").mark
    assert olga.get("/operate/models/rollback?kind=fusion").status == 400          # nothing serves yet
    for name in names:
        assert olga.form("/operate/models/promote", {"mark": mark, "name": name, "early": "yes"}).status == 303
    asked = olga.get("/operate/models/rollback?kind=fusion")
    assert names[0] in asked.text and complaints(asked.text) == [] and current(place) == names[1]
    assert olga.form("/operate/models/rollback", {"mark": asked.mark, "kind": "fusion"}).status == 303
    assert current(place) == names[0]
    assert olga.form("/operate/models/rollback", {"mark": asked.mark, "kind": EVIL}).status == 400
    assert [act.act for act in place.home.bench.ledger.acts.list(2)] == [f"rollback of the {EVIL}",
                                                                         "rollback of the fusion"]
    page = olga.get("/operate/acts")
    assert complaints(page.text) == [] and "rollback of the fusion" in page.text


def test_a_refused_model_has_no_button(place: Place) -> None:
    model = replace(fusion_row(bm25_share=3.0), state="refused", reason=EVIL)
    place.home.bench.ledger.models.add(model)
    shown = place.person("olga").get(f"/operate/models/model?name={model.name}")
    assert "Let it serve" not in shown.text and "refused" in shown.text and complaints(shown.text) == []
    mark = place.person("olga")
    told = mark.form("/operate/models/promote", {"mark": mark.get("/").mark, "name": model.name, "early": "yes"})
    assert told.status == 409 and current(place) is None


def test_what_the_guard_put_back_is_told_until_somebody_moves_it(place: Place) -> None:
    olga, models = place.person("olga"), place.home.bench.ledger.models
    name = register(place, bm25_share=1.0)
    pages = ["/operate/models", f"/operate/models/model?name={name}", "/operate/quality"]
    point(place.home.bench.ledger, "fusion", name)
    assert not any("guard" in olga.get(page).text for page in pages)
    models.move("fusion", None, expected=1, reason="fewer votes are up", by=GUARD, at=place.home.now)
    for page in pages:
        shown = olga.get(page).text
        assert "The guard put" in shown and "fewer votes are up" in shown and complaints(shown) == []
    assert "put back by the guard" in olga.get("/operate/models").text
    point(place.home.bench.ledger, "fusion", name)
    assert not any("The guard put" in olga.get(page).text for page in pages)


def test_what_was_seen_each_time_a_model_shadowed_stays_on_its_page(place: Place) -> None:
    olga, models = place.person("olga"), place.home.bench.ledger.models
    name = register(place, bm25_share=1.0)
    page = f"/operate/models/model?name={name}"
    assert "As a shadow" not in olga.get(page).text
    models.shadow("fusion", name, expected=0, at=place.home.now)
    assert "to now, beside" in olga.get(page).text
    seen = {"since": place.home.now.isoformat(), "beside": EVIL, "answers": 7, "other_schema": 0, "overlap@10": 0.5,
            "first_changes": 0.25, "first_three_change": 1.0, "interleaving": None, "enough": False}
    models.shadow("fusion", None, expected=1, at=place.home.now, seen=seen)
    shown = olga.get(page).text
    assert "7 answers compared" in shown and "the first would change in 25%" in shown and "to now" not in shown
    assert complaints(shown) == []
