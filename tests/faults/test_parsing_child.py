"""The process that takes documents apart: it gives what this process would, and its end is one document's only."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hostile_files.odd_child import REPLIES
from hostile_files.pdf_by_hand import sound
from hypothesis import given
from hypothesis import strategies as st

from vouch.adapters.models.tokenizer import load_tokenizer
from vouch.adapters.sandbox import isolated, process
from vouch.adapters.sandbox import limits as watch
from vouch.adapters.sandbox.frames import BadFrame, Incoming, frame
from vouch.adapters.sandbox.isolated import IsolatedParser
from vouch.adapters.sandbox.limits import ParsingLimits
from vouch.adapters.sandbox.parsed_chunks import MOST_BODY, ParsedChunks, pack, take_apart, unpack
from vouch.documents.chunk import chunk_id
from vouch.documents.document import Content
from vouch.errors import Unavailable, Unreadable

TOKENIZER = load_tokenizer()
QUICK = ParsingLimits(seconds=1.0, memory_mb=300)
HTML = b"<html><body><h1>Leave</h1><p>Everybody may take leave.</p><table><tr><td>a</td></tr></table></body></html>"
DOCUMENTS = [
    Content("a.html", HTML, "1"),
    Content("b.pdf", sound("First line\nsecond line"), "2"),
    Content("c.md", b"---\naccess: group:people\n---\n" + b"# Title\n\nSome words.\n\n" * 3200, "3"),
    Content("d.txt", "Größe. ".encode() * 8_000, "4"),
    Content("e.html", b"---\naccess: all\n---\n<p>x", "5"),
]


def here(content: Content) -> ParsedChunks | str:
    try:
        return take_apart("docs", content, TOKENIZER, size=180, overlap=30, limits=ParsingLimits())
    except Unreadable as error:
        return str(error)


def there(parser: IsolatedParser, content: Content) -> ParsedChunks | str:
    try:
        return parser.take_apart("docs", content, size=180, overlap=30)
    except Unreadable as error:
        return str(error)


def gone(pid: int) -> bool:
    """Ended; a process nobody has collected yet counts as ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def pid_of(parser: IsolatedParser) -> int:
    assert parser._child is not None
    return parser._child._process.pid


@pytest.fixture
def parser() -> Iterator[IsolatedParser]:
    made = IsolatedParser(lambda: TOKENIZER)
    yield made
    made.close()


@pytest.fixture
def odd(monkeypatch: pytest.MonkeyPatch) -> Iterator[IsolatedParser]:
    """A parser whose child does what its documents say."""
    monkeypatch.setattr(process, "_MODULE", "hostile_files.odd_child")
    made = IsolatedParser(lambda: TOKENIZER, limits=QUICK)
    yield made
    made.close()


def wish(parser: IsolatedParser, word: str) -> ParsedChunks | str:
    return there(parser, Content("a.html", word.encode(), ""))


def test_the_child_finds_what_this_process_finds(parser: IsolatedParser) -> None:
    for content in DOCUMENTS:
        assert there(parser, content) == here(content)
    assert isinstance(here(DOCUMENTS[0]), ParsedChunks) and "access" in str(here(DOCUMENTS[4]))


def test_it_starts_with_the_first_document_that_needs_it(parser: IsolatedParser) -> None:
    there(parser, Content("a.md", b"# Small\n\nWords.", ""))
    assert parser._child is None
    there(parser, DOCUMENTS[0])
    first = pid_of(parser)
    there(parser, DOCUMENTS[1])
    assert pid_of(parser) == first
    parser.close()
    assert gone(first) and parser._child is None
    parser.close()
    assert there(parser, DOCUMENTS[0]) == here(DOCUMENTS[0])


def test_a_child_killed_between_documents_is_replaced_unnoticed(parser: IsolatedParser) -> None:
    there(parser, DOCUMENTS[0])
    os.kill(pid_of(parser), signal.SIGKILL)
    assert there(parser, DOCUMENTS[1]) == here(DOCUMENTS[1])


@pytest.mark.parametrize(
    ("word", "reason"),
    [("die", "made its parser crash .exit code 3"), ("die_half", "crash"), ("crash", "crash .SIGABRT"),
     ("sleep", "took longer than 1 s"), ("spin", "took longer than 1 s"), ("flood", "nonsense"),
     ("swell", "needed more than 300 MB"), ("memory", "needed more than 300 MB")],
)  # fmt: skip
def test_however_a_child_ends_one_document_pays_and_the_next_is_read(
    odd: IsolatedParser, word: str, reason: str
) -> None:
    assert isinstance(wish(odd, "sound"), ParsedChunks)
    began = time.monotonic()
    with pytest.raises(Unreadable, match=reason) as caught:
        odd.take_apart("docs", Content("a.html", word.encode(), ""), size=180, overlap=30)
    assert caught.value.cure and time.monotonic() - began < 10
    assert isinstance(wish(odd, "sound"), ParsedChunks)


@pytest.mark.parametrize("word", sorted(REPLIES.keys() - {"sound", "memory"}))
def test_an_answer_that_does_not_hold_together_is_refused(odd: IsolatedParser, word: str) -> None:
    assert wish(odd, word) == "made its parser return nonsense (repair the file)"
    assert isinstance(wish(odd, "sound"), ParsedChunks)


def test_what_a_used_child_cannot_do_is_tried_in_a_fresh_one(odd: IsolatedParser) -> None:
    wish(odd, "sound")
    assert isinstance(wish(odd, "once"), ParsedChunks)


def test_a_child_that_the_system_ends_again_and_again_stops_the_run(odd: IsolatedParser) -> None:
    """Quarantine would withdraw one document after the other for what none of them did."""
    with pytest.raises(Unavailable, match="the system killed"):
        wish(odd, "killed")
    assert isinstance(wish(odd, "sound"), ParsedChunks)


def test_no_child_for_want_of_processes_stops_the_run(odd: IsolatedParser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/not/there")
    with pytest.raises(Unavailable, match="No such file"):
        wish(odd, "sound")


def test_a_child_that_does_not_start_stops_the_run_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_MODULE", "vouch.not_there")
    parser = IsolatedParser(lambda: TOKENIZER)
    with pytest.raises(Unavailable, match="not_there"):
        parser.take_apart("docs", DOCUMENTS[0], size=180, overlap=30)
    parser.close()


def test_it_is_given_nothing_but_documents(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, parser: IsolatedParser
) -> None:
    monkeypatch.setattr(process, "_MODULE", "hostile_files.telling_child")
    monkeypatch.setenv("VOUCH_WRITER__API_KEY", "secret")
    with (tmp_path / "open").open("w") as held:
        os.set_inheritable(held.fileno(), True)
        found = there(parser, DOCUMENTS[0])
    assert isinstance(found, ParsedChunks)
    told = json.loads(found.text)
    assert "secret" not in found.text and not any(name.startswith(("VOUCH", "HOME")) for name in told["environment"])
    assert not any(str(tmp_path) in name for name in told["descriptors"])
    assert all(name in ("pipe", "/dev/null") or "deleted" in name for name in told["descriptors"])
    memory, core, files = told["limits"]
    assert (memory[1], core, files[1] <= 100_000) == ((512 - 32) * 2**20, [0, 0], True)
    assert (told["folder"], told["session"], told["modules"]) == ("/", True, [])


ORPHAN = """
import os, signal, sys, threading, time
from vouch.adapters.sandbox.isolated import IsolatedParser
from vouch.adapters.sandbox.limits import ParsingLimits
from vouch.adapters.models.tokenizer import load_tokenizer
from vouch.documents.document import Content
parser = IsolatedParser(load_tokenizer, limits=ParsingLimits(seconds=1))
parser.take_apart("docs", Content("a.html", b"<p>words of text", ""), size=180, overlap=30)
print(parser._child._process.pid, flush=True)
if sys.argv[1] == "busy":
    long = Content("a.txt", b"a b c.\\n\\n" * 2_000_000, "")
    threading.Thread(target=lambda: parser.take_apart("docs", long, size=180, overlap=30), daemon=True).start()
    time.sleep(0.4)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("how", ["idle", "busy"])
def test_it_does_not_outlive_its_parent(how: str) -> None:
    done = subprocess.run([sys.executable, "-c", ORPHAN, how], capture_output=True, text=True, timeout=60)
    assert done.returncode == -signal.SIGKILL, done.stderr
    deadline = time.monotonic() + 30
    while not gone(int(done.stdout)):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_threads_take_turns_and_a_thread_that_ends_takes_no_child_along(parser: IsolatedParser) -> None:
    short = [DOCUMENTS[n] for n in (0, 1, 4)] * 8
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda content: there(parser, content), short)) == [here(content) for content in short]
    first = pid_of(parser)
    worker = threading.Thread(target=there, args=(parser, DOCUMENTS[0]))
    worker.start()
    worker.join()
    assert there(parser, DOCUMENTS[1]) == here(DOCUMENTS[1]) and pid_of(parser) == first


def test_ctrl_c_while_it_works_leaves_no_child(odd: IsolatedParser, monkeypatch: pytest.MonkeyPatch) -> None:
    wish(odd, "sound")
    child = pid_of(odd)
    monkeypatch.setattr(watch.Watch, "check", lambda self: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        wish(odd, "sleep")
    assert gone(child)
    monkeypatch.undo()
    monkeypatch.setattr(process, "_MODULE", "hostile_files.odd_child")
    assert isinstance(wish(odd, "sound"), ParsedChunks)


@given(st.data())
def test_no_reply_makes_a_passage_outside_its_text(data: st.DataObject) -> None:
    """A sound reply with one value replaced is refused or still holds together."""
    apart = take_apart("docs", DOCUMENTS[0], TOKENIZER, size=40, overlap=0, limits=ParsingLimits())
    header, body = Incoming(MOST_BODY).feed(pack(apart, 1)) or ({}, b"")
    odd = st.one_of(st.none(), st.booleans(), st.integers(-5, 10**6), st.floats(), st.text(max_size=5),
                    st.lists(st.integers(-5, 200), max_size=8))
    place = data.draw(st.sampled_from(sorted(header)))
    if place == "chunks" and data.draw(st.booleans()):
        row = data.draw(st.integers(0, len(header["chunks"]) - 1))
        header["chunks"][row][data.draw(st.integers(0, 6))] = data.draw(odd)
    else:
        header[place] = data.draw(odd)
    try:
        found = unpack((header, body), "docs", "a.html")
    except BadFrame:
        return
    for n, chunk in enumerate(found.chunks):
        assert 0 <= chunk.start < chunk.end <= len(found.text) and chunk.ordinal == n
        words = found.text[chunk.start : chunk.end]
        assert any(chunk.id == chunk_id("docs", "a.html", chunk.section, words, k) for k in range(n + 1))
        assert 1 <= chunk.first_line <= chunk.last_line <= found.text.count("\n") + 1


@given(st.binary(max_size=200), st.lists(st.integers(1, 50), max_size=30), st.dictionaries(st.text(), st.integers()))
def test_a_message_arrives_whole_however_it_is_cut(body: bytes, cuts: list[int], header: dict[str, int]) -> None:
    whole, incoming, at = frame(header, body), Incoming(200), 0
    for size in [*cuts, len(whole)]:
        found = incoming.feed(whole[at : at + size])
        at += size
        assert (found is None) == (at < len(whole))
        if found is not None:
            assert found == (header, body)
            return


def test_the_parser_is_left_alone_by_documents_that_are_too_large(
    parser: IsolatedParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(isolated, "Child", lambda *_: pytest.fail("a child was started"))
    with pytest.raises(Unreadable, match=r"larger than 20,000,000 bytes .*MAX_DOCUMENT_BYTES"):
        parser.take_apart("docs", Content("a.pdf", bytes(20_000_001), ""), size=180, overlap=30)
