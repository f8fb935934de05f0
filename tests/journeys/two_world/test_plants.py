"""Bugs planted one at a time, each of which the comparison of two homes must find."""

import logging
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from model_fakes.fusion_models import everything
from two_world import reading
from two_world.every_row import every_row
from two_world.playing import Different, play
from two_world.prompts import Chat

from bots import terminal
from consumers.questions.handler import QuestionHandler
from consumers.replies.sender import ReplySender
from indexers.search import visibility
from indexers.search.faiss_vectors import VectorIndex
from indexers.search.view import LiveView
from vouch.access import Permissions
from vouch.adapters.analyser import SnowballAnalyser
from vouch.adapters.language_model import writer
from vouch.errors import Denied
from vouch.learning.models.fusion_model import LearnedFusion
from vouch.retrieval.ranking import Ranking

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("quick_disk")]
Patch = pytest.MonkeyPatch
SEEDS = 12                              # histories that are tried; most are found in the first
Plant = Callable[[Patch], None]
QUIET = ("time_passes",)


def counted(patch: Patch) -> Callable[[], int]:
    """How many rows the last view left out."""
    hidden = [0]
    shown = LiveView.__init__

    def made(view: LiveView, version: Any, epoch: int, rows: Any, *others: Any) -> None:
        shown(view, version, epoch, rows, *others)
        hidden[0] = int(version.rows.live.sum()) - rows.count

    patch.setattr(LiveView, "__init__", made)
    return lambda: hidden[0]


def error_names_the_document(patch: Patch) -> None:
    find = LiveView._visible

    def visible(view: LiveView, chunk_id: str) -> int:
        chunk = view._version.chunks.find(chunk_id)
        if chunk is not None and not view.shows(chunk_id):
            raise Denied(f"{view._version.stored(view._document(chunk)).record.path} may not be read")
        return find(view, chunk_id)

    patch.setattr(LiveView, "_visible", visible)


def rendering_counts_what_is_hidden(patch: Patch) -> None:
    hidden, render = counted(patch), terminal.render
    patch.setattr(terminal, "render", lambda answer, width, **how: f"{render(answer, width, **how)}\n{hidden()} hidden")


def prompt_counts_what_is_hidden(patch: Patch) -> None:
    hidden, messages = counted(patch), writer.messages
    patch.setattr(writer, "messages", lambda question, *rest: messages(f"{question} ({hidden()})", *rest))


def sender_does_not_look_again(patch: Patch) -> None:
    patch.setattr(ReplySender, "_visible", lambda sender, row: True)


def labels_are_those_of_publication(patch: Patch) -> None:
    first: dict[Any, frozenset[str]] = {}
    granting = Permissions.granting

    def once(held: Permissions, source: str, path: str, narrowed: Any) -> Any:
        label = granting(held, source, path, narrowed)
        return type(label)(first.setdefault((source, path), label.allowed), narrowed)

    patch.setattr(Permissions, "granting", once)
    patch.setattr(Permissions, "_plain", lambda held, source, stand: held.granting(source, stand.path, stand.narrowed))


def labels_are_kept_by_version_number(patch: Patch) -> None:
    kept: dict[Any, Any] = {}
    label = visibility.Visibility._label

    def labeled(held: visibility.Visibility, version: Any, permissions: Permissions) -> Any:
        return kept.setdefault((held, version.number, permissions.epoch), label(held, version, permissions))

    patch.setattr(visibility.Visibility, "_label", labeled)


def many_rows_are_searched_before_they_are_filtered(patch: Patch) -> None:
    dense = LiveView.dense

    def searched(view: LiveView, vector: Any, top: int) -> Any:
        if len(view._version.rows.live) < 1_000:
            return dense(view, vector, top)
        hits = VectorIndex(view._version).search(vector, every_row(view._version), top)
        return [hit for hit in hits if view.shows(hit.chunk_id)]

    patch.setattr(LiveView, "dense", searched)


def a_learned_fusion_ranks(patch: Patch) -> None:
    """No bug: what the next one is planted into."""
    fusion = LearnedFusion(everything(), SnowballAnalyser())
    patch.setattr(reading, "Ranking", partial(Ranking, fusion=fusion))


def fusion_counts_hidden_rows(patch: Patch) -> None:
    """Its statistics of the question's terms, and nobody else's, are those of every row."""
    a_learned_fusion_ranks(patch)
    statistics, scores, ranks = LiveView.statistics, LearnedFusion.scores, [False]

    def counted_all(view: LiveView, terms: Any) -> Any:
        rows = every_row(view._version)
        return view._lexical.statistics(terms, rows) if ranks[0] else statistics(view, terms)

    def scored(fusion: LearnedFusion, *given: Any) -> list[float]:
        ranks[0] = True
        try:
            return scores(fusion, *given)
        finally:
            ranks[0] = False

    patch.setattr(LiveView, "statistics", counted_all)
    patch.setattr(LearnedFusion, "scores", scored)


def questions_are_logged(patch: Patch) -> None:
    handle = QuestionHandler.handle

    def told(handler: QuestionHandler, question: Any) -> None:
        logging.getLogger("vouch").info("asked: %s", question.text)
        handle(handler, question)

    patch.setattr(QuestionHandler, "handle", told)


GOES = ("ask", "close_folder", "sink", "sink", "ingest", "post")
CLOSES = ("close_folder", "close_folder", "close_folder", *["own_edit"] * 4, "own_ingest", "own_ingest")
PLANTS: dict[Plant, tuple[tuple[str, ...], int, str]] = {          # what happens, the first history, what is found
    error_names_the_document: (QUIET, 0, "passages"),
    rendering_counts_what_is_hidden: (QUIET, 0, "rendered"),
    prompt_counts_what_is_hidden: (QUIET, 0, "sent"),
    sender_does_not_look_again: (GOES, 8, "posted, though"),
    labels_are_those_of_publication: (CLOSES, 3, "answer"),
    labels_are_kept_by_version_number: (("purge_unseen",), 3, "after purge_unseen"),
    many_rows_are_searched_before_they_are_filtered: (("own_bulk", "own_ingest"), 0, "search"),
    questions_are_logged: (("ask",), 0, "logs or metrics"),
    fusion_counts_hidden_rows: (QUIET, 0, "search"),
}


@pytest.fixture(scope="module")
def chat() -> Iterator[Chat]:
    with Chat() as server:
        yield server


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.__name__)
def test_a_planted_bug_is_found(plant: Plant, memory_folder: Path, chat: Chat, monkeypatch: Patch) -> None:
    moves, first, words = PLANTS[plant]
    plant(monkeypatch)
    needs = chat if plant is prompt_counts_what_is_hidden else None
    with pytest.raises(Different, match=words):
        for dice in range(first, first + SEEDS):
            play(memory_folder, [(move, 100 * dice + n) for n, move in enumerate(moves)], chat=needs)


def test_a_learned_fusion_without_the_bug_is_not_found(memory_folder: Path, monkeypatch: Patch) -> None:
    """In the histories in which the one that counts hidden rows is found."""
    a_learned_fusion_ranks(monkeypatch)
    moves, first, _ = PLANTS[fusion_counts_hidden_rows]
    for dice in range(first, first + SEEDS):
        play(memory_folder, [(move, 100 * dice + n) for n, move in enumerate(moves)])
