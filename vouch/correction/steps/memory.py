"""What is known so far, and the short view of it that a planner gets."""

from collections.abc import Callable, Sequence

from vouch.correction.planning.order import End, OpenArgs, RagArgs, document_name
from vouch.correction.planning.parts import Part
from vouch.correction.steps.bridges import LONGEST
from vouch.correction.steps.links import lacked
from vouch.correction.steps.trajectory import OrderedBy, OrderSaid, PartFound, StepTaken
from vouch.documents.chunk import plain
from vouch.errors import TimedOut
from vouch.ports.language import PartSeen, Seen, Situation
from vouch.ports.models import Analyse
from vouch.values.candidate import Candidate, Passage

MOST_SEEN, MOST_LABELS = 6, 8
MOST_READ, MOST_LACKED = 100, 12        # words of a part
LONGEST_LABEL = 80


Words = Callable[[Passage], tuple[str, ...]]
"""Names and rare words of a passage that the question does not hold."""


class Memory:
    """One question's. `first` are the candidates of its first search, judged for all of its words."""

    def __init__(
        self, question: str, parts: Sequence[Part], first: Sequence[Candidate], enough: float, analyse: Analyse,
        words: Words, follows: bool = False,
    ) -> None:  # fmt: skip
        self._question, self._parts, self._enough, self._analyse, self._words = question, parts, enough, analyse, words
        self._follows, self._several = follows, sum(part.wanted for part in parts) > 1
        self._followed: set[str] = set()        # parts for which a name that was found has been followed
        self._likely: dict[str, dict[str, float]] = {part.text: {} for part in parts}
        self._bridges: dict[str, tuple[str, ...]] = {}
        self._labels: list[str] = []
        self.tried = {question}
        self.lists: list[list[Candidate]] = []
        self.fused: list[Candidate] = []
        self.calls: list[str] = []
        self.made: set[str] = set()     # calls that may not be made again
        self.steps: list[StepTaken] = []
        self.orders: list[OrderSaid] = []
        self.shown: set[str] = set()    # passages that a planner was told of which may use any word of them
        self._learn(question, first)

    @property
    def wanted(self) -> str:
        """The words of the first part that is not covered, or of the question."""
        return next((p.text for p in self.parts if p.wanted and not self._is_covered(p)), self._question)

    @property
    def covered(self) -> bool:
        return all(self._is_covered(part) for part in self.parts if part.wanted)

    def _is_covered(self, part: PartFound) -> bool:
        """A chain only once a name that was found has been followed: its first link alone looks like an answer.

        So it is with any question, where its actor says so.
        """
        followed = part.text in self._followed if part.by_words else bool(self._followed) or not self._follows
        return part.best >= self._enough and followed

    @property
    def parts(self) -> tuple[PartFound, ...]:
        return tuple(
            PartFound(p.text, p.wanted, self._likely[p.text], p.text in self.tried, p.chain) for p in self._parts
        )

    @property
    def known(self) -> set[str]:
        return {one.chunk_id for found in self.lists for one in found}

    @property
    def opened(self) -> set[str]:
        """Passages that led to others by being opened, or by their document being."""
        done = [step.args for step in self.steps if isinstance(step.args, OpenArgs) and not step.error]
        documents = {args.document for args in done}
        return {one for args in done if (one := args.chunk)} | {
            one.chunk_id for found in self.lists for one in found if document_name(one.passage) in documents}

    def was_found(self, args: OpenArgs) -> bool:
        if args.chunk is not None:
            return args.chunk in self.known
        return any(document_name(one.passage) == args.document for found in self.lists for one in found)

    def part_of(self, query: str) -> str:
        """What the query's finds are judged for: the wanted part that it is, or has most words of; of equals the one
        that is searched for, then the longest. What is open where it has words of none."""
        asked, open_part = set(self._analyse(query)), self.wanted

        def share(part: Part) -> tuple[bool, int, bool, int]:
            terms = set(self._analyse(part.text))
            return part.text == query, len(terms & asked), part.text == open_part, len(terms)

        nearest = max((part for part in self._parts if part.wanted), key=share)
        return nearest.text if share(nearest)[1] else open_part

    def words_of(self, query: str) -> tuple[str, ...]:
        """Passages found so far that words of the query stand in which the question does not hold."""
        new = set(self._analyse(query)) - set(self._analyse(self._question))
        return tuple(name for name, words in self._bridges.items() if new & set(self._analyse(" ".join(words))))

    def add(self, step: StepTaken, name: str, fused: Sequence[Candidate]) -> None:
        self.steps.append(step)
        self.calls.append(name)
        if step.error != TimedOut.__name__:
            self.made.add(name)
        query = step.args.query if isinstance(step.args, RagArgs) else ""
        self.fused += fused
        if step.error:
            return
        about, asked = (self.part_of(query) if query else self.wanted), set(self._analyse(query))
        self.tried.update(part.text for part in self._parts if part.text == query or (part.text == about and (
            not query or not asked.isdisjoint(self._analyse(about)))))
        if step.words_of and step.found:
            self._followed.add(about)
        self._learn(about, step.found)

    def fail(self, label: str) -> None:
        self._labels.append(label[:LONGEST_LABEL])

    def no_step(
        self, by: OrderedBy, *, thought: str = "", error: str = "", problem: str = "", ends: End = ""
    ) -> None:
        """An order that cannot be used, or that ends the search."""
        self.orders.append(OrderSaid(len(self.steps) + 1, by, thought, error, problem, ends))
        if error:
            self.fail(f"{by.name}: {error}")

    def situation(self, most: int) -> Situation:
        nearest = [found[place] for place in range(MOST_SEEN) for found in self.lists if place < len(found)]
        likely = self._likely[self.wanted] if self._several else {}
        nearest.sort(key=lambda one: -likely.get(one.chunk_id, 0.0))
        seen = list({one.chunk_id: one for one in nearest}.values())[:MOST_SEEN]
        return Situation(
            question=self._question,
            parts=[PartSeen(p.text, self._is_covered(p), p.tried, p.wanted) for p in self.parts],
            seen=[self._seen(one) for one in seen], calls=tuple(self.calls),
            failures=tuple(self._labels[-MOST_LABELS:]), left=most - len(self.steps),
        )

    def _seen(self, one: Candidate) -> Seen:
        title = one.passage.title[:LONGEST]
        return Seen(one.chunk_id, title, round(one.probability or 0.0, 3), self._bridge(one), self._lacks(one.passage),
                    document_name(one.passage))

    def _lacks(self, passage: Passage) -> tuple[str, ...]:
        held = set(self._analyse("\n".join((passage.title, *passage.section, plain(passage.text)))))
        words = lacked(self.wanted.split()[:MOST_READ], held, self._analyse)
        return tuple(word[:LONGEST_LABEL] for word in words[:MOST_LACKED])

    def _bridge(self, one: Candidate) -> tuple[str, ...]:
        if one.chunk_id not in self._bridges:
            self._bridges[one.chunk_id] = self._words(one.passage)
        return self._bridges[one.chunk_id]

    def _learn(self, part: str, found: Sequence[Candidate]) -> None:
        self.lists.append(list(found))
        likely = self._likely.setdefault(part, {})
        for one in found:
            likely[one.chunk_id] = max(likely.get(one.chunk_id, 0.0), one.probability or 0.0)
