"""An answer that is being streamed, because its worker waits, when bot, worker, or sender dies."""

import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faults.slack.doom import DOOMED, STREAMING

from bots.slack.simulator import Message
from bots.slack.simulator.workspace import BOT_USER

if TYPE_CHECKING:
    from faults.slack.crew import Crew

HELD_IN = "HELD_IN"
GATES = ("evaluator", "writer")
PATIENCE_S = 60.0


class _Held:
    """Does what it is asked for once the file is there."""

    def __init__(self, real: Any, file: Path) -> None:
        self._real, self._file = real, file

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._real, name)
        return self._once_open(found) if callable(found) else found

    def _once_open(self, work: Callable[..., Any]) -> Callable[..., Any]:
        def waits(*given: Any, **named: Any) -> Any:
            while not self._file.exists():
                time.sleep(0.02)
            return work(*given, **named)

        return waits


def held(components: Any, folder: Path) -> Any:
    return replace(components, **{name: _Held(getattr(components, name), folder / name) for name in GATES})


def shown(crew: "Crew") -> list[Message]:
    """What is being streamed, or was, and is no answer yet."""
    return [m for m in list(crew.slack.workspace.messages) if m.user == BOT_USER and m.stream is not None
            and (m.stream.open or not m.metadata)]


def killed_while_streaming(crew: "Crew", step: str, folder: Path) -> None:
    """Who takes this step dies at it while the stages of a question are shown, and is begun again."""
    role = step.partition("-")[0]
    for name in GATES:
        (folder / name).unlink(missing_ok=True)
    if step in STREAMING and role == "bot":
        _replaced(crew, role, step)
    crew.ask(1)
    if step != "bot-starts":
        _until(lambda: shown(crew))
    if "append" in step:
        (folder / "evaluator").touch()          # so that there is a stage to tell
    if step in DOOMED or role != "bot":
        _replaced(crew, role, step)
    if step in DOOMED and role == "bot":
        crew.ask(1, crew.slack.workspace.direct("U0BEN"))
    if role != "bot":
        _open(folder)
    crew.running[step].join(PATIENCE_S)
    assert crew.running[step].exitcode == -signal.SIGKILL, step
    assert role != "bot" or step == "bot-starts" or shown(crew), step
    _replaced(crew, step, role)
    _open(folder)
    crew.answered(PATIENCE_S)
    _until(lambda: not shown(crew), f"{step}: stages are shown for ever")


def _replaced(crew: "Crew", gone: str, come: str) -> None:
    crew.kill(gone)
    crew.start(come)


def _open(folder: Path) -> None:
    for name in GATES:
        (folder / name).touch()


def _until(look: Callable[[], Any], otherwise: str = "nothing is shown") -> None:
    end = time.monotonic() + PATIENCE_S
    while not look():
        assert time.monotonic() < end, otherwise
        time.sleep(0.02)
