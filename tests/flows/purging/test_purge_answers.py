"""A purge takes answers made from the document, votes and reports, and no others."""

from dataclasses import replace
from datetime import timedelta

import pytest
from homes.grep_home import grep
from homes.purge_scene import PLACE, QUOTE, SECRET, SHARED, run
from learning_scene.flow_answers import AT, answered

from vouch.adapters.ledger import Vote
from vouch.adapters.ledger.registry.model_rows import RegisteredModel
from vouch.answering.answer_text import NOTHING, NOTHING_FOR_ALL
from vouch.errors import Damaged
from vouch.learning.labels.label import Label


def test_answers_made_from_it_keep_ids_and_times_alone(kept):
    chunk = kept.components.store.open(4).record(*PLACE).chunks[0].id
    answered(kept, "cited", "What is the pay?", cites=[PLACE], text=QUOTE)
    answered(kept, "before", "What was the pay?", cites=[("docs", "pay.md")], text="So much.")   # before it moved
    answered(kept, "given", "Who is paid?", text="Nothing answers this.", given=[chunk])
    answered(kept, "quoting", "Is it so?", text=f"Somebody wrote: {QUOTE}")
    answered(kept, "asked", QUOTE, text="Nothing answers this.")
    answered(kept, "other", "When does it open?", cites=[("docs", "archive.md")], text="At nine.",
             candidates=[chunk, "0" * 32])
    done = run(kept)
    assert (done.answers, done.candidates) == (5, 1)
    for name in ("cited", "before", "given", "quoting", "asked"):
        stub = kept.ledger.surface.read(name)
        assert (stub["id"], stub["question"], stub["reason"]) == (f"a-{name}", "removed", "removed")
        assert (stub["sentences"], stub["citations"], stub["asked_at"]) == ([], [], "2026-11-01T09:00:00Z")
        assert kept.ledger.answers.candidates(f"a-{name}") == []
    assert kept.ledger.surface.read("other")["answer"] == "At nine."
    assert [row["chunk_id"] for row in kept.ledger.answers.candidates("a-other")] == ["0" * 32]
    assert grep(kept.home, SECRET) == []


def test_an_answer_that_waits_is_made_anew_before_it_is_sent(kept):
    answered(kept, "q", "What is the pay?", cites=[PLACE], text=QUOTE, given=["1" * 32], sent=False)
    run(kept)
    (row,) = kept.ledger.outbox.claim(["terminal"], AT, timedelta(minutes=1))
    assert (row.question.text, row.answer["reason"]) == ("What is the pay?", "removed")
    assert row.given and set(row.given) == {"removed"}      # which no reader may see: it is answered anew
    assert grep(kept.home, SECRET) == []


@pytest.mark.parametrize("quote", [
    "four hundred thousand", "year, paid monthly in", '"qzxsalary" of the qzxpräsident', "before May has ended.",
])
def test_twenty_characters_in_somebodys_question_are_found(kept, quote):
    """A quotation across the borders of any pieces, in a question that the document did not answer."""
    answered(kept, "q", f"Is it so: {quote}?", text="Nothing answers this.")
    assert 20 <= len(quote) < 32
    assert run(kept).answers == 1
    assert grep(kept.home, [quote]) == []


@pytest.mark.parametrize("said", [NOTHING, NOTHING_FOR_ALL])
def test_what_vouch_keeps_and_says_itself_is_no_trace_of_a_document_that_says_it_too(kept, tmp_path, said):
    """Or a document about vouch, its folders and its people could never be purged, and would empty all declines."""
    (tmp_path / "docs" / "manual.md").write_text(f"# Manual\n\n{said}\n\nSee {tmp_path}/docs, or archive.md.\n")
    kept.ingest()
    answered(kept, "q", "Why?", text=said)
    run(kept, ("docs", "manual.md"))
    assert kept.ledger.surface.read("q")["answer"] == said


def test_votes_and_reports_lose_their_words(kept):
    answered(kept, "q", "What is the pay?", cites=[PLACE], text=QUOTE)
    answered(kept, "other", "When does it open?", cites=[("docs", "archive.md")], text="At nine.")
    for answer in ("a-q", "a-other"):
        kept.ledger.feedback.record(Vote(answer, "user:ana@acme.test", "up", f"Right: {QUOTE}", AT))
    kept.ledger.runs.add({"version": 9, "problems": [{"path": "board/pay.md", "reason": f"odd: {QUOTE}"}]}, AT)
    run(kept)
    assert [(v.vote, v.reason) for v in kept.ledger.feedback.list()] == [("up", None)] * 2
    assert kept.ledger.runs.list()[0].report["problems"] == [{"path": "board/pay.md", "reason": "removed"}]
    assert grep(kept.home, SECRET) == []


def label(chunk, question="When does it open?", source="judged", **more):
    return Label(question, ("public",), chunk, None, 4, 2, source, 1.0, AT, **more)


def planted_labels(kept):
    """Of its chunk, of an answer made from it, and of a question in its words; the last one is of another document."""
    chunk = kept.components.store.open(4).record(*PLACE).chunks[0].id
    answered(kept, "cited", "What is the pay?", cites=[PLACE], text=QUOTE)
    kept.ledger.labels.replace_derived(["a-cited"], [
        label(other * 32, "What is the pay?", "cited", answer_id="a-cited") for other in "56"
    ])
    stays = label("0" * 32)
    kept.ledger.labels.put([label(chunk), label("1" * 32, QUOTE), stays])
    return stays


def test_labels_of_it_go_and_others_stay(kept):
    stays = planted_labels(kept)
    done = run(kept)
    assert done.labels == 4
    assert kept.ledger.labels.list() == [stays]
    assert grep(kept.home, SECRET) == []


def test_of_what_the_public_asked_only_questions_in_its_words_lose_their_labels(kept):
    """Whoever may read the document: its words are to go. Those that stand elsewhere too are no words of its own."""
    stays = [label("0" * 32, f"Is it true? {SHARED}"), label("0" * 32, "Who gets four hundred?")]
    kept.ledger.labels.put([label("0" * 32, f"Is it true? {QUOTE}"), *stays])
    answered(kept, "cited", f"Is it true? {SHARED}", cites=[("docs", "archive.md")], text=SHARED)
    done = run(kept)
    assert (done.answers, done.labels) == (0, 1)
    assert kept.ledger.labels.list() == sorted(stays, key=lambda one: one.key)


@pytest.mark.parametrize("left", ["chunk", "words"])
def test_a_label_that_is_left_behind_is_found(kept, monkeypatch, left):
    """The search for what is left reads the labels too; run again without the bug, the purge ends."""
    chunk = kept.components.store.open(4).record(*PLACE).chunks[0].id
    kept.ledger.labels.put([label(chunk) if left == "chunk" else label("1" * 32, QUOTE)])
    with monkeypatch.context() as planted:
        planted.setattr("vouch.adapters.ledger.removal.erasure.drop_labels", lambda *given: 0)
        with pytest.raises(Damaged, match="ledger"):
            run(kept)
    assert run(kept).labels == 1
    assert kept.ledger.labels.list() == [] and grep(kept.home, SECRET) == []


def run_killed_before_its_labels_go(kept, monkeypatch):
    def killed(*given):
        raise KeyboardInterrupt

    with monkeypatch.context() as planted:
        planted.setattr("vouch.adapters.ledger.removal.erasure.drop_labels", killed)
        with pytest.raises(KeyboardInterrupt):
            run(kept)


def test_a_purge_killed_before_its_labels_went_takes_them_when_run_again(kept, monkeypatch):
    """By then the answers are stubs, and only the notes of the first run tell which were made from it."""
    stays = planted_labels(kept)
    run_killed_before_its_labels_go(kept, monkeypatch)
    assert len(kept.ledger.labels.list()) == 5
    assert run(kept).labels == 4 and kept.ledger.labels.list() == [stays]


def planted_judgments(kept):
    """Two of another document's passage, for a question and what it was understood as; and two that stay."""
    body = answered(kept, "cited", "And of the board?", cites=[PLACE], text=QUOTE, understood_as="What has the board?")
    assert body["understood_as"]
    stays = [label("0" * 32), replace(label("0" * 32, "And of the board?"), audience=("user:ana@acme.test",))]
    kept.ledger.labels.put([label("0" * 32, "and of  the board?"), label("0" * 32, "What has the board?"), *stays])
    return sorted(stays, key=lambda one: one.key)


def test_no_label_keeps_a_question_whose_answer_was_emptied(kept):
    """The question is removed wherever it stood, though a passage of another document was judged for it."""
    stays = planted_judgments(kept)
    assert run(kept).labels == 2
    assert kept.ledger.labels.list() == stays
    assert grep(kept.home, ["has the board?"]) == []


def test_a_purge_killed_after_its_answers_were_emptied_still_knows_their_questions(kept, monkeypatch):
    stays = planted_judgments(kept)
    run_killed_before_its_labels_go(kept, monkeypatch)
    assert kept.ledger.surface.read("cited")["question"] == "removed" and len(kept.ledger.labels.list()) == 4
    assert run(kept).labels == 2 and kept.ledger.labels.list() == stays


def test_a_label_that_keeps_such_a_question_is_found(kept, monkeypatch):
    stays = planted_judgments(kept)
    with monkeypatch.context() as planted:
        planted.setattr("vouch.adapters.ledger.removal.erasure.drop_labels_of", lambda *given: 0)
        with pytest.raises(Damaged, match="ledger holds 2 labels"):
            run(kept)
    assert run(kept).labels == 2 and kept.ledger.labels.list() == stays


def model(name, **more):
    values = {"kind": "fusion", "state": "candidate", "body": {"terms": {}}, "report": {}, "reason": None}
    return RegisteredModel(name=name, made_at=AT, **values | more)


def test_what_was_written_of_models_loses_its_words(kept):
    models = kept.ledger.models
    models.add(model("m1", report={"ndcg": 0.5, "notes": [f"good for: {QUOTE}", "all well"]}))
    models.add(model("m2", state="refused", reason=f"worse for: {QUOTE}"))
    models.move("fusion", "m1", expected=0, reason=f"asked: {QUOTE}", by=f"user:{QUOTE}", at=AT)
    models.move("fusion", None, expected=1, reason="worse", by="guard", at=AT)
    run(kept)
    assert [(move.reason, move.by) for move in models.moves()] == [("removed", "removed"), ("worse", "guard")]
    assert (models.get("m2").reason, models.get("m2").state) == ("removed", "refused")
    assert models.get("m1").report == {"ndcg": 0.5, "notes": ["removed", "all well"]}
    assert grep(kept.home, SECRET) == []


def test_a_model_that_holds_its_words_is_named_and_goes_once_it_is_retired(kept):
    kept.ledger.models.add(model("m1", body={"terms": {QUOTE: 1.0}}))
    with pytest.raises(Damaged, match=r"the model m1.*vouch models retire m1"):
        run(kept)
    kept.ledger.models.set_state("m1", "retired", "by ana")
    run(kept)
    assert kept.ledger.models.get("m1").body == {"removed": "removed"}
    assert grep(kept.home, SECRET) == [] and kept.ledger.purges.unfinished() == []
