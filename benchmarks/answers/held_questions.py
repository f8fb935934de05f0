"""Questions held together against the same questions apart: passes of the model, time, and whether answers are equal.

Needs a home with an index (`vouch demo --keep` leaves one). Each way begins
with nothing remembered of passages.
"""

import argparse
import json
import statistics
import time
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from composition.models import load_models
from services.answering.asking import AskClient
from services.wiring.answering import open_ask_client
from vouch.messages import QuestionAsked, encode, key_of, topic_of
from vouch.settings import read_settings

CHANGES = {"id", "question_id", "timings_ms", "asked_at", "answered_at"}


def ask(questions: list[dict[str, Any]], hold: int) -> tuple[list[dict[str, Any]], int, list[float], float]:
    """Answers without ids and times, forward passes, seconds each answer took to make, seconds for all."""
    settings = read_settings()
    settings = settings.model_copy(update={"worker": settings.worker.model_copy(update={"hold": hold})})
    desk = open_ask_client(settings)
    encoder, _, closeness, *_ = load_models(settings)
    desk.worker.step(0)
    encoder.questions(["warm"])
    closeness.forget()
    encoder.forget()
    ids = [send(desk, question) for question in questions]
    before, started = encoder.forward_passes, time.perf_counter()
    desk.worker.run(drain=True)
    seconds, passes = time.perf_counter() - started, encoder.forward_passes - before
    found = [desk.ledger.answers.by_question(one) for one in ids]
    answers = [answer for answer in found if answer is not None]
    assert len(answers) == len(ids)
    desk.close()
    return (
        [{k: v for k, v in answer.items() if k not in CHANGES} for answer in answers], passes,
        [answer["timings_ms"]["total"] / 1000 for answer in answers], seconds,
    )


def send(desk: AskClient, question: dict[str, Any]) -> str:
    message = QuestionAsked.model_validate({
        "id": uuid.uuid4().hex, "text": question["text"], "surface": "nobody", "asker": question["as"][0],
        "audience": {"tags": question["as"]}, "asked_at": datetime.now(UTC),
    })
    desk.producer.send(topic_of(message), key_of(message), encode(message))
    return message.id


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", type=Path, help="JSON lines with text and as")
    parser.add_argument("--count", type=int, default=16)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    questions = [json.loads(line) for line in arguments.questions.read_text().splitlines()][: arguments.count]
    for _ in range(arguments.repeats):
        apart, passes_apart, each, seconds_apart = ask(questions, 1)
        together, passes_together, _, seconds_together = ask(questions, len(questions))
        print(json.dumps({
            "passes_apart": passes_apart, "passes_together": passes_together,
            "ratio": round(passes_together / passes_apart, 3),
            "alone_median_s": round(statistics.median(each), 3), "alone_max_s": round(max(each), 3),
            "seconds_apart": round(seconds_apart, 2), "seconds_together": round(seconds_together, 2),
            "equal": apart == together,
        }))


if __name__ == "__main__":
    main()
