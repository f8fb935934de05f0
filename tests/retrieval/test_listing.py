"""What is taken for a question that asks for a list, and what of it is searched."""

import gzip
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from vouch.adapters.analyser import SnowballAnalyser
from vouch.retrieval.question.listing import as_list, listed
from vouch.retrieval.question.query import form_query

ASKED = Path(__file__).parents[1] / "journeys"


@pytest.mark.parametrize(("question", "subject"), [
    ("List all documents that mention the travel card.", "the travel card"),
    ("Which documents mention telework?", "telework"),
    ("which pages talk about passwords", "passwords"),
    ("In which policies do we say something about receipts?", "receipts"),
    ("List every document about annual leave", "annual leave"),
    ("Please list the tools for video calls", "tools for video calls"),
    ("Could you list all teams that handle incidents?", "teams that handle incidents"),
    ("Name all policies on receipts!", "receipts"),
    ("Enumerate the steps to book a flight", "steps to book a flight"),
    ("Show me every page on FOIA", "FOIA"),
    ("Give me a list of everything about Slack", "Slack"),
    ("I need a list of all approvers", "approvers"),
    ("What are all the kinds of leave?", "kinds of leave"),
    ("Which of our tools store data abroad?", "tools store data abroad"),
    ("Which policies require supervisor approval?", "require supervisor approval"),
    ("All policies that mention comp time", "comp time"),
    ("Every page about the purchase card", "the purchase card"),
    ("Where is the travel card mentioned?", "travel card"),
    ("List all", "all"),
    ("LIST ALL DOCUMENTS", "LIST ALL DOCUMENTS"),
])
def test_a_question_for_a_list_is_searched_for_what_it_lists(question: str, subject: str) -> None:
    assert listed(question) == subject


@pytest.mark.parametrize("question", [
    "How much leave do I get?", "Do all employees get lunch breaks?", "Who lists the agenda?", "Name the director",
    "Which document says how much leave I get?", "What is on the list of banned words?",
    "How many pages may a CV have?", "All in all, is it good?", "Every how many years is a term renewed?",
    "Is there a policy on gifts?", "listing agents", "", "¿?",
])
def test_other_questions_are_left_as_they_are(question: str) -> None:
    assert listed(question) is None
    if question:
        query = form_query(question, SnowballAnalyser())
        assert as_list(query, SnowballAnalyser()) is query


def test_the_query_holds_the_subject_alone() -> None:
    analyser = SnowballAnalyser()
    query = as_list(form_query("Which documents mention annual leave?", analyser), analyser)
    assert query.lists and query.text == "annual leave" and query.terms == tuple(analyser.terms("annual leave"))


@pytest.mark.parametrize("text", [
    "please " * 570, "list " + "all the " * 490, "which " + "of the " * 560, "a list of " * 390,
    "where is " + "x " * 1900, "all " + "the of " * 560 + "that",
])
def test_the_longest_odd_questions_take_no_time(text: str) -> None:
    started = time.perf_counter()
    listed(text)
    assert time.perf_counter() - started < 0.5


def texts(path: Path) -> list[str]:
    return [json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", ["questions.jsonl", "tuning.jsonl"])
def test_no_question_of_the_demo_is_taken_for_a_list(name: str) -> None:
    assert [text for text in texts(ASKED / name) if listed(text)] == []


@pytest.mark.data
def test_few_questions_of_public_sets_are_taken_for_lists() -> None:
    """Nobody who asked these wanted a list of documents: whatever is found is a mistake."""
    if "VOUCH_DATA" not in os.environ:
        pytest.skip("VOUCH_DATA is not set")
    data = Path(os.environ["VOUCH_DATA"])
    with gzip.open(data / "squad2" / "dev.json.gz", "rt", encoding="utf-8") as file:
        squad: dict[str, Any] = json.load(file)
    with gzip.open(data / "openqa_passages" / "passages.jsonl.gz", "rt", encoding="utf-8") as file:
        open_questions = sorted({json.loads(line)["question"] for line in file})
    sets = {
        "squad2": [q["question"] for a in squad["data"] for p in a["paragraphs"] for q in p["qas"]],
        "openqa_passages": open_questions,
        "scifact": texts(data / "scifact" / "queries.jsonl"),
    }
    for name, asked in sets.items():
        taken = [text for text in asked if listed(text)]
        print(f"{name}: {len(taken)} of {len(asked)} taken for lists")
        assert len(asked) > 500 and len(taken) <= 0.005 * len(asked), taken


def test_a_question_of_repetitions_takes_no_time() -> None:
    """Once two to the power of their number."""
    started = time.process_time()
    assert listed("can you please " * 260 + "help?") is None
    assert time.process_time() - started < 0.5
