"""The tools of a step. What they find is data: ids and scores, whose words are read again before anything uses them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from vouch.answering.answer import ToolName
from vouch.correction.components import Components, QuestionKind
from vouch.correction.planning.order import Args, OpenArgs, RagArgs
from vouch.errors import Usage
from vouch.filters import Filters
from vouch.ports.index import View
from vouch.retrieval.question.query import form_query
from vouch.retrieval.ranking import USUAL, rank
from vouch.values.candidate import Candidate, Passage
from vouch.values.question import Query, Question

AROUND = 2                              # neighbors on each side of an opened passage
MOST_FOUND = 10_000                     # candidates that a tool may give; a ranking has less than a quarter of them
MOST_OPENED = 200                       # passages of an opened document that are looked through


@dataclass(frozen=True, slots=True)
class Bench:
    """What the steps of one question work with: its readers' view, pinned when the question was begun."""

    question: Question
    query: Query
    view: View
    kind: QuestionKind
    components: Components


@dataclass(frozen=True, slots=True)
class ToolFound:
    """`candidates` best first; `fused` is what they were ranked among."""

    candidates: tuple[Candidate, ...]
    fused: tuple[Candidate, ...] = ()


Tool = Callable[[Bench, Args], ToolFound]


def checked(found: object) -> ToolFound:
    """What a tool gave, read once and no further than it may go. Raises Usage for what is no such list of candidates.

    To be called where the tool's time counts: what it gave may be code of its own.
    """
    if not isinstance(found, ToolFound):
        raise Usage("a tool gave what is no list of candidates")
    return ToolFound(_candidates(found.candidates), _candidates(found.fused))


def _candidates(given: object) -> tuple[Candidate, ...]:
    if not isinstance(given, Iterable):
        raise Usage("a tool gave what is no list of candidates")
    read = tuple(islice(given, MOST_FOUND + 1))
    if len(read) > MOST_FOUND:
        raise Usage(f"a tool gave more than {MOST_FOUND} candidates")
    if not all(_is_candidate(one) for one in read):
        raise Usage("a tool gave what is no candidate")
    return read


def _is_candidate(one: object) -> bool:
    return isinstance(one, Candidate) and isinstance(one.passage, Passage) and isinstance(one.chunk_id, str)


def search(bench: Bench, args: Args) -> ToolFound:
    """The same ranking as of any question, for the same readers: in the usual steps, whatever the kind, since the
    query says itself what is to be searched for."""
    if not isinstance(args, RagArgs):
        raise Usage("a search needs a query")
    c, how = bench.components, replace(bench.kind.ranking, steps=USUAL)
    filters = _narrowed(bench.question.filters, args)
    view = bench.view if filters is None else bench.view.narrowed(filters)
    ranked = rank(view, form_query(args.query, c.analyser), c.ranking_models, how)
    return ToolFound(tuple(ranked.candidates[: how.rerank]), tuple(ranked.fused))


def open_found(bench: Bench, args: Args) -> ToolFound:
    """The passage and what stands around it; or the beginning of the document, or of the section that is named."""
    if not isinstance(args, OpenArgs):
        raise Usage("nothing is named to be opened")
    if args.chunk is not None:
        [passage] = bench.view.passages([args.chunk])
        ids = [passage.chunk_id, *bench.view.around(passage.chunk_id, AROUND, AROUND)]
        return ToolFound(tuple(Candidate(opened) for opened in bench.view.passages(ids)))
    source, _, path = (args.document or "").partition(":")
    passages = bench.view.passages(bench.view.of_document(source, path)[:MOST_OPENED])
    inside = [opened for opened in passages if args.section is None or _in_section(opened, args.section)]
    return ToolFound(tuple(Candidate(opened) for opened in inside))


def _in_section(passage: Passage, named: str) -> bool:
    """A heading above it has all of these words, in their order."""
    wanted = f" {' '.join(named.casefold().split())} "
    return any(wanted in f" {' '.join(heading.casefold().split())} " for heading in passage.section)


TOOLS: Mapping[ToolName, Tool] = {"rag": search, "open": open_found}


def _narrowed(filters: Filters, args: RagArgs) -> Filters | None:
    """What the call leaves of what the question's own filters leave; None where it has none."""
    if args.source is None and args.path is None and args.after is None:
        return None
    if args.path is not None and filters.paths:
        raise Usage("the question names paths of its own", cure="leave out path")
    sources = None if args.source is None else (args.source,)
    return Filters(sources=sources, paths=(args.path,) if args.path else (), after=args.after)
