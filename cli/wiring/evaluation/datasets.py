"""What measures answers on public data sets, each over an index of its own."""

import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from cli.wiring.administration import home_folder
from cli.wiring.evaluation.served import Measured, by_recipe, saved
from cli.wiring.settings import command_settings
from cli.wiring.training.fitting import serving_of
from composition import models
from composition.model_registry.serving import Serving
from consumers.process import now
from consumers.questions.answerer import Answerer
from consumers.wiring.loop import kinds_of, loop_components
from flows.runs.evaluate import Everyone, ingested
from flows.shared.reporting import Progress
from flows.wiring.ingesting import build_temporary_components
from services.models.evaluation import Asker, Wanted
from vouch.adapters.analyser import porter
from vouch.adapters.data_files.public import BeirDocument, read_squad
from vouch.adapters.data_files.research_questions import (
    read_filing_questions,
    read_pages,
    read_paper_questions,
    read_papers,
)
from vouch.correction.components import Components
from vouch.filters import Filters
from vouch.learning.collections.asked import Asked
from vouch.learning.evaluation.financebench import financebench_figures
from vouch.learning.evaluation.qasper import PaperQuestion, qasper_figures
from vouch.learning.evaluation.squad import open_questions, paragraph_id, squad_figures
from vouch.settings import Settings


@dataclass(frozen=True)
class Corpus:
    """`components`: what it is answered with."""

    settings: Settings
    serving: Serving
    components: Components
    asker: Asker
    asker_with: Callable[[Components], Asker]

    def searched_by(self, settings: Settings) -> "Corpus":
        """The same, by the recipe of these settings."""
        components = replace(self.components, kinds=kinds_of(settings, self.serving))
        return replace(self, settings=settings, components=components, asker=self.asker_with(components))

    def ask(self, questions: Sequence[Wanted], progress: Progress) -> list[Asked]:
        """In their order."""
        found: list[Asked] = []
        progress("answer", 0, len(questions))
        for one in self.asker.ask(questions):
            found.append(one)
            progress("answer", len(found), len(questions))
        return found


@contextmanager
def open_corpus(documents: Sequence[BeirDocument], progress: Progress) -> Iterator[Corpus]:
    """Answered by the settings of the command; everybody may read all of it."""
    settings = command_settings()
    serving = serving_of(settings)
    with tempfile.TemporaryDirectory(prefix="evaluate-", dir=home_folder()) as folder:
        index = ingested(build_temporary_components(settings, Path(folder)), documents, progress)
        components = loop_components(settings, index, models.load_models(settings), serving)

        def asker_with(answering: Components) -> Asker:
            answerer = Answerer(Everyone(), index, lambda: answering, now)
            return Asker(answerer.answer, index, Everyone(), now, models.active_requests().join)

        yield Corpus(settings, serving, components, asker_with(components), asker_with)


T = TypeVar("T")


def evaluate_squad(file: Path, limit: int | None, seed: int, progress: Progress) -> Measured:
    """Figures of a file in the layout of SQuAD 2.0; each question is asked over all paragraphs."""
    readings = list(read_squad(file))
    questions = open_questions(readings, limit, seed)
    documents = [BeirDocument(paragraph_id(n), one.title, one.text) for n, one in enumerate(readings)]
    with open_corpus(documents, progress) as corpus:
        asked = corpus.ask([Wanted(one.id, one.text) for one in questions], progress)
        found = squad_figures(questions, asked)
        found["figures"] = {"paragraphs": len(readings), **found["figures"]}
        return saved("squad", file, found, corpus.settings, corpus.serving, seed)


def evaluate_qasper(
    papers: Path, questions: Path, limit: int | None, seed: int, progress: Progress, recipes: Sequence[str] = ()
) -> Measured:
    """Figures of questions on papers: each asked inside its own paper, and over all papers; by each of `recipes`, where
    some are named."""
    searched_by = by_recipe(command_settings(), recipes)
    documents = read_papers(papers)
    chosen = _drawn(read_paper_questions(questions, frozenset(paper.id for paper in documents)), limit, seed)
    with open_corpus(documents, progress) as corpus:
        figures: dict[str, Any] = {}
        if recipes:
            figures["recipes"] = {name: _of_papers(corpus.searched_by(settings), chosen, progress)
                                  for name, settings in searched_by.items()}
        else:
            figures |= _of_papers(corpus, chosen, progress)
        report = {"figures": {"papers": len(documents), **figures}}
        return saved("qasper", questions, report, corpus.settings, corpus.serving, seed)


def _of_papers(corpus: Corpus, chosen: Sequence[PaperQuestion], progress: Progress) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    for name, inside in (("own paper", True), ("all papers", False)):
        asked = corpus.ask([
            Wanted(one.id, one.text, filters=Filters(paths=(one.path,)) if inside else Filters()) for one in chosen
        ], progress)
        figures[name] = qasper_figures(chosen, asked, porter())
    return figures


def evaluate_financebench(pages: Path, questions: Path, limit: int | None, seed: int, progress: Progress) -> Measured:
    """Figures of questions on filings: each asked over all pages, and inside its own filing."""
    documents = read_pages(pages)
    chosen = _drawn(read_filing_questions(questions), limit, seed)
    with open_corpus(documents, progress) as corpus:
        figures = {}
        for name, inside in (("all filings", False), ("own filing", True)):
            asked = corpus.ask([
                Wanted(question.id, question.text, filters=Filters(paths=(question.filing,)) if inside else Filters())
                for question in chosen
            ], progress)
            figures[name] = financebench_figures(chosen, asked)
        report = {"figures": {"pages": len(documents), **figures}}
        return saved("financebench", questions, report, corpus.settings, corpus.serving, seed)


def _drawn(rows: Sequence[T], limit: int | None, seed: int) -> list[T]:
    """All of them, or so many in their order."""
    if limit is None or limit >= len(rows):
        return list(rows)
    drawn = random.Random(seed).sample(range(len(rows)), limit)  # noqa: S311 - a sample, no secret
    return [rows[place] for place in sorted(drawn)]
