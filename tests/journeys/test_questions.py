"""The questions are about the demo's documents as they really are, and each asker may really read the answer."""

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from vouch.access import Audience, Directory, Label, Person, Rule, RuleBook

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
FILES = ("questions.jsonl", "tuning.jsonl")


def questions(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines()]


def handbook() -> dict[str, str]:
    documents: dict[str, str] = {}
    with gzip.open(EXAMPLES / "handbook" / "events.jsonl.gz", "rt", encoding="utf-8") as lines:
        for event in map(json.loads, lines):
            if event["op"] == "rename":
                del documents[event["old_path"]]
            if event["op"] == "delete":
                del documents[event["path"]]
            else:
                documents[event["path"]] = event["text"]
    return documents


@pytest.fixture(scope="module")
def documents() -> dict[str, tuple[str, str]]:
    """Path → (source, text) of every document after the last change."""
    company = EXAMPLES / "company"
    own = {path.relative_to(company).as_posix(): path.read_text(encoding="utf-8") for path in company.rglob("*.md")}
    return {p: ("handbook", t) for p, t in handbook().items()} | {p: ("company", t) for p, t in own.items()}


@pytest.fixture(scope="module")
def directory() -> Directory:
    raw = yaml.safe_load((EXAMPLES / "directory.yaml").read_text(encoding="utf-8"))
    people = {name: Person(tuple(entry["groups"])) for name, entry in raw["people"].items()}
    return Directory(people, {name: tuple(entry.get("member_of", ())) for name, entry in raw["groups"].items()})


def may_read(audience: Audience, source: str, path: str, text: str) -> bool:
    raw = yaml.safe_load((EXAMPLES / source / "access.yaml").read_text(encoding="utf-8"))
    book = RuleBook(tuple(Rule(rule["match"], frozenset(rule["allow"])) for rule in raw["rules"]))
    front = re.match(r"---\n(.*?)\n---\n", text, re.DOTALL)
    narrowed = (yaml.safe_load(front[1]) or {}).get("access") if front else None
    return audience.may_read(Label(book.allowed(path), None if narrowed is None else frozenset(narrowed)))


def test_thirty_questions_twenty_of_them_answerable() -> None:
    assert [q["answerable"] for q in questions("questions.jsonl")] == [True] * 20 + [False] * 10


def test_no_question_is_both_held_out_and_tuned_on() -> None:
    texts = [q["text"] for name in FILES for q in questions(name)]
    ids = [q["id"] for name in FILES for q in questions(name)]
    quotes = [q["quote"] for name in FILES for q in questions(name) if q["answerable"]]
    assert len(set(texts)) == len(texts)
    assert len(set(ids)) == len(ids)
    assert len(set(quotes)) == len(quotes)


@pytest.mark.parametrize("name", FILES)
def test_every_quote_stands_in_a_document_the_asker_may_read(
    name: str, documents: dict[str, tuple[str, str]], directory: Directory
) -> None:
    for question in (q for q in questions(name) if q["answerable"]):
        source, text = documents[question["path"]]
        assert question["quote"] in text, question["id"]
        assert "\n" not in question["quote"], question["id"]
        assert may_read(directory.audience(question["as"]), source, question["path"], text), question["id"]


@pytest.mark.parametrize("name", FILES)
def test_what_is_called_unreadable_is_unreadable(
    name: str, documents: dict[str, tuple[str, str]], directory: Directory
) -> None:
    named = 0
    for question in (q for q in questions(name) if not q["answerable"]):
        for path, (source, text) in documents.items():
            if path in question["why"]:
                named += 1
                assert not may_read(directory.audience(question["as"]), source, path, text), question["id"]
    assert named == 2


def test_the_demo_stays_small() -> None:
    assert (EXAMPLES / "handbook" / "events.jsonl.gz").stat().st_size < 3_000_000
    assert len(handbook()) < 45
