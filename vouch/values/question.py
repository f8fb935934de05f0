"""A question as it was asked, and as it is searched for."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from vouch.access import Audience
from vouch.filters import EVERYTHING, Filters
from vouch.values.made_by import is_by_rules


@dataclass(frozen=True, slots=True)
class Question:
    """One question by one audience. `resolve`, where given, looks the audience up anew: memberships change.

    `surface` is where it was asked, empty where that is not known; its words may leave the company if `outside`.
    `filters` say which of the documents may answer it.
    `understood_as` is what a follow-up stands for, in words of questions alone (retrieval/question/follow_up.py), and
    `understood_from` are the ids of the earlier ones.
    `searched_as` is searched for instead, where something made it of these and of titles of passages, whose chunks are
    `titles_of`; it is for nobody who may not read them. `understood_by`: what completed it, rules or a model.
    `steps`: how many further ones may be taken; not `steps_by_default`: its asker wants them.
    """

    id: str
    text: str
    audience: Audience
    asked_at: datetime
    resolve: Callable[[], Audience] | None = None
    surface: str = ""
    outside: bool = True
    understood_as: str = ""
    searched_as: str = ""
    titles_of: tuple[str, ...] = ()
    understood_by: str = ""
    understood_from: tuple[str, ...] = ()
    filters: Filters = EVERYTHING
    steps: int = 0
    steps_by_default: bool = False

    @property
    def whole(self) -> str:
        return self.searched_as or self.in_words_of_questions

    @property
    def is_one(self) -> bool:
        """Whether it is one question: by rules a follow-up is completed with earlier ones, which have been answered."""
        return not self.understood_as or not is_by_rules(self.understood_by)

    @property
    def in_words_of_questions(self) -> str:
        """Without a word of a title: what may be asked elsewhere, of the web or by other people."""
        return self.understood_as or self.text

    def current_audience(self) -> Audience:
        return self.resolve() if self.resolve is not None else self.audience


@dataclass(frozen=True, slots=True)
class Query:
    text: str                           # one line, without invisible characters
    terms: tuple[str, ...]              # of the analyser, in order, repeats kept
    lists: bool = False                 # wants everything there is, not the best few
