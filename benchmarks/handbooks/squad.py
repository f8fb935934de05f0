"""Pairs of SQuAD 2.0 for `vouch train judge`, with the places of their answers.

    python benchmarks/handbooks/squad.py --data "$VOUCH_DATA" --out squad.jsonl.gz --cut squad_cut.jsonl.gz

`--out` has the pairs of `squad2_train`, and where its answers are known their
place in the passage. `--cut` has twins: a paragraph that answers, and the same
one without the sentence that does.
"""

import argparse
import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cut import without

MOST = 12_000                           # twins


def answers(data: Path) -> dict[tuple[str, str], str]:
    """By question and paragraph."""
    return {(asked["question"], text): asked["answer"] for _, text, asked in _asked(data)}


def placed(data: Path) -> Iterator[dict[str, Any]]:
    known = answers(data)
    with gzip.open(data / "squad2_train" / "pairs.jsonl.gz", "rt", encoding="utf-8") as file:
        for row in map(json.loads, file):
            answer = known.get((row["question"], row["passage"])) if row["label"] else None
            at = row["passage"].lower().find(answer.lower()) if answer else -1
            yield row | ({"answer": [at, at + len(answer)]} if answer and at >= 0 else {})


def cut(data: Path) -> Iterator[dict[str, Any]]:
    found = []
    for title, text, asked in _asked(data):
        answer = asked["answer"]
        at = text.lower().find(answer.lower())
        rest = without(text, at, at + len(answer)) if at >= 0 and len(answer) > 1 else None
        if rest:
            found.append((title, text, asked["question"], [at, at + len(answer)], rest))
    random.Random(0).shuffle(found)
    for number, (title, text, question, place, rest) in enumerate(found[:MOST]):
        row = {"question": question, "title": title, "group": title.replace(" ", "_"), "pair": f"cut-{number}"}
        yield row | {"passage": text, "label": 1, "answer": place}
        yield row | {"passage": rest, "label": 0}


def _asked(data: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Title, paragraph and each question that it answers."""
    with gzip.open(data / "squad2_train" / "train-squad-layout.json.gz", "rt", encoding="utf-8") as file:
        articles = json.load(file)["data"]
    for article in articles:
        for paragraph in article["paragraphs"]:
            for asked in paragraph["qas"]:
                if asked.get("answer") and not asked.get("is_impossible"):
                    yield article["title"], paragraph["context"], asked


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with the public data sets")
    parser.add_argument("--out", type=Path, required=True, help="a file of JSON lines, gzip")
    parser.add_argument("--cut", type=Path, required=True, help="another one")
    given = parser.parse_args()
    for out, rows in ((given.out, list(placed(given.data))), (given.cut, list(cut(given.data)))):
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        out.write_bytes(gzip.compress(lines.encode(), mtime=0))
        print(f"{out}: {len(rows)} pairs, {sum('answer' in row for row in rows)} with the place of the answer")


if __name__ == "__main__":
    main()
