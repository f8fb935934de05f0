"""How an answer was made: its asker sees every number, an operator no words, and whoever may not read less of both."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, get_args, get_type_hints

import pytest
from homes.memory import folder_in_memory
from http_scene.html_page import complaints
from http_scene.http_place import PAPERS, Place, http_place
from http_scene.http_two_worlds import draw

from bots.http.page.tracing import _ENDED, PARTS
from vouch.answering.answer import Answer
from vouch.errors import Denied, NotFound

TOKENS = "How often are the vault tokens rotated?"
STAGES = ["retrieve", "fuse", "expand", "rerank", "evaluate", "refine", "pack", "write", "verify"]


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with folder_in_memory() as folder, http_place(folder) as made:
        yield made


@pytest.fixture(scope="module")
def answer(place: Place) -> Any:
    return place.person("ana").post("/v1/ask", {"question": TOKENS}).json


def test_the_asker_sees_what_was_looked_at_with_its_ranks_strips_times_and_versions(place: Place, answer: Any) -> None:
    text = place.person("ana").get(f"/answers/{answer['id']}/trace").text
    assert complaints(text) == [] and TOKENS in text
    assert re.search("<mark>[^<]*ninety days[^<]*</mark>", text)
    assert all(f'<th scope="row">{stage}</th>' in text for stage in STAGES)
    assert f"<dd>{answer['index_version']}</dd>" in text and "reciprocal ranks" in text
    assert f"The evidence is <strong>{answer['verdict']['kind']}</strong>" in text
    rows = re.findall(r'<th scope="row"><a href="(/answers/[^"]+)"><bdi>([^<]+)</bdi></a>', text)
    assert {title for _, title in rows} == {"Tokens", "Leave"}         # and not Salaries, which ana may not read
    page = place.person("ana").get(rows[0][0]).text
    assert complaints(page) == [] and "bm25_rank" in page and "+0.0164" in page     # 1 / (60 + 1)


COLUMNS = {"Words": "lexical_rank", "Meaning": "dense_rank", "Fused": "fused_rank", "Reranked": "rerank_rank"}


def test_each_rank_stands_in_its_own_column(place: Place, answer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = place.service.traces.trace(answer["id"], ["user:ana"])
    first, second, *_ = whole["candidates"]
    first |= {"lexical_rank": 11, "dense_rank": 12, "fused_rank": 13, "rerank_rank": 14, "probability": 0.75}
    second |= {**dict.fromkeys(COLUMNS.values()), "dense_rank": 21, "probability": None}
    monkeypatch.setattr(type(place.service.traces), "trace", lambda *_, **more: whole)
    text = place.person("ana").get(f"/answers/{answer['id']}/trace").text
    heads = re.findall('<th scope="col">([^<]+)</th>', text[text.index('<table class="candidates">') :])
    assert heads == ["Passage", *COLUMNS, "Judged", "Used", "Made of"]
    rows = re.findall(r'/trace/(\w+)"><bdi>.*\n(<td data-label="Words">.*)\n', text)
    cells = {chunk_id: re.findall('<td data-label="([^"]+)">([^<]*)</td>', row) for chunk_id, row in rows}
    assert list(cells) == [one["chunk_id"] for one in whole["candidates"]]
    assert cells[first["chunk_id"]] == [*zip(COLUMNS, ["11", "12", "13", "14"], strict=True), ("Judged", "0.75")]
    assert cells[second["chunk_id"]] == [*zip(COLUMNS, ["", "21", "", ""], strict=True), ("Judged", "")]


def test_each_bar_begins_and_ends_with_its_stage(place: Place, answer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    timings = [{"stage": "retrieve", "since": 0.0, "ms": 20.0}, {"stage": "fuse", "since": 20.0, "ms": 0.01},
               {"stage": "rerank", "since": 50.0, "ms": 30.0}]
    whole = {**place.service.traces.trace(answer["id"], ["user:ana"]), "timings": timings}
    monkeypatch.setattr(type(place.service.traces), "trace", lambda *_, **more: whole)
    text = place.person("ana").get(f"/answers/{answer['id']}/trace").text
    table = text[text.index('<table class="waterfall">') :].partition("</table>")[0]
    told = re.findall(r'<th scope="row">(.+?)</th><td data-label="from ms">(.+?)</td><td data-label="took ms">(.+?)<',
                      table)
    assert told == [("retrieve", "0.0", "20.0"), ("fuse", "20.0", "0.0"), ("rerank", "50.0", "30.0")]
    bars = re.findall('<svg viewBox="0 0 1000 10" [^>]*><rect x="([0-9]+)" y="0" width="([0-9]+)" height="10">', table)
    assert bars == [("0", "250"), ("250", "4"), ("625", "375")], "of 80 ms; one too short to be seen is widened"


def test_passages_without_a_place_are_told_apart_by_their_numbers() -> None:
    more = "<p>Whoever hears it calls back within five minutes, and writes down what was said.</p>" * 20
    rows = "".join(f"<h2>Team {n}</h2><p>The pager of team {n} rings in room {n}.</p>{more}" for n in range(3))
    with folder_in_memory() as folder, http_place(folder, {"pagers.html": f"<h1>Pagers</h1>{rows}"}) as own:
        ana = own.person("ana")
        answer = ana.post("/v1/ask", {"question": "In which room rings the pager of team 1?"}).json
        found = own.service.traces.trace(answer["id"], ["user:ana"])["candidates"]
        assert len(found) > 1 and all(one["place"] == "" for one in found)
        assert sorted(one["number"] for one in found) == list(range(1, len(found) + 1))
        page = ana.get(f"/answers/{answer['id']}/trace").text
        assert all(f"</a>, passage {one['number']}</th>" in page for one in found)


def test_each_passage_of_the_list_has_the_parts_that_its_scores_are_made_of(
    place: Place, answer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    traces, own = place.service.traces, place.service.traces.trace
    judged = [{"feature": f"<f{n}>", "value": n / 8, "adds": (-1) ** n / (n + 1), "weight": 0.5} for n in range(7)]
    judged.append({"feature": "idle", "value": 1.0, "adds": 0.0, "weight": 0.0})
    whole = own(answer["id"], ["user:ana"])
    whole["candidates"][0]["judged_of"] = judged
    monkeypatch.setattr(type(traces), "trace", lambda *_, **more: own(answer["id"], ["user:olga"], operates=True)
                        if more["operates"] else whole)
    text = place.person("ana").get(f"/answers/{answer['id']}/trace").text
    assert complaints(text) == []
    cells = re.findall(r'<td data-label="Made of">(.*?)</td>', text, re.DOTALL)
    first, *others = [re.findall("<li>(.*?)</li>", cell) for cell in cells]
    assert first[:1] == ["+0.0164 bm25_rank = 1"] and len(cells) == len(whole["candidates"])
    assert first[-PARTS - 1 :] == [
        *(f"{(-1) ** n / (n + 1):+.4f} &lt;f{n}&gt; = {n / 8:.4g}" for n in range(PARTS)), f"and {7 - PARTS} more"]
    assert all(0 < len(parts) <= 2 for parts in others), "of ranks alone"
    assert "idle" not in text
    page = place.person("ana").get(f"/answers/{answer['id']}/trace/{whole['candidates'][0]['chunk_id']}").text
    assert complaints(page) == [] and "idle" in page and '<td data-label="Weight">0.5</td>' in page
    olga = place.person("olga").get(f"/answers/{answer['id']}/trace").text
    assert "Made of" not in olga and "<summary>Parts" not in olga


def test_what_is_added_is_the_score(place: Place, answer: Any) -> None:
    found = place.service.traces.trace(answer["id"], ["user:ana"])
    assert found["whole"] and [one["position"] for one in found["candidates"]] == [1, 2, 3][: len(found["candidates"])]
    for one in found["candidates"]:
        if one["fused_of"]:
            assert sum(part["adds"] for part in one["fused_of"]) == pytest.approx(one["fused_score"])
    given = [one for one in found["candidates"] if one["given"]]
    assert given and all("".join(piece["text"] for piece in one["strips"]) for one in given)
    assert [one["chunk_id"] for one in given] == [one["chunk_id"] for one in answer["evidence"]]


def test_others_are_told_what_they_are_told_of_an_answer_that_does_not_exist(place: Place, answer: Any) -> None:
    for client in (place.person("ben"), place.visitor()):
        told = [client.get(f"/answers/{named}/trace") for named in (answer["id"], answer["question_id"], "0" * 32)]
        assert [one.status for one in told] == [404] * 3 and "Tokens" not in told[0].text
    one = place.service.traces.trace(answer["id"], ["user:ana"])["candidates"][0]["chunk_id"]
    assert place.person("ben").get(f"/answers/{answer['id']}/trace/{one}").status == 404


def test_an_operator_sees_no_words_and_nothing_of_what_they_may_not_read(place: Place, answer: Any) -> None:
    text = place.person("olga").get(f"/answers/{answer['id']}/trace").text
    assert TOKENS not in text and "ninety" not in text and "Tokens" not in text
    assert "Leave" in text and "numbers are left out" in text and all(stage in text for stage in STAGES)
    assert "reaches" not in text and "Confidence" not in text
    assert place.person("olga").get(f"/answers/{'0' * 32}/trace").status == 404


def test_where_something_is_left_out_no_number_is_told_of_the_rest(place: Place, answer: Any) -> None:
    """A rank tells of what stands before it."""
    own = place.service.traces.trace(answer["id"], ["user:ana"])["candidates"]
    found = place.service.traces.trace(answer["id"], ["user:olga"], operates=True)
    assert not found["whole"] and 0 < len(found["candidates"]) < len(own)
    assert {name for one in found["candidates"] for name in one} == {
        "chunk_id", "source", "path", "title", "section", "place", "number", "flagged", "cited",
        "given"}
    assert found["verdict"].keys() == {"kind", "thresholds"} and found["confidence"] is None


def test_an_operator_who_may_read_all_of_it_sees_the_numbers(place: Place) -> None:
    asked = place.person("ben").post("/v1/ask", {"question": "How many days of paid leave has everybody?"}).json
    own = place.service.traces.trace(asked["id"], ["user:ben"])["candidates"]
    whole = all(one["path"] == "leave.md" for one in own)
    found = place.service.traces.trace(asked["id"], ["user:olga"], operates=True)
    assert found["whole"] is whole and "question" not in found
    assert not any("strips" in one for one in found["candidates"])


def test_what_a_further_step_found_counts_as_left_out_too(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """It need not be among the candidates of the first search, and the verdict depends on it."""
    asked = place.visitor().post("/v1/ask", {"question": "How many days of paid leave has everybody?"}).json
    traces, olga = place.service.traces, ["user:olga"]
    told = traces.trace(asked["id"], olga, operates=True)
    tokens = place.service.traces.trace(
        place.person("ana").post("/v1/ask", {"question": TOKENS}).json["id"], ["user:ana"])["candidates"]
    hidden = next(one["chunk_id"] for one in tokens if one["path"].startswith("eng/"))
    sent = traces.ledger.sent.find(asked["id"])
    monkeypatch.setattr(type(traces.ledger.sent), "find", lambda *_: replace(sent, given=(*sent.given, hidden)))
    found = traces.trace(asked["id"], olga, operates=True)
    assert told["whole"] and not found["whole"] and found["confidence"] is None
    assert all("fused_rank" not in one for one in found["candidates"])


def test_places_that_a_draw_changed_are_told_with_the_numbers(
    place: Place, answer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: Any = place.home.bench.ledger.sent
    sent = answers.find(answer["id"])
    none = place.person("ana").get(f"/answers/{answer['id']}/trace").text
    monkeypatch.setattr(type(answers), "find", lambda *_: replace(sent, body={**sent.body, "swapped": [1, 2]}))
    assert place.service.traces.trace(answer["id"], ["user:ana"])["swapped"] == [1, 2]
    text = place.person("ana").get(f"/answers/{answer['id']}/trace").text
    assert complaints(text) == [] and "passages at places 1 and 2 change places" in text and "A draw" not in none
    assert "swapped" not in place.service.traces.trace(answer["id"], ["user:olga"], operates=True), "one is left out"
    assert "A draw" not in place.person("olga").get(f"/answers/{answer['id']}/trace").text


STEPS = [
    {"tool": "rag", "query": "leads <script>Falcon</script>\u202e", "by": "rules", "thought": "a bridge, \"so\" <b>",
     "passages": ["c1", "c2"], "error": "", "path": "eng/<b>", "ms": 3.5},
    {"tool": "open", "query": "", "by": "rules", "thought": "", "passages": [], "error": "TimedOut"},
]


def test_further_steps_are_told_to_the_asker_with_nothing_unescaped_and_to_nobody_else(
    place: Place, answer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: Any = place.home.bench.ledger.sent
    sent = answers.find(answer["id"])
    stepped = replace(sent, body={
        **sent.body, "steps": STEPS, "stopped": "budget", "recipe": "guided",
        "orders": [{"step": 2, "by": "rules", "thought": "", "error": "no <tool>", "problem": "a <field> is missing"},
                   {"step": 3, "by": "rules", "thought": "why", "error": "", "ends": "stop"}],
        "recipe_steps": [{"step": "augment", "by": "rules", "said": ["weeks <i>", "leave"]}],
    })
    none = place.person("ana").get(f"/answers/{answer['id']}/trace").text
    monkeypatch.setattr(type(answers), "find", lambda *_: stepped)
    text = place.person("ana").get(f"/answers/{answer['id']}/trace").text
    assert complaints(text) == [] and "Further steps" not in none
    assert "They ended because what they may cost was used up." in text
    rows = re.findall(r'<tr><th scope="row">([12])</th>(.*)</tr>', text)
    cells = [re.findall(r'data-label="[^"]+">(.*?)</td>', row) for _, row in rows]
    assert cells == [
        ["rag", "<bdi>leads &lt;script&gt;Falcon&lt;/script&gt;\\u202e</bdi> "
                '<span class="faint">path <bdi>eng/&lt;b&gt;</bdi></span>', "2", "3.5",
         "<bdi>a bridge, &#34;so&#34; &lt;b&gt;</bdi>", "rules"],
        ["open", "", "TimedOut", "", "", "rules"],
    ]
    assert "Before step 2 an order by rules could not be used: no &lt;tool&gt; (a &lt;field&gt; is missing)." in text
    assert "Before step 3 an order by rules ended it (stop): <bdi>why</bdi>." in text
    assert "<dt>Recipe</dt><dd>guided</dd>" in text
    assert "<li>augment by rules: <bdi>weeks &lt;i&gt;; leave</bdi></li>" in text
    operator = place.person("olga").get(f"/answers/{answer['id']}/trace")
    assert operator.status == 200 and "Falcon" not in operator.text and "Further steps" not in operator.text
    assert place.person("ben").get(f"/answers/{answer['id']}/trace").status == 404
    away = replace(stepped, given=(*stepped.given, "0" * 32))          # a step found what ana may not read now
    monkeypatch.setattr(type(answers), "find", lambda *_: away)
    monkeypatch.setattr(type(place.home.bench.ledger.answers), "steps", lambda *_: [
        {"found": [], "args": {"words_of": ["0" * 32]}}, {"found": [], "args": {}}])
    less = place.person("ana").get(f"/answers/{answer['id']}/trace")
    assert less.status == 200 and "Falcon" not in less.text and complaints(less.text) == []


@pytest.mark.parametrize("stopped", get_args(get_type_hints(Answer)["stopped"]))
def test_every_end_of_further_steps_has_words(stopped: str) -> None:
    assert _ENDED[stopped]


def test_one_may_not_look_at_a_passage_that_was_none_of_it(place: Place, answer: Any) -> None:
    assert place.person("ana").get(f"/answers/{answer['id']}/trace/{'0' * 32}").status == 404


def test_what_may_not_be_read_any_more_is_in_no_trace() -> None:
    more = {f"eng/more{i}.md": f"# More {i}\n\nThe vault has tokens of kind {i} for teams.\n" for i in range(12)}
    with folder_in_memory() as folder, http_place(folder, {**PAPERS, **more}) as place:
        answer = place.person("ana").post("/v1/ask", {"question": TOKENS}).json
        traces, ana = place.service.traces, ["user:ana"]
        whole = traces.trace(answer["id"], ana)
        sent = place.home.bench.ledger.sent.find(answer["id"])
        leave = {one["chunk_id"] for one in whole["candidates"] if one["path"] == "leave.md"}
        assert whole["whole"] and leave and sent is not None and not leave & set(sent.given)
        place.home.put_rules("docs", [("**", []), ("eng/**", ["group:eng"])])   # a candidate that gave no words
        less = traces.trace(answer["id"], ana)
        assert not less["whole"] and len(less["candidates"]) == len(whole["candidates"]) - len(leave)
        assert not {one["chunk_id"] for one in less["candidates"]} & leave
        assert all("fused_rank" not in one and "fused_of" not in one for one in less["candidates"])
        place.home.put_rules("docs", [("**", [])])                              # what it was made from
        with pytest.raises(Denied):
            traces.trace(answer["id"], ana)
        assert place.person("ana").get(f"/answers/{answer['id']}/trace").status == 403
        with pytest.raises(NotFound):
            traces.trace(answer["id"], ["user:ben"])


def test_while_it_is_made_its_page_is_shown(place: Place) -> None:
    with folder_in_memory() as folder, http_place(folder, works=False) as idle:
        ana = idle.person("ana")
        at = ana.post("/v1/ask", {"question": TOKENS, "wait": 0}).json["question_id"]
        told = ana.get(f"/answers/{at}/trace")
        assert told.status == 303 and told.headers["location"] == f"/answers/{at}"


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, 4])
def test_hidden_documents_change_nothing_in_a_trace(seed: int) -> None:
    pair = draw(seed)
    reader = f"user:{pair.reader}" if pair.reader else "public"
    with ExitStack() as stack:
        told = []
        for papers in pair.hidden:
            folder = stack.enter_context(folder_in_memory())
            place = stack.enter_context(http_place(folder, {**pair.seen, **papers}))
            client = place.person(pair.reader) if pair.reader else place.visitor()
            answers = [client.post("/v1/ask", {"question": words}, Idempotency_Key=str(number)).json
                       for number, words in enumerate(pair.questions)]
            traces = [place.service.traces.trace(one["id"], [reader]) for one in answers]
            assert [[stage["stage"] for stage in one.pop("timings")] for one in traces]
            told.append((traces, [place.service.traces.closest(one["id"], reader) for one in answers]))
    assert told[0] == told[1] and any(one["candidates"] for one in told[0][0])
