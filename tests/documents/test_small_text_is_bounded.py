"""Small plain text is taken apart in the process itself: the worst of it has to cost little."""

import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hostile_files.bites import MARKDOWN
from model_fakes.chunk_input import chunk_input
from running.soak_table import Figures

from vouch.adapters.models.tokenizer import load_tokenizer
from vouch.adapters.sandbox.limits import SMALL_TEXT, ParsingLimits
from vouch.adapters.sandbox.parsed_chunks import take_apart
from vouch.documents.document import Content
from vouch.documents.formats import FORMATS
from vouch.documents.text import sentences
from vouch.errors import Unreadable

pytestmark = pytest.mark.slow           # together
TOKENIZER = load_tokenizer()
MOST_S = 5.0                            # of processor time, on a slow machine; about one on a fast one
# Name → what stands before, what is repeated to fill the text, what stands after.
WORST = {
    "links": ("", "[a](", ""), "open_links": ("", "[a ", ""), "open_images": ("", "![a", ""),
    "ticks": ("a", "`", "a b"), "dots": ("a", ".", "a"), "spaces_in_heading": ("# a", " ", "b"),
    "braces_in_heading": ("# a", " {", " b"), "wide_table": ("|" + "a|" * 2000 + "\n|" + "-|" * 2000 + "\n", "|\n", ""),
    "front_newlines": ("---\n", "\n", "\n---\nbody"), "front_list": ("---\na: [", "a,", "]\n---\nbody"),
    "front_deep": ("---\na: ", "[", "\n---\nbody"), "footnotes": ("a", "[^1]", " "), "pipes": ("", "|", "a"),
}  # fmt: skip
OTHERS = {name: ("a ", unit, "") for name, unit in MARKDOWN.items()} | {
    f"{name} then": ("a", unit, " a") for name, unit in MARKDOWN.items()
}


class Overdue(Exception):
    pass


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raises Overdue after so much processor time."""

    def ring(*_: object) -> None:
        raise Overdue

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def read(path: str, before: str, unit: str, after: str, size: int = SMALL_TEXT) -> None:
    """Everything this process does with the words of a document."""
    text = before + unit * ((size - len(before) - len(after)) // len(unit)) + after
    try:
        found = take_apart("docs", Content(path, text.encode(), ""), TOKENIZER, size=180, overlap=30,
                           limits=ParsingLimits())
    except Unreadable:
        return
    for chunk in found.chunks:
        chunk_input(found.text, chunk)


IN_PROCESS = [f"a{form.suffixes[0]}" for form in FORMATS if form.in_process]


@pytest.mark.parametrize("path", IN_PROCESS)
@pytest.mark.parametrize("name", WORST)
def test_the_worst_that_is_known_costs_little(name: str, path: str) -> None:
    with within(MOST_S):
        read(path, *WORST[name])


OF_OTHERS = {
    "a.rst": {
        "titles": ("", "a\n---\n", ""), "overlined": ("", "===\na\n===\n", ""), "adornment": ("", "=", "a"),
        "roles": ("", ":a:`b <", "\n====="), "borders": ("", "== ", "a"), "indents": ("a::\n\n", "  a\n\n", ""),
    },
    "a.adoc": {
        "titles": ("", "= a\n", ""), "under": ("", "aaa\n---\n", ""), "stars": ("= ", "*", " a"),
        "fences": ("", "----\n", ""),
        "aside": (":", "a-", ""), "brackets": ("", "[", ""), "one_paragraph": ("", "a\n", ""),
    },
}  # fmt: skip


@pytest.mark.parametrize(("path", "name"), [(path, name) for path, some in OF_OTHERS.items() for name in some])
def test_the_worst_of_other_plain_text_costs_little(path: str, name: str) -> None:
    with within(MOST_S):
        read(path, *OF_OTHERS[path][name])


@pytest.mark.soak
def test_other_repetitions_cost_little_too(figures: Figures) -> None:
    costs = []
    for path in IN_PROCESS:
        for name, parts in {**WORST, **OTHERS}.items():
            began = time.process_time()
            with within(MOST_S):
                read(path, *parts)
            costs.append((time.process_time() - began, path, name))
    costs.sort(reverse=True)
    assert len(costs) > len(WORST)
    figures("repetitive texts taken apart", f"{len(costs)} texts of {SMALL_TEXT:,} bytes",
            f"longest {costs[0][0]:.2f} s ({costs[0][2]}), bound {MOST_S} s")


@pytest.mark.parametrize("name", ["dots", "ticks"])
def test_planted_patterns_that_go_back_and_forth_are_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stop = sentences._STOP.pattern.replace("(?<![.!?…])", "").replace("++", "+")
    monkeypatch.setattr(sentences, "_STOP", re.compile(stop))
    kept = sentences._KEPT.pattern.replace("(?<!`)(`++)", "(`+)")
    monkeypatch.setattr(sentences, "_KEPT", re.compile(kept, re.DOTALL))
    with pytest.raises(Overdue), within(0.5):
        read("a.txt", *WORST[name])
