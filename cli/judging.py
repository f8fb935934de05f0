"""A person judges passage by passage, by keys: what each key does."""

import sys
from collections.abc import Iterator
from typing import Any

from cli import screen
from cli.activity import waiting
from cli.output import emit, say, say_all
from cli.passage_page import GRADES, HELP, KEYS, beside, page
from services.labeling.label_walk import LabelWalk, Step


def judged_by_keys(walk: LabelWalk, pressed: Iterator[str], as_json: bool) -> dict[str, Any]:
    """How many were judged and skipped, and whether the walk came to its end."""
    skipped = 0
    while True:
        with waiting("looking"):
            step = walk.current()
        if step is None:
            return {"judged": walk.judged, "skipped": skipped, "finished": True}
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


def _next(pressed: Iterator[str], as_json: bool) -> str:
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
