"""What HTTP adds to a question: 50 people ask side by side, and the loop that answers them is in the same process.

    .venv/bin/python benchmarks/serving/http_service.py

What HTTP adds is told in two ways; the bound is that of the second, as the first moves by 10 ms from run to run. The
same questions are given to the loop in the same process, by as many people at once: the difference is all that is
beside the loop, log, ledger and outbox too; and to the delivery alone, which any surface has: the difference is HTTP.
And within each request own time is what lies before the question is handed to the delivery and after its answer is
posted, less the look at what its reader may read, which any surface takes. People ask from another process, so that
they take no turn of the service's. The first event after a question is measured one question after another, and of 50
people at once. With `--home`, `vouch serve` is started there, with its models, against a process
that does nothing but load these.
"""

import argparse
import gc
import http.client
import itertools
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.report import Report, p50, p95
from benchmarks.serving.http_ways import QUESTION, Delivery, Loop, compared, side_by_side

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]     # the service of the tests, whose loop takes no time to speak of

PEOPLE, PAUSE_S = 50, 5.0              # between two questions of one person, on average
LOADS = ("from composition.models import load_models; from vouch.settings import read_settings; "
         "load_models(read_settings())")


class Watch:
    """When each question was handed to the delivery, when it was on the log, when its answer was posted, and how long
    the look at that took."""

    def __init__(self) -> None:
        self.handed: dict[str, float] = {}
        self.on_log: dict[str, float] = {}
        self.looked: dict[str, float] = {}
        self.posted: dict[str, float] = {}

    def over(self, service: Any) -> Any:
        questions = service.questions
        return replace(service, questions=_Noted(questions, self))

    def surface(self, surface: Any) -> None:
        """Replaces its `post` by one that is noted."""
        post = surface.post

        def noted(delivery: Any) -> None:
            post(delivery)
            self.posted[delivery.question_id] = time.perf_counter()

        surface.post = noted


class _Noted:
    def __init__(self, questions: Any, watch: Watch) -> None:
        self._questions, self._watch = questions, watch

    def __getattr__(self, name: str) -> Any:
        return getattr(self._questions, name)

    def ask(self, *words: Any, **named: Any) -> str:
        began = time.perf_counter()
        question_id = str(self._questions.ask(*words, **named))
        self._watch.handed[question_id], self._watch.on_log[question_id] = began, time.perf_counter()
        return question_id

    def look(self, question_id: str, *words: Any) -> Any:
        began = time.perf_counter()
        try:
            return self._questions.look(question_id, *words)
        finally:
            self._watch.looked[question_id] = time.perf_counter() - began


class Processor:
    """Milliseconds that the service's own threads computed, those that ended too; worker and sender are not among them.

    Unlike times on the clock they are nearly the same on a busy machine.
    """

    def __init__(self) -> None:
        self._of: dict[int, float] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> "Processor":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def spent(self) -> float:
        self._note()
        return 1000 * sum(self._of.values())

    def _look(self) -> None:
        while not self._stop.wait(0.5):
            self._note()

    def _note(self) -> None:
        for thread in threading.enumerate():
            if thread.ident is not None and (thread.name == "http" or "AnyIO" in thread.name):
                with suppress(OSError):         # it has ended since
                    self._of[thread.native_id or 0] = time.clock_gettime(time.pthread_getcpuclockid(thread.ident))


def together(address: str, people: int, each: int, pause: float) -> list[tuple[str, float, float]]:
    """`side_by_side` over HTTP, each question by a connection and from an address of its own; of each its id."""
    numbers = itertools.count()

    def ask(text: str) -> str:
        body = json.dumps({"question": text, "wait": 60}).encode()
        with closing(_connected(address, f"127.0.1.{1 + next(numbers) % 250}")) as connection:
            connection.request("POST", "/v1/ask", body, {"Content-Type": "application/json"})
            reply = connection.getresponse()
            told = json.loads(reply.read())
        if reply.status != 200:
            raise TimeoutError(f"no answer to {told.get('question_id')}: {reply.status}")
        return str(told["question_id"])

    return side_by_side(ask, people, each, pause)


def nothing_asked(address: str, count: int) -> list[float]:
    """Seconds of requests that ask who one is, and nothing else: what every request costs here and now."""
    found = []
    for _ in range(count):
        began = time.perf_counter()
        with closing(_connected(address)) as connection:
            connection.request("GET", "/v1/me")
            connection.getresponse().read()
        found.append(time.perf_counter() - began)
        time.sleep(0.05)
    return found


def first_stages(address: str, first: int, count: int) -> list[float]:
    """One after another: seconds from sending a question to the first event that tells of it."""
    found = []
    for number in range(first, first + count):
        with closing(_connected(address)) as connection:
            found.append(_first_event(connection, QUESTION.format(number))[0])
    return found


def first_stages_together(address: str, people: int, each: int, pause: float) -> list[float]:
    """The same of people who ask side by side, and go on listening until they have their answer."""
    numbers = itertools.count()

    def ask(text: str) -> float:
        with closing(_connected(address, f"127.0.2.{1 + next(numbers) % 250}")) as connection:
            taken, events = _first_event(connection, text)
            events.read()
            return taken

    return [taken for taken, _, _ in side_by_side(ask, people, each, pause)]


def _first_event(connection: http.client.HTTPConnection, text: str) -> tuple[float, http.client.HTTPResponse]:
    """Seconds until the first stage is told, or the answer where that is there already, and what comes after it."""
    sent = time.perf_counter()
    body = json.dumps({"question": text, "wait": 0}).encode()
    connection.request("POST", "/v1/ask", body, {"Content-Type": "application/json"})
    named = json.loads(connection.getresponse().read())["question_id"]
    connection.request("GET", f"/v1/answers/{named}/events")
    events = connection.getresponse()
    if not any(line.startswith((b"event: stage", b"event: answer")) for line in iter(events.readline, b"")):
        raise TimeoutError(f"nothing is told of {text!r}")
    return time.perf_counter() - sent, events


def page_bytes(address: str, path: str, headers: Mapping[str, str] | None = None) -> int:
    """Of a page with all styles and scripts that it names, without pictures. Raises ValueError if it is not shown."""
    with closing(_connected(address)) as connection:
        def got(place: str) -> bytes:
            connection.request("GET", place, headers=dict(headers or {}))
            reply = connection.getresponse()
            if reply.status != 200:
                raise ValueError(f"{place}: {reply.status}")
            return reply.read()

        page = got(path)
        named = set(re.findall(rb'(?:href|src)="(/static/[^"]+)"', page))
        return len(page) + sum(len(got(one.decode())) for one in named)


def _connected(address: str, source: str = "") -> http.client.HTTPConnection:
    """From `source`, an address of this machine: who proves nothing is counted by it."""
    host, _, port = address.removeprefix("http://").partition(":")
    bound_to = (source, 0) if source else None
    connection = http.client.HTTPConnection(host, int(port), timeout=120, source_address=bound_to)
    connection.connect()
    return connection


@contextmanager
def time_goes_on(home: Any) -> Iterator[None]:
    """In the home of the tests it stands still, and what is put off on a busy machine would never be due."""
    begun, since, stop = home.now, time.monotonic(), threading.Event()

    def tick() -> None:
        while not stop.wait(0.05):
            home.now = begun + timedelta(seconds=time.monotonic() - since)

    ticking = threading.Thread(target=tick, daemon=True)
    ticking.start()
    try:
        yield
    finally:
        stop.set()
        ticking.join()


def in_process(report: Report, each: int, rounds: int) -> None:
    from homes.memory import folder_in_memory
    from http_scene.http_place import http_place

    watch = Watch()
    with folder_in_memory() as folder, http_place(folder, changed=watch.over) as place, \
            ProcessPoolExecutor(1, get_context("spawn")) as clients, Processor() as processor, time_goes_on(place.home):
        watch.surface(place.home.bench.ledger.surface)

        def called(work: Callable[..., Any], *words: Any) -> Any:
            return clients.submit(work, place.address, *words).result()

        called(together, 2, 2, 0.1)                     # the first of a process pays for its imports
        gc.collect()
        gc.freeze()                                     # as a service does once its models are loaded
        report.table(("figure", "size", "p50", "p95", "bound", "verdict"))
        _ways(report, place, watch, processor, called, each, rounds)
        bare = [1000 * one for one in called(nothing_asked, 4 * PEOPLE)]
        stages = [1000 * one for one in called(first_stages, 10_000, PEOPLE)]
        crowd = [1000 * one for one in called(first_stages_together, PEOPLE, each, PAUSE_S)]
        report.line("a request that asks nothing, ms", len(bare), f"{p50(bare):.1f}", f"{p95(bare):.1f}", "", "")
        for times, who in ((stages, len(stages)), (crowd, f"{len(crowd)} questions of {PEOPLE} people")):
            report.line("first event after the question, ms", who, f"{p50(times):.1f}", f"{p95(times):.1f}",
                        "100", checks=[p95(times) <= 100])
        _pages(report, place, called)


def _ways(
    report: Report, place: Any, watch: Watch, processor: Processor, called: Callable[..., Any], each: int, rounds: int
) -> None:  # fmt: skip
    delivery, loop = Delivery(place.service.questions), Loop(place.answerer, lambda: place.home.now)
    over_http, of_http = list[tuple[str, float, float]](), list[float]()

    def http() -> list[tuple[str, float, float]]:
        before = processor.spent()
        found: list[tuple[str, float, float]] = called(together, PEOPLE, each, PAUSE_S)
        of_http.append((processor.spent() - before) / len(found))
        over_http.extend(found)
        return found

    found = compared({
        "over HTTP": http,
        "by the delivery alone": lambda: side_by_side(delivery.ask, PEOPLE, each, PAUSE_S),
        "by the loop alone": lambda: side_by_side(loop.ask, PEOPLE, each, PAUSE_S),
    }, rounds)  # fmt: skip
    people = f"{len(over_http)} questions of {PEOPLE} people"
    for name, taken in found.items():
        report.line(f"a question {name}, ms", people, f"{p50(taken.times):.1f}", f"{p95(taken.times):.1f}", "",
                    f"{sum(taken.computed) / rounds:.1f} of them computed")
    whole, delivered, bare = (taken.times for taken in found.values())
    for name, less in (("the delivery", delivered), ("the loop", bare)):
        report.line(f"HTTP over {name} in the same process, ms", people, f"{p50(whole) - p50(less):.1f}",
                    f"{p95(whole) - p95(less):.1f}", "", "")
    before = [1000 * (watch.handed[question_id] - sent) for question_id, sent, _ in over_http]
    logged = [1000 * (watch.on_log[question_id] - sent) for question_id, sent, _ in over_http]
    after = [1000 * (received - watch.posted[question_id]) for question_id, _, received in over_http]
    looked = [1000 * watch.looked[question_id] for question_id, _, _ in over_http]
    own = [first + last - look for first, last, look in zip(before, after, looked, strict=True)]
    for name, times in (("from the request to the delivery", before), ("from the request to the log", logged),
                        ("from the posted answer to the reader", after),
                        ("of that the look at what the reader may read", looked)):  # fmt: skip
        report.line(f"{name}, ms", people, f"{p50(times):.1f}", f"{p95(times):.1f}", "", "")
    report.line("own time of a request, without that look, ms", people, f"{p50(own):.1f}", f"{p95(own):.1f}", "10",
                checks=[p95(own) <= 10])
    report.line("processor time of HTTP's threads for a question, ms", people, f"{sum(of_http) / rounds:.1f}", "", "",
                "mean")


def _pages(report: Report, place: Any, called: Callable[..., Any]) -> None:
    answer = place.visitor().post("/v1/ask", {"question": QUESTION.format(1)}).json["id"]
    pages = {path: called(page_bytes, path) for path in ("/", f"/answers/{answer}", f"/answers/{answer}/trace")}
    pages["/operate/documents"] = called(page_bytes, "/operate/documents?source=docs", place.person("olga").headers)
    for path, size in pages.items():
        named = path.replace(answer, "ANSWER")
        report.line(f"{named} with styles and scripts, kB", 1, "", f"{size / 1000:.1f}", "150",
                    checks=[size <= 150_000])


def starting(report: Report, home: Path, rounds: int) -> None:
    env = {**os.environ, "VOUCH_HOME": str(home)}
    bare = [_timed([sys.executable, "-c", LOADS], env, None) for _ in range(rounds)]
    whole = [_timed([str(Path(sys.executable).with_name("vouch")), "serve", "--port", "0"], env, "ready")
             for _ in range(rounds)]
    over = p50(whole) - p50(bare)
    report.table(("figure", "size", "models alone, s", "until ready, s", "over, s", "bound", "verdict"))
    report.line("vouch serve", rounds, f"{p50(bare):.1f}", f"{p50(whole):.1f}", f"{over:.1f}", "5", checks=[over <= 5])


def _timed(command: Sequence[str], env: dict[str, str], word: str | None) -> float:
    """Seconds until it says `word`, or ends."""
    began = time.perf_counter()
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.strip() == word:
                break
        took = time.perf_counter() - began
        if word is not None:
            process.terminate()
        process.wait()
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=4, help="questions of each person in a round")
    parser.add_argument("--rounds", type=int, default=3, help="how often all are asked by each way")
    parser.add_argument("--home", type=Path, help="with an index; starts vouch serve there")
    arguments = parser.parse_args()
    report = Report("HTTP")
    in_process(report, arguments.each, arguments.rounds)
    if arguments.home is not None:
        starting(report, arguments.home, 2)
    report.end()


if __name__ == "__main__":
    main()
