"""What a training of an agent measured, kept until it is registered: one that was cut off goes on where it was.

It is a file beside those of other trainings: a purge deletes it, as does a
week in which nobody goes on with it. It holds labels and numbers of what ran,
and the instructions that a language model wrote; no words of a question or a
document.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from flows.shared.home_files.folders import SEARCHES, report_folder
from flows.training.kept_searches import HomeKeeper, Searches, Stamp
from indexers.storage import disk_errors
from vouch.correction.planning.planners import Actor
from vouch.errors import Unavailable
from vouch.learning.agent.loop import Writes
from vouch.learning.agent.run_summary import Act, Action, Ran
from vouch.learning.models.agent_model import model_of

KIND = "agent"                          # the name of the file
CURE = "give the same command again once it answers: it goes on from there"


class KeptRuns:
    """`stamp`: equal only if nothing has changed between that decides what is found."""

    def __init__(self, searches: Searches, stamp: Stamp) -> None:
        self._searches, self._stamp = searches, stamp
        self.runs = 0                   # that are known by now

    def act(self, act: Act) -> Act:
        """The same, where it was not measured before."""

        def known(actor: Actor, question: str) -> Ran:
            name = f"run {model_of(actor).fingerprint} {question}"
            ran = self._searches.value(name, self._stamp, lambda: act(actor, question), asdict, _ran)
            self.runs += 1
            return ran

        return known

    def writes(self, writes: Writes | None) -> Writes | None:
        return None if writes is None else _Written(writes, self._searches, self._stamp)


class _Written:
    """Implements Writes: what it wrote before for the same counts and labels it does not write anew."""

    def __init__(self, writes: Writes, searches: Searches, stamp: Stamp) -> None:
        self._writes, self._searches, self._stamp = writes, searches, stamp
        self.name = writes.name

    def instructions(self, before: str, contrast: str) -> str:
        name = f"words {hashlib.sha256(json.dumps([before, contrast]).encode()).hexdigest()}"
        return self._searches.value(name, self._stamp, lambda: self._writes.instructions(before, contrast), str, str)


def _ran(kept: dict[str, Any]) -> Ran:
    return Ran(**{**kept, "actions": tuple(Action(**one) for one in kept["actions"])})


@contextmanager
def kept_runs(
    home: Path, made_with: Callable[[], str], asked: Sequence[str], stamp: Stamp
) -> Iterator[KeptRuns]:
    """Those of this training: another one begins the file anew. Without an error it is deleted at the end.

    Raises Damaged for a link. Where a machine goes away it says that the training can go on.
    """
    with HomeKeeper(home, made_with).of(KIND, asked, stamp) as searches:
        kept = KeptRuns(searches, stamp)
        try:
            yield kept
        except Unavailable as down:
            cause = f"{down.cause}; what was measured is kept, {kept.runs} runs of questions"
            raise type(down)(cause, cure="; ".join(filter(None, (down.cure, CURE)))) from down
    path = report_folder(home, SEARCHES) / KIND
    with disk_errors(path):
        path.unlink(missing_ok=True)
