"""A person judges passage by passage, by keys: what is shown, and what each key does."""

from collections.abc import Iterator
from typing import Any

from cli.activity import waiting
from cli.output import FLAGGED, emit, say
from services.labeling.label_walk import LabelWalk, Step

_KEYS = "0 not relevant, 1 related, 2 relevant, 3 answers it; s skip, b back, q quit"
_BESIDE = 240                           # characters of each neighbour


def judged_by_keys(walk: LabelWalk, pressed: Iterator[str], as_json: bool) -> dict[str, Any]:
    """How many were judged and skipped, and whether the walk came to its end."""
    judged = skipped = 0
    while True:
        with waiting("looking"):
            step = walk.current()
        if step is None:
            return {"judged": judged, "skipped": skipped, "finished": True}
        _tell(step, as_json)
        key = _next(pressed, as_json)
        if key == "q":
            return {"judged": judged, "skipped": skipped, "finished": False}
        if key == "s":
            walk.skip()
            skipped += 1
        elif key == "b":
            if not walk.back():
                _note("this is the first", as_json)
        elif walk.judge(int(key)):
            judged += 1
        else:
            _note("this passage may not be read any more; nothing was kept", as_json)


def _next(pressed: Iterator[str], as_json: bool) -> str:
    """The next key that means something; q at the end of the input."""
    for key in pressed:
        if key in tuple("0123sbq"):
            return key
        _note(_KEYS, as_json)
    return "q"


def _note(text: str, as_json: bool) -> None:
    if not as_json:
        say(text)


def _tell(step: Step, as_json: bool) -> None:
    passage, shown = step.shown.passage, step.shown
    before = shown.before.text[-_BESIDE:] if shown.before else ""
    after = shown.after.text[:_BESIDE] if shown.after else ""
    if as_json:
        emit({
            "question": shown.question.text, "number": step.question, "questions": step.questions,
            "place": step.place, "places": step.places, "chunk_id": passage.chunk_id, "source": passage.source,
            "path": passage.path, "title": passage.title, "section": list(passage.section), "where": passage.where,
            "before": before, "text": passage.text, "after": after, "flagged": passage.injection,
            "former": step.former,
        })  # fmt: skip
        return
    say()
    say(f"question {step.question} of {step.questions}, passage {step.place} of {step.places}")
    say(f"  {shown.question.text}")
    say(f"{passage.source}:{passage.path}  {passage.title}  {' > '.join(passage.section)}  {passage.where}".rstrip())
    if passage.injection:
        say(f"  {FLAGGED}")
    for mark, text in (("  …", before), ("»  ", passage.text), ("  …", after)):
        for line in text.splitlines() if text else ():
            say(f"{mark} {line}")
    say(_KEYS if step.former is None else f"{_KEYS}  (you said {step.former})")
