"""A ledger with drawn questions that were answered, shown, cited and voted on, as a worker and a sender leave it."""

import random
from datetime import datetime, timedelta

from learning_scene.flow_answers import send
from learning_scene.labeled_scene import BEGAN, LABELED, rows_of, words
from vouch.adapters.ledger import Vote
from vouch.messages import QuestionAsked

_KEPT = ("chunk_id", "text_hash", "lexical_rank", "lexical_score", "dense_rank", "dense_score", "position", "shown",
         "cited", "evidence", "schema", "features")


def fill(bench, questions, seed, *, right="lexical", tag="public", name="q", people=12):
    """The engine that is right has the cited passage first; half of the answers are voted up."""
    draw = random.Random(seed)
    for n in range(questions):
        person = f"user:p{n % people}@acme.test"
        text, at = f"What is {words(draw, 4)}?", BEGAN + timedelta(hours=8 * n)
        answered(bench, f"{name}{n}", text, rows_of(text, draw, right), at, person, tag)
        if n % 2:
            bench.ledger.feedback.record(Vote(f"a-{name}{n}", person, "up", None, at + timedelta(minutes=1)))


def answered(bench, question_id, question, rows, at: datetime, asker, tag, fused_by="reciprocal ranks"):
    asked = QuestionAsked.model_validate({
        "id": question_id, "text": question, "surface": "terminal", "asker": asker, "audience": {"tags": [tag]},
        "asked_at": at})
    body = {"id": f"a-{question_id}", "question_id": question_id, "question": question, "answer": "It is.",
            "action": "answered", "sentences": [], "citations": [{"number": 1, "chunk_id": "c00"}], "index_version": 1,
            "access_epoch": 1, "asked_at": at.isoformat(), "answered_at": at.isoformat(),
            "fused_by": fused_by}
    kept = [{**{key: row.get(key) for key in _KEPT}, "shown": row["shown"] if n < LABELED else None,
             "fused_rank": n + 1, "fused_score": 1 / (n + 1)} for n, row in enumerate(rows)]
    assert bench.ledger.answers.record(asked, body, kept, [], at)
    send(bench, question_id, at)
