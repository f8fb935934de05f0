"""What the parsing child costs beside parsing in this process: `python benchmarks/ingesting/parsing.py DATA`.

DATA is the folder of data sets; the pages of web_pages are read, in turns here
and in the child, and then small pages, which show the cost per document.
"""

import bz2
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from vouch.adapters.models.tokenizer import load_tokenizer
from vouch.adapters.sandbox.isolated import IsolatedParser
from vouch.adapters.sandbox.limits import ParsingLimits
from vouch.adapters.sandbox.parsed_chunks import take_apart
from vouch.documents.document import Content
from vouch.errors import Unreadable

ROUNDS = 9
SMALL = b"<html><body><h1>Leave</h1><p>Everybody may take leave when the manager agrees.</p></body></html>"


def pages(data: Path) -> Iterator[Content]:
    with bz2.open(data / "web_pages" / "dev_data.jsonl.bz2", "rt") as lines:
        for line in lines:
            for n, found in enumerate(json.loads(line)["search_results"]):
                if found.get("page_result"):
                    yield Content(f"{n}.html", found["page_result"].encode(), "")


def seconds(read: Callable[[Content], object], documents: list[Content]) -> float:
    began = time.perf_counter()
    for content in documents:
        try:
            read(content)
        except Unreadable:
            continue
    return time.perf_counter() - began


def main() -> None:
    tokenizer, limits = load_tokenizer(), ParsingLimits()
    parser = IsolatedParser(lambda: tokenizer)

    def here(content: Content) -> object:
        return take_apart("docs", content, tokenizer, size=180, overlap=30, limits=limits)

    def there(content: Content) -> object:
        return parser.take_apart("docs", content, size=180, overlap=30)

    real = list(pages(Path(sys.argv[1])))
    small = [Content("small.html", SMALL, "")] * 500
    began = time.perf_counter()
    there(small[0])
    print(f"first document, child started: {time.perf_counter() - began:.2f} s")
    here(small[0])
    for name, documents in (("web pages", real), ("small pages", small)):
        rounds = [(seconds(here, documents), seconds(there, documents)) for _ in range(ROUNDS)]
        inside, outside = (min(times) for times in zip(*rounds, strict=True))     # others may use the machine, too
        size = sum(len(content.data) for content in documents) / 1e6
        cost = (outside - inside) / len(documents) * 1000
        print(f"{name}: {len(documents)} documents, {size:.1f} MB; here {inside:.2f} s, in the child {outside:.2f} s; "
              f"throughput ratio {inside / outside:.2f}, {cost:+.2f} ms a document")
    parser.close()


if __name__ == "__main__":
    main()
