"""How a passage to judge is laid out for a person, and what each key says."""

from collections.abc import Iterator, Sequence

from bots.wrapping import Line, wrap
from cli.output import FLAGGED
from services.labeling.label_walk import Step
from vouch.retrieval.candidate import Passage

GRADES = {"0": "not relevant", "1": "related", "2": "relevant", "3": "answers it"}
KEYS = (", ".join(f"{key} {said}" for key, said in GRADES.items()), "s skip, b back, u undo, h help, q quit")
HELP = (
    "0 not relevant  it says nothing about the question",
    "1 related       the same subject, and no part of the answer",
    "2 relevant      a part of the answer",
    "3 answers it    who reads it needs nothing else",
    "s skip          it comes again another time",
    "b back          to the passage before, to judge it anew",
    "u undo          takes back your last judgment, and shows its passage again",
    "q quit          each judgment is saved already; the next time goes on from here",
)
_BESIDE = 160                           # characters of each neighbor


def page(step: Step, judged: int, room: int) -> list[Line]:
    """The passage between its neighbors, its place, its question and the keys, in lines of `room` cells."""
    shown, passage = step.shown, step.shown.passage
    before, after = beside(step)
    told = f"question {step.question} of {step.questions}, passage {step.place} of {step.places}, {judged} judged"
    lines = [Line(""), Line("─" * min(room, 80), "faint"), *(Line(line, "faint") for line in wrap(told, room))]
    lines += [Line(line, "strong") for line in wrap(shown.question.text, room)]
    lines += [Line(line, "faint") for line in wrap(_place(passage), room, rest="  ", part_words=True)]
    if passage.injection:
        lines += [Line(line, "warning") for line in wrap(FLAGGED, room)]
    lines += [Line("")]
    lines += [Line(line, "faint") for line in _set_in([f"… {before}"] if before else [], "    ", room)]
    lines += [Line(line) for line in _set_in(passage.text.splitlines(), "  │ ", room)]
    lines += [Line(line, "faint") for line in _set_in([f"{after} …"] if after else [], "    ", room)]
    former = "" if step.former is None else f"  (you said {step.former} {GRADES[str(step.former)]})"
    keys = (KEYS[0] + former, KEYS[1])
    return [*lines, Line(""), *(Line(line) for told in keys for line in wrap(told, room))]


def beside(step: Step) -> tuple[str, str]:
    """The end of the passage before, and the beginning of the one after, in whole words."""
    before, after = step.shown.before, step.shown.after
    return (_end(before.text) if before else "", _end(after.text[::-1])[::-1] if after else "")


def _end(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _BESIDE else words[-_BESIDE:].partition(" ")[2]


def _place(passage: Passage) -> str:
    parts = (f"{passage.source}:{passage.path}", passage.title, " > ".join(passage.section), passage.where)
    return "  ".join(filter(None, parts))


def _set_in(lines: Sequence[str], margin: str, room: int) -> Iterator[str]:
    for line in lines:
        yield from wrap(line, room, margin, margin, part_words=True)
