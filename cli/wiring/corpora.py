"""A corpus of a data set as vouch would serve it, in an index of its own that is deleted afterwards."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from cli.wiring.home import home_folder
from cli.wiring.learning import serving_of
from cli.wiring.settings import command_settings
from composition import models
from composition.serving import Serving
from consumers.process import now
from consumers.questions.answerer import Answerer
from consumers.wiring.loop import loop_components, recipes_of
from flows.runs.evaluate import Everyone, ingested
from flows.shared.progress import Progress
from flows.wiring import build_temporary_components
from services.models.asker import Asker, Wanted
from vouch.adapters.datasets import BeirDocument
from vouch.correction.components import Components
from vouch.learning.collections.asked import Asked
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
        components = replace(self.components, recipes=recipes_of(settings, self.serving))
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
    with tempfile.TemporaryDirectory(prefix="evaluate-", dir=home_folder()) as place:
        index = ingested(build_temporary_components(settings, Path(place)), documents, progress)
        components = loop_components(settings, index, models.load_models(settings), serving)

        def asker_with(answering: Components) -> Asker:
            answerer = Answerer(Everyone(), index, lambda: answering, now)
            return Asker(answerer.answer, index, Everyone(), now, models.company().join)

        yield Corpus(settings, serving, components, asker_with(components), asker_with)
