"""The answer's JSON is documented: its schema and every field of it stand in docs/."""

import json
import re
from pathlib import Path
from typing import get_args

from homes.small_world import small_world

from vouch.answering.answer import Action, Answer, answer_id, answer_schema
from vouch.correction.loop import answer_question

DOCS = Path(__file__).parents[2] / "docs"


def test_the_schema_in_docs_is_the_one_of_the_code() -> None:
    saved = json.loads((DOCS / "answer.schema.json").read_text(encoding="utf-8"))
    assert saved == answer_schema(), "if meant, write answer_schema() into docs/answer.schema.json"


def test_docs_name_every_field_and_action() -> None:
    page = (DOCS / "answers.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([a-z_]+)`", page))
    assert set(Answer.model_fields) | set(get_args(Action)) <= named


def test_an_answer_survives_its_json() -> None:
    world = small_world()
    answer = answer_question(world.ask("How many weeks of paid leave do parents get?"), world.components).answer
    assert Answer.model_validate_json(answer.model_dump_json()) == answer
    assert answer.id == answer_id("q1") and len(answer.id) == 32
