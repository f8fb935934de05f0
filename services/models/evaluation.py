"""Asks questions with known answers as people would ask them, and grades what they would be shown."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from services.models.asker import Asker, Wanted
from vouch.access import PUBLIC, Directory
from vouch.access_check.names import expired, unknown
from vouch.errors import NotFound
from vouch.learning.collections.asked import Asked
from vouch.learning.collections.golden import GoldenQuestion, Graded, grade


def check_reader(directory: Directory, tag: str) -> None:
    """Raises NotFound for a reader nobody knows, or whose time is over."""
    told, gone = unknown(directory, tag), expired(directory, tag)
    if told or gone:
        raise NotFound(told or f"{tag} {gone}", cure="name a reader of the directory: --reader CORPUS=TAG")


@dataclass(frozen=True)
class AnswerEvaluation:
    """Over the version that is served, through the code that answers people. Nothing is stored or sent."""

    asker: Asker

    def run(
        self, questions: Sequence[GoldenQuestion], readers: Mapping[str, str]
    ) -> Iterator[tuple[Graded, Asked]]:
        """Each question with its grade and with what it was answered from, in their order.

        `readers`: by corpus the tag that its questions are asked as; whom a
        question names asks it where its corpus has none, and the public the
        others. Raises NotFound for a reader nobody knows.
        """
        wanted = [Wanted(one.id, one.text, readers.get(one.corpus) or one.reader or PUBLIC) for one in questions]
        directory = self.asker.permissions.permissions().directory
        for tag in dict.fromkeys([*readers.values(), *(one.tag for one in wanted)]):
            check_reader(directory, tag)
        for question, asked in zip(questions, self.asker.ask(wanted), strict=True):
            yield grade(question, asked.answer), asked
