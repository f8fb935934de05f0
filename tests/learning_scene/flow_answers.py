"""Answers put into a ledger by hand, as a worker and a sender would."""

from datetime import UTC, datetime, timedelta

from vouch.messages import QuestionAsked
from vouch.ports.surface import Delivery

AT = datetime(2026, 11, 1, 9, tzinfo=UTC)


def answered(bench, question_id, question, *, cites=(), text="", given=(), candidates=(), sent=True, at=AT, **more):
    """An answer in the ledger, sent or still waiting."""
    ledger = bench.ledger
    asked = QuestionAsked.model_validate({
        "id": question_id, "text": question, "surface": "terminal", "asker": "public", "audience": {"tags": ["public"]},
        "asked_at": at})
    citations = [{"number": n, "source": s, "path": p, "chunk_id": f"{n:032x}", "quote": text}
                 for n, (s, p) in enumerate(cites, 1)]
    body = {"id": f"a-{question_id}", "question_id": question_id, "question": question, "answer": text,
            "sentences": [{"text": text, "citations": [1]}], "citations": citations, "index_version": 1,
            "access_epoch": 1, "asked_at": at.isoformat(), "answered_at": at.isoformat(),
            **more}
    judged = {"cited": False, "evidence": {"maxsim": 0.5}, "schema": 1, "features": {}}
    rows = [{"chunk_id": chunk_id, **judged} for chunk_id in candidates]
    assert ledger.answers.record(asked, body, rows, list(given), at)
    if sent:
        send(bench, question_id, at)
    return body


def send(bench, question_id, at=AT):
    (row,) = [r for r in bench.ledger.outbox.claim(["terminal"], at, timedelta(minutes=1), 100)
              if r.question.id == question_id]
    bench.ledger.surface.post(Delivery(question_id, None, row.answer))
    assert bench.ledger.outbox.sent(row, at)
