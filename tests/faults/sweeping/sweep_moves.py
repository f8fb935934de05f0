"""Random publishes, rollbacks, opens in this and other processes, and sweeps; what must hold after each sweep."""

import json
import random
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from faults.sweeping.sweep_oracle import Oracle
from running.script_run import command, environment
from two_world.stand_ins import HashEncoder, MemoryVectors
from two_world.worlds import SOURCE, make_record
from two_world.worlds import publish as publish_records

from indexers.publishing.index_store import OpenVersion, Swept
from vouch.adapters.ledger import open_ledger
from vouch.errors import Conflict, NotFound, VouchError


class Killed(BaseException):
    """In place of a kill: the publish is never heard of again."""


class Holder:
    """Another process; `held` is what it has open, with what it found there."""

    def __init__(self, home: Path) -> None:
        script = Path(__file__).with_name("version_holder.py")
        self._process = subprocess.Popen(command(script, home), env=environment(), text=True,
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.held: dict[int, str] = {}

    def tell(self, words: str) -> dict[str, str]:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(words + "\n")
        self._process.stdin.flush()
        told: dict[str, str] = json.loads(self._process.stdout.readline())
        return told

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self.held.clear()


class Moves:
    """One home and everybody who uses it. `problems` says what was wrong so far, `counts` what sweeps did."""

    def __init__(self, home: Path, rng: random.Random) -> None:
        self.rng = rng
        self.oracle = Oracle(home, open_ledger(home / "ledger.sqlite"))
        self.store = self.oracle.store(1)
        self.vectors = MemoryVectors(HashEncoder())
        self.holders = [Holder(home), Holder(home)]
        self.opened: list[OpenVersion] = []
        self.problems: list[str] = []
        self.counts = {"retired": 0, "pinned": 0, "deleted": 0}

    def play(self, steps: int) -> None:
        moves: dict[Callable[[], None], int] = {
            self.publish: 6, self.publish_and_die: 2, self.publish_too_late: 1, self.sweep_inside_a_publish: 1,
            self.roll_back: 2, self.open_here: 2, self.close_here: 2, self.open_there: 3, self.close_there: 2,
            self.kill: 1, self.sweep: 4,
        }
        self.publish()
        for move in [*self.rng.choices(list(moves), list(moves.values()), k=steps), self.sweep]:
            try:
                move()
            except VouchError as error:
                self.problems.append(f"{move.__name__}: {type(error).__name__}: {error}")
            if self.problems:
                return

    def close(self) -> None:
        for holder in self.holders:
            holder.kill()
        self.oracle.ledger.close()

    # moves

    def publish(self) -> None:
        self._learn(self._publish(self.store.open_current()))

    def publish_and_die(self) -> None:
        """Everything is written, and the process ends before the pointer moves."""
        def die(expected: int | None, new: int) -> None:
            raise Killed

        with suppress(Killed), self._swapping(die):
            self._publish(self.store.open_current())

    def publish_too_late(self) -> None:
        base = self.store.open_current()
        self.publish()
        with suppress(Conflict):
            self._learn(self._publish(base, "open/0.md"))

    def sweep_inside_a_publish(self) -> None:
        swap = self.oracle.ledger.versions.swap

        def swept_first(expected: int | None, new: int) -> None:
            self.oracle.store(1).sweep()
            swap(expected, new)

        with self._swapping(swept_first):
            self.publish()
        self._check_whole()

    def roll_back(self) -> None:
        """Not to what is older than a retired one, which is there only as somebody has it open."""
        to = self.rng.choice(self.oracle.published())
        retired = [row.number for row in self.oracle.ledger.versions.rows() if row.state == "retired"]
        try:
            new = self.store.rollback(to)
        except NotFound:
            if to > max(retired, default=0):
                self.problems.append(f"no rollback to {to}")
            return
        if to < max(retired, default=0):
            self.problems.append(f"a rollback to {to}, behind what is retired")
        self._learn(new)
        self.oracle.ledger.holds.release()
        if self.oracle.content[new] != self.oracle.content[to]:
            self.problems.append(f"a rollback to {to} has other content")

    def open_here(self) -> None:
        self.opened.append(self.store.open(self.rng.choice(self.oracle.published())))

    def close_here(self) -> None:
        if self.opened:
            self.opened.pop(self.rng.randrange(len(self.opened)))

    def open_there(self) -> None:
        """Any version there ever was; a retired one is not found."""
        holder, number = self.rng.choice(self.holders), self.rng.choice(sorted(self.oracle.content))
        told = holder.tell(f"open {number}")
        if "digest" in told:
            holder.held[number] = told["digest"]
        elif number in self.oracle.published() or not told["error"].startswith("NotFound"):
            self.problems.append(f"version {number} cannot be opened: {told}")

    def close_there(self) -> None:
        holder = self.rng.choice(self.holders)
        if holder.held:
            number = self.rng.choice(sorted(holder.held))
            holder.tell(f"close {number}")
            del holder.held[number]

    def kill(self) -> None:
        place = self.rng.randrange(len(self.holders))
        self.holders[place].kill()
        self.holders[place] = Holder(self.oracle.home)

    def sweep(self) -> None:
        keep = self.rng.choice((1, 1, 2, 4))
        held = self._held()
        wanted = tuple(number for number in self.oracle.due(keep) if number not in held)
        self.store._opener.forget()
        foreseen = self.oracle.store(keep).sweep(dry_run=True)
        swept = self.oracle.store(keep).sweep()
        if foreseen != swept:
            self.problems.append(f"foreseen {foreseen}, swept {swept}")
        if swept.retired != wanted:
            self.problems.append(f"retired {swept.retired} instead of {wanted}")
        for name in self.counts:
            self.counts[name] += len(getattr(swept, name))
        self._check_whole()
        self.problems += self.oracle.not_swept(held)
        if self.oracle.store(keep).sweep() != Swept(pinned=swept.pinned):
            self.problems.append("a second sweep found more to do")

    # helpers

    def _check_whole(self) -> None:
        self.problems += self.oracle.not_whole(self._held())
        for holder in self.holders:
            for number, digest in holder.held.items():
                if holder.tell(f"look {number}") != {"digest": digest}:
                    self.problems.append(f"version {number} changed under its reader")

    def _held(self) -> set[int]:
        return {n for holder in self.holders for n in holder.held} | {version.number for version in self.opened}

    def _learn(self, number: int) -> None:
        self.oracle.learn(self.store.open(number))

    def _publish(self, base: OpenVersion | None, path: str = "") -> int:
        words = self.rng.choices(("travel", "budget", "leave", "badge"), k=3)
        sections = [("Rules", (" ".join(words), f"travel {self.rng.random()}"))]
        record = make_record(SOURCE, path or f"open/{self.rng.randrange(6)}.md", sections)
        done = publish_records(self.store, self.vectors, [record], base=base)
        return int(done.version)

    @contextmanager
    def _swapping(self, swap: Callable[[int | None, int], None]) -> Iterator[None]:
        versions: Any = self.oracle.ledger.versions
        versions.swap = swap
        try:
            yield
        finally:
            del versions.swap
