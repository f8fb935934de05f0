"""Pairs of worlds, drawn: hard ones, with hidden copies, rivals and detours."""

from dataclasses import replace

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from two_world.worlds import (
    AUDIENCES,
    DIRECTORY,
    FOLDERS,
    NARROWINGS,
    NOW,
    WORDS,
    Batch,
    Compaction,
    Detour,
    Pair,
    Paper,
    Purge,
    Step,
    hidden,
    written,
)

from vouch.access import Audience

ANEW = settings(                        # other pairs every time
    deadline=None, database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large],
)
ALIKE = settings(ANEW, derandomize=True)                # the same ones every time

_PASSAGES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)
_SECTIONS = st.lists(
    st.tuples(st.sampled_from(("Rules", "Travel", "People")), st.lists(_PASSAGES, min_size=1, max_size=3).map(tuple)),
    min_size=1,
    max_size=2,
).map(tuple)


@st.composite
def papers(draw: st.DrawFn) -> tuple[Paper, ...]:
    """Papers at different places; some share sections or are copies of each other, so that scores tie."""
    count = draw(st.integers(2, 8))
    stock = draw(st.lists(_SECTIONS, min_size=1, max_size=count))
    return tuple(
        Paper(f"{draw(st.sampled_from(FOLDERS))}/{n}.md", draw(st.sampled_from(stock)),
              draw(st.sampled_from(NARROWINGS)))
        for n in range(count)
    )


@st.composite
def world_pairs(draw: st.DrawFn) -> Pair:
    tags = tuple(draw(st.sampled_from(AUDIENCES)))
    audience = DIRECTORY.audience(tags, NOW)
    question = draw(_PASSAGES)
    drawn = draw(papers())
    seen = [paper for paper in drawn if not hidden(paper, audience)]
    unseen = [paper for paper in drawn if hidden(paper, audience)]
    others = draw(_other_hidden(unseen, seen, audience))
    if draw(st.sampled_from((True, True, True, False))):    # a hidden paper that would come out on top
        others = [*others, *_rivals(question, audience)]
    first = draw(_histories(seen, unseen, audience))
    second = draw(_histories(seen, others, audience))
    return Pair(tags, question, first, second) if draw(st.booleans()) else Pair(tags, question, second, first)


def _rivals(question: str, audience: Audience) -> list[Paper]:
    sections = (("Rules", (question, question)), ("Travel", (f"{question} {question}", question)))
    rivals = [Paper(f"{folder}/rival.md", sections) for folder in FOLDERS]
    return [rival for rival in rivals if hidden(rival, audience)][:1]


@st.composite
def _other_hidden(draw: st.DrawFn, unseen: list[Paper], seen: list[Paper], audience: Audience) -> list[Paper]:
    """The hidden papers of the other world: kept, changed, renamed, dropped and new ones."""
    kept: list[Paper] = []
    for n, paper in enumerate(unseen):
        fate = draw(st.sampled_from(("keep", "change", "rename", "drop")))
        moved = replace(paper, path=f"{paper.path[:-3]}-moved{n}.md")
        changed = replace(paper, sections=draw(_SECTIONS))
        kept += {"keep": [paper], "change": [changed], "rename": [moved], "drop": []}[fate]
    stock = [paper.sections for paper in seen] or [(("Rules", ("budget",)),)]
    for n in range(draw(st.integers(0, 3))):                # copies of what is visible, in hidden places
        paper = Paper(f"{draw(st.sampled_from(FOLDERS))}/new{n}.md", draw(st.sampled_from(stock) | _SECTIONS),
                      draw(st.sampled_from(NARROWINGS)))
        if hidden(paper, audience):
            kept.append(paper)
    return kept


@st.composite
def _histories(draw: st.DrawFn, seen: list[Paper], unseen: list[Paper], audience: Audience) -> tuple[Step, ...]:
    """Some publishes that end in `seen` and `unseen`, with compactions and detours between them.

    Papers may be edited on the way or come from hidden places.
    """
    batches = draw(_publishes(seen, unseen))
    steps: list[Step] = []
    for batch in batches:
        steps.append(batch)
        kind = draw(st.sampled_from(("", "", "", "compaction", "detour", "purge")))
        if kind == "compaction":
            steps.append(Compaction())
        elif kind == "detour":
            steps.append(Detour(draw(_astray(written(steps)))))
        elif kind == "purge":
            secret = Paper(f"board/purged{len(steps)}.md", draw(_SECTIONS), frozenset({"group:nobody"}))
            steps += [Batch((secret,)), Purge(secret.path)]
    return tuple(steps)


@st.composite
def _astray(draw: st.DrawFn, there: list[Paper]) -> Batch:
    """A batch to be regretted: edits, removals and new papers, hidden and visible alike."""
    edited = tuple(replace(paper, sections=draw(_SECTIONS)) for paper in there if draw(st.booleans()))
    new = Paper(f"{draw(st.sampled_from(FOLDERS))}/astray.md", draw(_SECTIONS))
    places = {paper.path for paper in edited}
    gone = tuple({paper.path for paper in there if paper.path not in places and draw(st.booleans())})
    return Batch((*{paper.path: paper for paper in edited}.values(), new), {}, gone)


@st.composite
def _publishes(draw: st.DrawFn, seen: list[Paper], unseen: list[Paper]) -> tuple[Batch, ...]:
    count = draw(st.integers(1, 4))
    put: list[list[Paper]] = [[] for _ in range(count)]
    moved: list[dict[str, str]] = [{} for _ in range(count)]
    removed: list[list[str]] = [[] for _ in range(count)]
    for n, paper in enumerate([*seen, *unseen]):
        last = draw(st.integers(0, count - 1))
        put[last].append(paper)
        if last and draw(st.booleans()):
            before = replace(paper, path=f"board/before{n}.md", narrowed=frozenset({"group:nobody"}))
            edited = replace(paper, sections=draw(_SECTIONS))
            old = draw(st.sampled_from((before, edited)))
            put[draw(st.integers(0, last - 1))].append(old)
            if old.path != paper.path:
                moved[last][paper.path] = old.path
    if count > 1 and draw(st.booleans()):                   # a hidden paper that comes and goes
        passing = Paper("board/passing.md", draw(_SECTIONS), frozenset({"group:nobody"}))
        put[0].append(passing)
        removed[-1].append(passing.path)
    return tuple(Batch(tuple(w), m, tuple(r)) for w, m, r in zip(put, moved, removed, strict=True))
