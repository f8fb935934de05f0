"""A person judges passage by passage: what each key does, and the page they see."""

import sys
from collections.abc import Iterator, Sequence
from typing import Any

from bots.wrapping import Line, wrap
from cli.learning.keys import Keys
from cli.terminal import screen
from cli.terminal.activity import waiting
from cli.terminal.output import FLAGGED, emit, say, say_all
from services.labeling.label_walk import LabelWalk, Step
from vouch.values.candidate import Passage

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
    text = f"question {step.question} of {step.questions}, passage {step.place} of {step.places}, {judged} judged"
    lines = [Line(""), Line("─" * min(room, 80), "faint"), *(Line(line, "faint") for line in wrap(text, room))]
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
    return [*lines, Line(""), *(Line(line) for text in keys for line in wrap(text, room))]


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


def judged_by_keys(walk: LabelWalk, pressed: Keys, as_json: bool) -> dict[str, Any]:
    """The number of passages judged and skipped, and whether the walk reached its end.

    At a terminal a key counts only once the passage is shown that it judges.
    """
    skipped = 0
    while True:
        with waiting("looking"):
            step = walk.current()
        if step is None:
            return {"judged": walk.judged, "skipped": skipped, "finished": True}
        pressed.forget()
        _tell(step, walk.judged, as_json)
        key = _next(pressed, as_json)
        if key == "q":
            return {"judged": walk.judged, "skipped": skipped, "finished": False}
        if key == "s":
            walk.skip()
            skipped += 1
            _note("skipped", as_json)
        elif key == "b":
            if not walk.back():
                _note("this is the first", as_json)
        elif key == "u":
            _note("taken back" if walk.undo() else "there is nothing to take back", as_json)
        elif walk.judge(int(key)):
            _note(f"saved: {key} {GRADES[key]}", as_json)
        else:
            _note("this passage may not be read any more; nothing was kept", as_json)


def _next(pressed: Keys, as_json: bool) -> str:
    """The next key that means something; q at the end of the input."""
    for key in pressed:
        if key in tuple("0123sbuq"):
            return key
        for line in HELP if key in ("h", "?") else KEYS:
            _note(line, as_json)
    return "q"


def _note(text: str, as_json: bool) -> None:
    if not as_json:
        say(text)


def _tell(step: Step, judged: int, as_json: bool) -> None:
    if not as_json:
        say_all(page(step, judged, screen.width() if sys.stdout.isatty() else sys.maxsize))
        return
    passage, shown = step.shown.passage, step.shown
    before, after = beside(step)
    emit({
        "question": shown.question.text, "number": step.question, "questions": step.questions,
        "place": step.place, "places": step.places, "chunk_id": passage.chunk_id, "source": passage.source,
        "path": passage.path, "title": passage.title, "section": list(passage.section), "where": passage.where,
        "before": before, "text": passage.text, "after": after, "flagged": passage.injection,
        "former": step.former,
    })  # fmt: skip
