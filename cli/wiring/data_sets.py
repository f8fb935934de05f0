"""What measures answers on public data sets, each over an index of its own."""

from pathlib import Path

from cli.wiring.corpora import open_corpus
from cli.wiring.evaluations import Measured, saved
from flows.shared.progress import Progress
from services.models.asker import Wanted
from vouch.adapters.datasets import BeirDocument, read_squad
from vouch.learning.evaluation.squad import open_questions, paragraph_id, squad_figures


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
