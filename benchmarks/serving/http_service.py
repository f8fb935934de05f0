"""What HTTP adds to a question: 50 people ask side by side, and the loop that answers them is in the same process.

    .venv/bin/python benchmarks/serving/http_service.py

Own time is that of a request less what any surface has: from the question's being on the log to its answer's being
posted. People ask from another process, so that they take no turn of the service's. With `--home`, `vouch serve` is
started there, with its models, against a process that does nothing but load these.
"""

import argparse
import http.client
import json
import os
import random
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.report import Report, p50, p95

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]     # the service of the tests, whose loop takes no time to speak of

PEOPLE, PAUSE_S = 50, 5.0              # between two questions of one person, on average
QUESTION = "How many days of paid leave has everybody in year {}?"
LOADS = ("from composition.models import load_models; from vouch.settings import read_settings; "
         "load_models(read_settings())")


class Watch:
    """When each question was on the log, and when its answer was posted."""

    def __init__(self) -> None:
        self.on_log: dict[str, float] = {}
        self.posted: dict[str, float] = {}

    def over(self, service: Any) -> Any:
        questions = service.questions
        return replace(service, questions=_Noted(questions, self.on_log))

    def surface(self, surface: Any) -> None:
        """Replaces its `post` by one that is noted."""
        post = surface.post

        def noted(delivery: Any) -> None:
            post(delivery)
            self.posted[delivery.question_id] = time.perf_counter()

        surface.post = noted


class _Noted:
    def __init__(self, questions: Any, on_log: dict[str, float]) -> None:
        self._questions, self._on_log = questions, on_log

    def __getattr__(self, name: str) -> Any:
        return getattr(self._questions, name)

    def ask(self, *words: Any, **named: Any) -> str:
        question_id = self._questions.ask(*words, **named)
        self._on_log[question_id] = time.perf_counter()
        return str(question_id)


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
    """So many people ask that often, with pauses of any length up to twice `pause` seconds; of each question its id,
    when it was sent, and when its answer was there."""

    def one(person: int) -> list[tuple[str, float, float]]:
        drawn, found = random.Random(person), []
        for number in range(each):
            time.sleep(drawn.uniform(0, 2 * pause))
            body = json.dumps({"question": QUESTION.format(person * 100 + number), "wait": 60}).encode()
            with closing(_connected(address)) as connection:
                sent = time.perf_counter()
                connection.request("POST", "/v1/ask", body, {"Content-Type": "application/json"})
                answer = connection.getresponse().read()
                found.append((json.loads(answer)["question_id"], sent, time.perf_counter()))
        return found

    with ThreadPoolExecutor(people) as pool:
        return [one for found in pool.map(one, range(people)) for one in found]


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
        body = json.dumps({"question": QUESTION.format(number), "wait": 0}).encode()
        with closing(_connected(address)) as connection:
            sent = time.perf_counter()
            connection.request("POST", "/v1/ask", body, {"Content-Type": "application/json"})
            named = json.loads(connection.getresponse().read())["question_id"]
            connection.request("GET", f"/v1/answers/{named}/events")
            connection.getresponse().readline()
            found.append(time.perf_counter() - sent)
    return found


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


def _connected(address: str) -> http.client.HTTPConnection:
    host, _, port = address.removeprefix("http://").partition(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=120)
    connection.connect()
    return connection


def in_process(report: Report, each: int) -> None:
    from homes.memory import folder_in_memory
    from http_scene.http_place import http_place

    watch, asked, answered = Watch(), list[float](), list[float]()
    with folder_in_memory() as folder, http_place(folder, changed=watch.over) as place, \
            ProcessPoolExecutor(1, get_context("spawn")) as clients, Processor() as processor:
        watch.surface(place.home.bench.ledger.surface)

        def called(work: Callable[..., Any], *words: Any) -> Any:
            return clients.submit(work, place.address, *words).result()

        called(together, 2, 2, 0.1)                     # the first of a process pays for its imports
        before_all = processor.spent()
        for question_id, sent, received in called(together, PEOPLE, each, PAUSE_S):
            asked.append(1000 * (watch.on_log[question_id] - sent))
            answered.append(1000 * (received - watch.posted[question_id]))
        computed = (processor.spent() - before_all) / len(asked)
        bare = [1000 * one for one in called(nothing_asked, 4 * PEOPLE)]
        stages = [1000 * one for one in called(first_stages, 10_000, PEOPLE)]
        answer = place.visitor().post("/v1/ask", {"question": QUESTION.format(1)}).json["id"]
        pages = {path: called(page_bytes, path) for path in ("/", f"/answers/{answer}", f"/answers/{answer}/trace")}
        pages["/operate/documents"] = called(page_bytes, "/operate/documents?source=docs", place.person("olga").headers)
    report.table(("figure", "size", "p50", "p95", "bound", "verdict"))
    own = [before + after for before, after in zip(asked, answered, strict=True)]
    people = f"{len(own)} questions of {PEOPLE} people"
    report.line("baseline: a request that asks nothing, ms", len(bare), f"{p50(bare):.1f}", f"{p95(bare):.1f}", "", "")
    for name, times in (("from the request to the log", asked), ("from the posted answer to the reader", answered)):
        report.line(f"{name}, ms", people, f"{p50(times):.1f}", f"{p95(times):.1f}", "", "")
    report.line("own time of a question, both together, ms", people, f"{p50(own):.1f}", f"{p95(own):.1f}", "10",
                checks=[p95(own) <= 10])
    report.line("processor time of HTTP's threads for a question, ms", people, f"{computed:.1f}", "", "", "mean")
    report.line("first event after the question, ms", len(stages), f"{p50(stages):.1f}", f"{p95(stages):.1f}", "100",
                checks=[p95(stages) <= 100])
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
    parser.add_argument("--each", type=int, default=4, help="questions of each person")
    parser.add_argument("--home", type=Path, help="with an index; starts vouch serve there")
    arguments = parser.parse_args()
    report = Report("HTTP")
    in_process(report, arguments.each)
    if arguments.home is not None:
        starting(report, arguments.home, 2)
    report.end()


if __name__ == "__main__":
    main()
