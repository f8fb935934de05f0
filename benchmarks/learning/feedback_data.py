"""Candidates of the questions that simulated readers ask: of SciFact, WikiQA and the company, over its documents."""

import json
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np

from cli.wiring.training.fitting import candidates_of_folder, candidates_of_questions
from vouch.learning.training.fusion_training import JudgedCandidates
from vouch.settings import Settings

Lists = list[JudgedCandidates]


def judged_sets(settings: Settings, data: Path, cache: Path, readers: Mapping[str, str]) -> dict[str, Lists]:
    """By name. What `cache` holds is not searched again; remove it after a change of encoder, data or features."""
    makers: dict[str, Callable[[], Lists]] = {
        "scifact": lambda: candidates_of_folder(
            settings, data / "scifact", data / "scifact" / "qrels" / "train.tsv", _quiet),
        "wikiqa": lambda: _wikiqa(settings, data / "wikiqa"),
        "company": lambda: candidates_of_questions(
            settings, data / "company_questions" / "questions.jsonl", readers, _quiet),
    }
    cache.mkdir(parents=True, exist_ok=True)
    return {name: _kept(cache / f"{name}.jsonl", make) for name, make in makers.items()}


def _kept(file: Path, make: Callable[[], Lists]) -> Lists:
    if not file.exists():
        draft = file.with_suffix(".new")
        with draft.open("w", encoding="utf-8") as to:
            for one in make():
                row = one.group, one.matrix.tolist(), list(one.reciprocal), list(one.items), dict(one.relevance)
                to.write(json.dumps(row) + "\n")
        draft.replace(file)
    with file.open(encoding="utf-8") as lines:
        found = [_read(*json.loads(line)) for line in lines]
    return [one for one in found if any(one.relevance.values())]


def _read(
    group: str, matrix: list[list[float]], reciprocal: list[float], items: list[str], relevance: dict[str, int]
) -> JudgedCandidates:
    return JudgedCandidates(group, np.array(matrix, dtype=np.float64), reciprocal, items, relevance)


def _wikiqa(settings: Settings, folder: Path) -> Lists:
    """Each sentence is a document of its own; questions without a right sentence stay out."""
    sentences: dict[str, str] = {}
    questions: dict[str, str] = {}
    right = []
    for part in ("train", "dev"):
        columns = [(folder / part / name).read_text(encoding="utf-8").splitlines()
                   for name in ("a.toks", "b.toks", "sim.txt")]
        for question, sentence, label in zip(*columns, strict=True):
            pair = questions.setdefault(question, f"q{len(questions)}"), sentences.setdefault(
                sentence, f"s{len(sentences)}")
            right += [pair] if float(label) else []
    with tempfile.TemporaryDirectory() as place:
        beir = Path(place)
        _write(beir / "corpus.jsonl", ({"_id": key, "title": "", "text": text} for text, key in sentences.items()))
        _write(beir / "queries.jsonl", ({"_id": key, "text": text} for text, key in questions.items()))
        (beir / "qrels.tsv").write_text("".join(f"{query}\t{document}\t1\n" for query, document in right))
        return candidates_of_folder(settings, beir, beir / "qrels.tsv", _quiet)


def _write(file: Path, rows: Iterable[Mapping[str, str]]) -> None:
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def _quiet(*_: object) -> None:
    """No progress: the program prints a table."""
