"""Texts of concurrent callers share passes; a lone caller waits for nobody; no text sees its neighbors."""

import threading
import time
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from vouch.adapters.models.batching import LINGER, ActiveRequests, Batcher
from vouch.adapters.models.forward import Encoded
from vouch.adapters.models.passes import Form, Shapes
from vouch.errors import ModelDown

SHAPES = Shapes((Form(9, 64, True), Form(65, 160, True)))
Inputs = Sequence[Sequence[int]]


class Model:
    """Slow, and notes its passes; a text's vectors are its ids. While `go` is not set a pass does not end."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.passes: list[tuple[Form, list[tuple[int, ...]]]] = []
        self.seconds = seconds
        self.at_once = 0
        self.go = threading.Event()
        self.go.set()

    def __call__(self, form: Form, inputs: Inputs) -> list[Encoded]:
        self.at_once += 1
        assert self.at_once == 1
        time.sleep(self.seconds)
        self.go.wait(30)
        self.passes.append((form, [tuple(one) for one in inputs]))
        self.at_once -= 1
        return [Encoded(np.array(one[:1], np.float32), np.array(one, np.float32)[:, None]) for one in inputs]


def texts(number: int, count: int, length: int) -> list[list[int]]:
    return [[number, n] + [7] * (length - 2) for n in range(count)]


def together(company: ActiveRequests, jobs: Sequence[Callable[[], None]]) -> None:
    """Runs the jobs as members of the company that have all joined before the first begins."""
    everybody = threading.Barrier(len(jobs))
    failed: list[BaseException] = []

    def member(job: Callable[[], None]) -> None:
        with company.join():
            everybody.wait()
            try:
                job()
            except BaseException as error:
                failed.append(error)

    threads = [threading.Thread(target=member, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not any(thread.is_alive() for thread in threads)
    if failed:
        raise failed[0]


def right(batcher: Batcher, inputs: Inputs) -> None:
    for one, found in zip(inputs, batcher.encode(inputs), strict=True):
        assert found.tokens[:, 0].tolist() == [float(n) for n in one]


def passes_until_done(batcher: Batcher, model: Model, company: ActiveRequests, inputs: Inputs) -> int:
    """How many passes a question waits for, from when its texts are in the queue to the last that holds one of them."""
    model.go.clear()

    def ask() -> None:
        with company.join():
            right(batcher, inputs)

    thread, mine = threading.Thread(target=ask), {tuple(one) for one in inputs}
    thread.start()
    while not batcher._waiting:
        time.sleep(0.001)
    before = len(model.passes)
    model.go.set()
    thread.join(30)
    return 1 + max(n for n, (_, held) in enumerate(model.passes) if mine & set(held)) - before


def test_each_caller_gets_its_own_and_no_pass_is_filled_beyond_its_room() -> None:
    model, company = Model(0.001), ActiveRequests()
    batcher = Batcher(model, SHAPES, company)
    together(company, [
        lambda n=n: [right(batcher, texts(n, 1 + n % 5, 2 + (7 * n + 11 * r) % 60)) for r in range(5)]
        for n in range(16)
    ])
    for form, inputs in model.passes:
        assert 0 < sum(map(len, inputs)) <= form.room
        assert all(SHAPES.place(len(one)) == form for one in inputs)
    assert batcher.passes == len(model.passes)
    asked = {tuple(one) for n in range(16) for r in range(5) for one in texts(n, 1 + n % 5, 2 + (7 * n + 11 * r) % 60)}
    assert {one for _, inputs in model.passes for one in inputs} == asked


def test_sixteen_together_need_a_quarter_of_the_passes_of_sixteen_apart() -> None:
    def question(batcher: Batcher, n: int) -> None:
        for stage, (count, length) in enumerate([(1, 5), (3, 14), (2, 15), (1, 20)]):
            right(batcher, [[n, stage, *one] for one in texts(n, count, length)])

    apart = Batcher(Model(), SHAPES)
    for n in range(16):
        question(apart, n)
    company = ActiveRequests()
    held = Batcher(Model(0.01), SHAPES, company)
    together(company, [lambda n=n: question(held, n) for n in range(16)])
    assert apart.passes == 64 and held.passes <= 16


def test_a_pass_that_is_not_full_waits_for_whom_a_model_before_it_will_let_go() -> None:
    """Each first needs a slow model that takes them by twos, and then one that has room for all."""
    company = ActiveRequests()
    first = Batcher(Model(0.04), Shapes((Form(64, 2, packed=False),)), company, ahead=True)
    then = Batcher(model := Model(0.05), SHAPES, company)
    right(then, texts(9, 1, 5))                 # so that it knows how long a pass takes

    def question(n: int) -> None:
        right(first, texts(n, 1, 5))
        right(then, texts(100 + n, 1, 5))

    together(company, [lambda n=n: question(n) for n in range(8)])
    assert first.passes >= 4 and company.ahead == 0
    assert len(model.passes) <= 1 + 2           # else each two of them would have had a pass of their own


@pytest.mark.slow
def test_a_lone_caller_never_waits_for_others() -> None:
    batcher = Batcher(Model(0.2), SHAPES, company := ActiveRequests())
    right(batcher, texts(1, 1, 5))
    took = []
    with company.join():
        for n in range(4):
            started = time.monotonic()
            right(batcher, texts(n, 1, 5))
            took.append(time.monotonic() - started)
    assert min(took) < 0.2 * (1 + LINGER / 2)


@pytest.mark.slow
def test_who_is_not_yet_at_the_model_is_waited_for_a_moment_and_no_longer() -> None:
    batcher = Batcher(model := Model(0.5), SHAPES, company := ActiveRequests())
    right(batcher, texts(9, 1, 5))

    def after(seconds: float, number: int) -> None:
        time.sleep(seconds)
        right(batcher, texts(number, 1, 5))

    together(company, [lambda: after(0, 1), lambda: after(0.5 * LINGER / 5, 2), lambda: after(0.5, 3)])
    assert [len(inputs) for _, inputs in model.passes] == [1, 2, 1]


def test_equal_texts_asked_at_once_are_computed_once() -> None:
    batcher = Batcher(model := Model(0.3), SHAPES, company := ActiveRequests())
    together(company, [lambda: right(batcher, texts(1, 3, 20))] * 8)
    assert sum(len(inputs) for _, inputs in model.passes) == 3


def test_a_few_odd_texts_are_not_starved_by_fuller_passes() -> None:
    batcher, company, done = Batcher(Model(0.005), SHAPES, company := ActiveRequests()), company, threading.Event()

    def flood(n: int) -> None:
        until, r = time.monotonic() + 10, 0
        while not done.is_set() and time.monotonic() < until:
            right(batcher, [[n, r, *one] for one in texts(n, 5, 30)])
            r += 1

    def odd() -> None:
        time.sleep(0.05)
        right(batcher, texts(99, 1, 5))
        done.set()

    started = time.monotonic()
    together(company, [*(lambda n=n: flood(n) for n in range(6)), odd])
    assert time.monotonic() - started < 5


def test_a_failure_reaches_those_who_asked_and_nobody_else() -> None:
    def model(form: Form, inputs: Inputs) -> list[Encoded]:
        if any(one[0] == 13 for one in inputs):
            raise ModelDown("no memory")
        return Model()(form, inputs)

    batcher = Batcher(model, SHAPES)
    with pytest.raises(ModelDown, match="no memory"):
        batcher.encode(texts(13, 1, 5))
    right(batcher, texts(13 + 1, 1, 5))
    assert batcher.encode([]) == []


@pytest.mark.slow
def test_a_question_goes_before_an_ingest_and_the_ingest_goes_on() -> None:
    model, company = Model(0.002), ActiveRequests()
    batcher = Batcher(model, SHAPES, company)
    many, begun, ended = texts(99, 400, 50), threading.Event(), threading.Event()

    def ingest() -> None:
        begun.set()
        right(batcher, many)
        ended.set()

    thread = threading.Thread(target=ingest)
    thread.start()
    begun.wait(10)
    while not model.passes:
        time.sleep(0.001)
    for n in range(5):
        waited = passes_until_done(batcher, model, company, [*texts(n, 1, 5), *texts(n, 3, 40)])
        assert waited <= 4          # the one that ran, one of each form, and one more
    asked = len(model.passes)

    def asks(n: int) -> None:
        while not ended.is_set():
            right(batcher, texts(n, 3, 40))

    together(company, [lambda n=n: asks(n) for n in range(4)])
    thread.join(30)
    assert ended.is_set() and any(one[0] == 99 for _, held in model.passes[asked:] for one in held)


def test_a_text_of_an_ingest_that_is_asked_for_goes_forward() -> None:
    model, company = Model(0.002), ActiveRequests()
    batcher, many = Batcher(model, SHAPES, company), texts(99, 300, 50)
    thread = threading.Thread(target=right, args=(batcher, many))
    thread.start()
    while not model.passes:
        time.sleep(0.001)
    assert passes_until_done(batcher, model, company, [many[-1]]) <= 3
    thread.join(30)
    assert sum(len(inputs) for _, inputs in model.passes) == len(many)


def test_no_form_of_texts_that_nobody_waits_for_is_starved() -> None:
    """A short text of an ingest beside a long ingest and long questions without end."""
    model, company, ended = Model(0.001), ActiveRequests(), threading.Event()
    batcher, short = Batcher(model, SHAPES, company), texts(77, 1, 5)

    def until_ended(job: Callable[[int], None]) -> None:
        for n in range(10_000):
            if ended.is_set():
                return
            job(n)

    def asks(n: int) -> None:
        with company.join():
            right(batcher, texts(n, 3, 50))

    threads = [threading.Thread(target=until_ended, args=(job,)) for job in (
        lambda n: right(batcher, texts(20_000 + n, 20, 50)), asks, lambda n: asks(40_000 + n))]
    for thread in threads:
        thread.start()
    while len(model.passes) < 5:
        time.sleep(0.001)
    before = batcher.passes
    right(batcher, short)
    waited = batcher.passes - before
    ended.set()
    for thread in threads:
        thread.join(30)
    assert waited <= 60 and not any(thread.is_alive() for thread in threads)
