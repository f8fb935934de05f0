"""Pairs for `vouch train judge` from questions that employees might ask about public handbooks.

    python benchmarks/handbooks/pairs.py --data "$VOUCH_DATA" --out handbooks.jsonl.gz --cut handbooks_cut.jsonl.gz

Each passage is a part of a section: about the words that answer for a question
with an answer, the same part for a near miss, which so becomes its twin, and
other parts of the section and of the page as passages that do not answer.
Parts of other sections that a search of the handbook finds first are twins of
the part that answers. `--cut` has twins of another kind: the part that answers,
and the same one without the sentence that does.
"""

import argparse
import gzip
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from cut import without

QUESTIONS = Path(__file__).with_name("questions.jsonl")
PART = 900                              # characters, about what a judge reads
FIRST, HARD = 8, 1                      # of so many first places of a search, so many are drawn
Row = Mapping[str, Any]
Key = tuple[str, str, str]              # repository, path, the first signs of the text's SHA-256
Part = tuple[Key, str]                  # of the section


def questions() -> dict[Key, list[Row]]:
    """By section."""
    found: dict[Key, list[Row]] = defaultdict(list)
    for line in QUESTIONS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found[row["repo"], row["path"], row["section"]].append(row)
    return found


def sections(data: Path) -> dict[Key, Row]:
    found = {}
    with gzip.open(data / "handbooks_extra" / "sections.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            found[row["repo"], row["path"], hashlib.sha256(row["text"].encode()).hexdigest()[:16]] = row
    return found


def pairs(
    asked: Mapping[Key, Sequence[Row]], texts: Mapping[Key, Row], seed: int = 0,
    hard: Mapping[tuple[Key, str], Sequence[Part]] | None = None,
) -> Iterator[dict[str, Any]]:
    """`hard`: by section and question, what a search finds that does not answer.

    Raises KeyError for a section that is not among the texts.
    """
    random = np.random.default_rng(seed)
    pages: dict[tuple[str, str], list[Key]] = defaultdict(list)
    for key in asked:
        pages[key[:2]].append(key)
    for key, rows in asked.items():
        text, near = texts[key]["text"], [row for row in rows if row["answer"] is None]
        others = [other for other in pages[key[:2]] if other != key]
        for number, row in enumerate(row for row in rows if row["answer"]):
            first, last = row["answer"]
            part = _about(text, first, last, random)
            twin = near[number % len(near)] if near else None
            name = {"pair": f"{key[2]}-{number}"} if twin else {}
            yield _pair(key, texts, row, part, 1) | _place(part, text[first:last]) | name
            if twin:
                yield _pair(key, texts, twin, part, 0) | name
            apart = [at for at in range(0, len(text) - PART // 3, PART) if at + PART < first or at > last]
            if apart:
                yield _pair(key, texts, row, text[apart[0] : apart[0] + PART], 0)
            if others:
                other = others[random.integers(len(others))]
                yield _pair(other, texts, row, texts[other]["text"][:PART], 0)
            found = hard[key, row["question"]] if hard else []
            for place in random.permutation(len(found))[:HARD]:
                name = {"pair": f"{key[2]}-{number}-{place}"}
                yield _pair(key, texts, row, part, 1) | _place(part, text[first:last]) | name
                yield _pair(found[place][0], texts, row, found[place][1], 0) | name


def cut_pairs(asked: Mapping[Key, Sequence[Row]], texts: Mapping[Key, Row], seed: int = 1) -> Iterator[dict[str, Any]]:
    random = np.random.default_rng(seed)
    for key, rows in asked.items():
        text = texts[key]["text"]
        for number, row in enumerate(row for row in rows if row["answer"]):
            first, last = row["answer"]
            part = _about(text, first, last, random)
            at = part.find(text[first:last])
            if rest := without(part, at, at + last - first):
                name = {"pair": f"{key[2]}-cut-{number}"}
                yield _pair(key, texts, row, part, 1) | _place(part, text[first:last]) | name
                yield _pair(key, texts, row, rest, 0) | name


def searched(asked: Mapping[Key, Sequence[Row]], texts: Mapping[Key, Row]) -> dict[tuple[Key, str], list[Part]]:
    """What a search of its handbook finds first for each question with an answer, and does not answer it."""
    from hard_passages import HardPassages, parts_of

    rows = [
        (key, row["question"], texts[key]["text"][slice(*row["answer"])])
        for key, rows in asked.items() for row in rows if row["answer"]
    ]
    found = HardPassages(parts_of(texts, {key[0] for key in asked}, PART), FIRST).find(rows)
    return {(key, question): parts for (key, question, _), parts in zip(rows, found, strict=True)}


def _about(text: str, first: int, last: int, random: np.random.Generator) -> str:
    """A part of the text that holds these words, wherever they lie in it, from the begin of a line if one is near."""
    room = max(0, PART - (last - first))
    start = max(0, min(first - int(random.integers(room + 1)), len(text) - PART))
    line = text.rfind("\n", 0, start) + 1
    start = line if start - line < PART // 4 else start
    return text[start : max(last, start + PART)]


def _place(part: str, answer: str) -> dict[str, list[int]]:
    at = part.find(answer)
    return {"answer": [at, at + len(answer)]} if at >= 0 else {}


def _pair(key: Key, texts: Mapping[Key, Row], row: Row, passage: str, label: int) -> dict[str, Any]:
    of = texts[key]
    title = " > ".join(filter(None, (of["title"], of.get("heading"))))
    return {"question": row["question"], "title": title, "passage": passage, "label": label,
            "group": f"{key[0]}/{key[1]}"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with the public data sets")
    parser.add_argument("--out", type=Path, required=True, help="a file of JSON lines, gzip")
    parser.add_argument("--cut", type=Path, help="another one, of passages without the sentence that answers")
    given = parser.parse_args()
    asked, texts = questions(), sections(given.data)
    _write(given.out, list(pairs(asked, texts, hard=searched(asked, texts))))
    if given.cut:
        _write(given.cut, list(cut_pairs(asked, texts)))


def _write(out: Path, made: Sequence[Mapping[str, Any]]) -> None:
    lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in made)
    out.write_bytes(gzip.compress(lines.encode(), mtime=0))     # the same bytes each time
    twins, right = sum("pair" in one for one in made) // 2, sum(one["label"] for one in made)
    print(f"{out}: {len(made)} pairs, {twins} twins, {right} answer")


if __name__ == "__main__":
    main()
