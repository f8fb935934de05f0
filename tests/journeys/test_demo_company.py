"""Thirty questions to the demo company, asked as a person would, through the command and the log."""

import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from running import warm

from composition.models import load_models
from services.wiring.answering import open_ask_client
from vouch.messages import QuestionAsked, encode, key_of, topic_of
from vouch.settings import read_settings

ROOT = Path(__file__).resolve().parents[2]
QUESTIONS = Path(__file__).parent / "questions.jsonl"
ANSWERABLE_SHARE, DECLINED_SHARE = 0.70, 0.80

pytestmark = [pytest.mark.model, pytest.mark.slow]


def vouch(home: Path, *words: object) -> list[dict]:
    """Runs the command in a process of its own; its JSON lines."""
    done = warm.run(
        [sys.executable, "-m", "cli.main", *map(str, words), "--json"],
        cwd=ROOT, env={**os.environ, "VOUCH_HOME": str(home)}, capture_output=True, text=True, timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def found(question: dict, answer: dict) -> bool:
    """The expected words stand in a citation of the expected document; runs of white space count as one."""
    wanted = " ".join(question["quote"].split())
    return any(
        wanted in " ".join(c["quote"].split()) and c["path"] == question["path"] for c in answer["citations"]
    )


@pytest.fixture(scope="module")
def company(demo_home: Path) -> Path:
    assert not any(row["state"] == "quarantined" for row in vouch(demo_home, "documents"))
    return demo_home


@pytest.fixture(scope="module")
def asked(company):
    """The thirty questions, and their answers."""
    questions = [json.loads(line) for line in QUESTIONS.read_text().splitlines()]
    return questions, vouch(company, "ask", "--questions", QUESTIONS)


def test_thirty_questions(asked):
    questions, answers = asked
    assert len(answers) == len(questions) == 30
    answered = [found(q, a) for q, a in zip(questions, answers, strict=True) if q["answerable"]]
    declined = [a["action"] == "declined" for q, a in zip(questions, answers, strict=True) if not q["answerable"]]
    wrong = [q["id"] for q, a in zip(questions, answers, strict=True)
             if (not found(q, a) if q["answerable"] else a["action"] != "declined")]
    print(f"quoted {sum(answered)}/{len(answered)}, declined {sum(declined)}/{len(declined)}, wrong: {wrong}")
    assert sum(answered) >= ANSWERABLE_SHARE * len(answered), wrong
    assert sum(declined) >= DECLINED_SHARE * len(declined), wrong
    assert not [q["id"] for q, a in zip(questions, answers, strict=True)
                if not q["answerable"] and a["action"] == "answered"]


def test_every_citation_is_exact_and_readable_by_the_asker(company, asked):
    for question, answer in zip(*(rows[:6] for rows in asked), strict=True):
        for citation in answer["citations"]:
            (shown,) = vouch(company, "show", citation["chunk_id"], *(w for t in question["as"] for w in ("--as", t)))
            text = next(p["text"] for p in shown["passages"] if p["chunk_id"] == citation["chunk_id"])
            assert citation["quote"] in text


def held(hold: int, questions: list[dict]) -> tuple[list[dict], int]:
    """Answers of a worker that holds so many at once, without ids and times, and the forward passes they took."""
    settings = read_settings()
    desk = open_ask_client(settings.model_copy(update={"worker": settings.worker.model_copy(update={"hold": hold})}))
    encoder, _, closeness, *_ = load_models(read_settings())
    encoder.questions(["warm"])
    encoder.forget()
    closeness.forget()
    ids = [f"{q['id']}-{hold}" for q in questions]
    for name, q in zip(ids, questions, strict=True):
        message = QuestionAsked.model_validate({
            "id": name, "text": q["text"], "surface": "nobody", "asker": q["as"][0], "audience": {"tags": q["as"]},
            "asked_at": datetime.now(UTC),
        })
        desk.producer.send(topic_of(message), key_of(message), encode(message))
    before = encoder.forward_passes
    desk.worker.run(drain=True)
    passes = encoder.forward_passes - before
    answers = [desk.ledger.answers.by_question(name) for name in ids]
    desk.close()
    changes = {"id", "question_id", "timings_ms", "asked_at", "answered_at"}
    return [{k: v for k, v in answer.items() if k not in changes} for answer in answers], passes


def test_sixteen_held_together_take_a_third_of_the_passes_of_sixteen_apart(company, monkeypatch):
    monkeypatch.setenv("VOUCH_HOME", str(company))
    questions = [json.loads(line) for line in QUESTIONS.read_text().splitlines()][:16]
    together, passes_together = held(16, questions)
    apart, passes_apart = held(1, questions)
    print(f"{passes_together} passes together, {passes_apart} apart, {passes_together / passes_apart:.3f}")
    assert together == apart
    assert passes_together <= 25            # as before: a quarter of the 100 that sixteen apart once took
    assert passes_together <= passes_apart / 3       # .28: a question alone reads in few passes, too
