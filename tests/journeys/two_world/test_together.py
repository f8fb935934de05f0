"""Questions of several audiences share the passes of one model: what others may read changes no bit of an answer."""

import random
import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from homes.memory import folder_in_memory
from hypothesis import Phase, given, seed, settings
from running.soak_table import Figures
from two_world.answers import loop_components, observed_answer
from two_world.drawing import ALIKE, world_pairs
from two_world.worlds import Pair, Step, open_world

from vouch.adapters.models import encoder as encoders
from vouch.adapters.models.batching import ActiveRequests
from vouch.adapters.models.encoder import FixedShapeEncoder, load_encoder
from vouch.adapters.models.forward import Encoded, Vector, load_forward
from vouch.adapters.models.passes import Form
from vouch.adapters.models.scorers.cross_encoder import CrossEncoderReranker, load_cross_encoder
from vouch.adapters.models.scorers.judge import SHIPPED
from vouch.adapters.models.scorers.maxsim import MaxSimReranker
from vouch.learning.models.evaluator_model import load_evaluator

EVERYBODY = ("user:cy@acme.test",), ("user:bo@acme.test",), ("user:ana@acme.test",)
pytestmark = [pytest.mark.model, pytest.mark.slow, pytest.mark.usefixtures("quick_disk")]


@cache
def shipped_judge() -> CrossEncoderReranker:
    return load_cross_encoder(SHIPPED)


def answered_together(steps: tuple[Step, ...], pair: Pair, encoder: FixedShapeEncoder, company: ActiveRequests) -> Any:
    """The answer of the pair's audience, while others ask the same of the same models."""
    with folder_in_memory() as home:
        world = open_world(home, steps, encoder=encoder)
        encoder.forget()
        components = loop_components(world, encoder, MaxSimReranker(encoder), load_evaluator(), judge=shipped_judge())
        asked = [pair, *(replace(pair, tags=tags) for tags in EVERYBODY if tags != pair.tags)]
        begin = threading.Barrier(len(asked))
        answers: dict[int, Any] = {}

        def ask(number: int, question: Pair) -> None:
            with company.join():
                begin.wait()
                answers[number] = observed_answer(components, question)

        threads = [threading.Thread(target=ask, args=one) for one in enumerate(asked)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return answers[0]


def differs(pair: Pair, encoder: FixedShapeEncoder, company: ActiveRequests) -> bool:
    first, second = (answered_together(side, pair, encoder, company) for side in (pair.first, pair.second))
    return bool(first != second)


def test_what_others_may_read_changes_no_answer() -> None:
    company = ActiveRequests()
    encoder = load_encoder(active=company)

    @settings(ALIKE, max_examples=6)
    @given(world_pairs())
    def check(pair: Pair) -> None:
        assert not differs(pair, encoder, company)

    check()


@pytest.mark.soak
def test_two_hundred_pairs_asked_together(figures: Figures) -> None:
    company, number, pairs = ActiveRequests(), random.SystemRandom().randrange(10**6), []
    encoder = load_encoder(active=company)

    @seed(number)
    @settings(ALIKE, max_examples=200, derandomize=False)
    @given(world_pairs())
    def check(pair: Pair) -> None:
        assert not differs(pair, encoder, company)
        pairs.append(pair)

    check()
    figures("two worlds, asked together with others through one model", f"{len(pairs)} pairs, seed {number}",
            "0 differences")


def test_a_model_whose_numbers_are_rounded_by_its_company_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: numbers are stored in steps of the largest one in the pass, as quantised models may do it."""

    def rounded(vector: Vector, step: np.float32) -> Vector:
        return np.round(vector / step) * step

    def loads(*arguments: Any) -> Any:
        forward, dimensions = load_forward(*arguments)

        def planted(form: Form, texts: Sequence[Sequence[int]]) -> list[Encoded]:
            plain = forward(form, texts)
            step = np.float32(max(abs(text.tokens).max() for text in plain) / 127)
            return [Encoded(rounded(text.sentence, step), rounded(text.tokens, step)) for text in plain]

        return planted, dimensions

    monkeypatch.setattr(encoders, "load_forward", loads)
    company = ActiveRequests()
    planted = load_encoder(dtype="float32", active=company)
    found = []

    @settings(ALIKE, max_examples=30, phases=[Phase.generate])
    @given(world_pairs())
    def check(pair: Pair) -> None:
        if not found and differs(pair, planted, company):
            found.append(pair)

    check()
    assert found
