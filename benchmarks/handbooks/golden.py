"""The handbooks as folders of documents, and questions about them for `vouch train evaluator --questions`.

    python benchmarks/handbooks/golden.py --data "$VOUCH_DATA" --out handbooks

Only questions of pages that `vouch train judge` leaves for choosing and
testing: of the others a judge trained on the pairs is surer than it may be.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pairs import Key, Row, questions, sections

from vouch.learning.statistics.splits import split_of

KINDS = {True: "answered", False: "near"}


def documents(texts: Mapping[Key, Row], repos: set[str]) -> dict[tuple[str, str], str]:
    """By repository and path, in Markdown."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for (repo, path, _), row in texts.items():
        if repo in repos:
            title = [] if (repo, path) in found else [f"# {row['title']}"]
            heading = [f"## {row['heading']}"] if row.get("heading") else []
            found[repo, path] += [*title, *heading, row["text"]]
    return {key: "\n\n".join(parts) + "\n" for key, parts in found.items()}


def golden(asked: Mapping[Key, list[Row]], texts: Mapping[Key, Row]) -> Iterator[dict[str, Any]]:
    for key, rows in asked.items():
        repo, path, section = key
        if split_of(f"{repo}/{path}") == "train":
            continue
        for number, row in enumerate(rows):
            quotes = [texts[key]["text"][slice(*row["answer"])]] if row["answer"] else []
            yield {"id": f"{section}-{number}", "question": row["question"], "answerable": bool(quotes),
                   "kind": KINDS[bool(quotes)], "corpus": corpus(repo), "group": f"{repo}/{path}", "quotes": quotes,
                   "quote_paths": [file_of(path)] * len(quotes)}


def corpus(repo: str) -> str:
    return repo.split("/")[0].casefold()


def file_of(path: str) -> str:
    """Every page is written as Markdown."""
    return path.removesuffix(".erb").removesuffix(".html").removesuffix(".md") + ".md"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with the public data sets")
    parser.add_argument("--out", type=Path, required=True, help="a folder that is not there yet")
    given = parser.parse_args()
    asked, texts = questions(), sections(given.data)
    rows = list(golden(asked, texts))
    for (repo, path), text in documents(texts, {key[0] for key in asked}).items():
        file = given.out / corpus(repo) / file_of(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (given.out / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    print(f"{len(rows)} questions, {sum(row['answerable'] for row in rows)} with an answer")


if __name__ == "__main__":
    main()
