"""Who reads which partition: members of a group, their leases, and which of them still live.

A member that stays silent for the length of a lease is out, and its
partitions are free; one whose process has died is out at the next look of
another. Every change that others should notice raises the
group's generation, which each member compares at every poll.
"""

import contextlib
import fcntl
import json
import os
import sqlite3
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


class Alive:
    """From its making until `end`, or until this process dies, `gone` is false of the member for all processes."""

    def __init__(self, log: Path, name: str) -> None:
        """A folder that cannot be written to costs this, and nothing else: its lease then says how long it lives."""
        self._file = _place(log, name)
        self._handle: int | None = None
        with contextlib.suppress(OSError):
            self._file.parent.mkdir(mode=0o700, exist_ok=True)
            self._handle = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def end(self) -> None:
        if self._handle is not None:
            self._file.unlink(missing_ok=True)
            os.close(self._handle)
            self._handle = None


def gone(log: Path, name: str) -> bool:
    """Whether the member's process ended without a word. In doubt it lives."""
    lock_file = _place(log, name)
    try:
        handle = os.open(lock_file, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        lock_file.unlink(missing_ok=True)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


def _place(log: Path, name: str) -> Path:
    return log.with_name(f"{log.name}.members") / name


Place = tuple[str, int]                 # topic, partition


@dataclass(slots=True)
class Assignment:
    """A partition this member holds: the next offset to read, the next one to commit, the time of the last read.

    One that is owed to another member is read no further, so that it can be given up once it is committed.
    """

    position: int
    committed: int
    read_at: float = 0.0
    owed: bool = False

    def busy(self, now: float, patience: float) -> bool:
        return self.position > self.committed and now - self.read_at < patience


@dataclass(frozen=True, slots=True)
class Member:
    group: str
    name: str
    topics: tuple[str, ...]
    lease: float
    partitions: int                     # of a topic that does not exist yet
    gone: Callable[[str], bool] = field(default=lambda name: False, compare=False)     # whether that member has died

    def tend(
        self, db: sqlite3.Connection, held: dict[Place, Assignment], now: float, patience: float
    ) -> tuple[int, bool]:
        """Renews, gives up what is too much, takes what is free; `held` is true once `db` has committed.

        Returns the generation, and whether partitions are owed to others that
        could not be given up because a record of theirs is being worked on.
        """
        changed, owes = self._drop_silent(db, now), False
        changed |= self._sign_in(db, now)
        for topic in self.topics:
            released, owed = self._share(db, topic, held, now, patience)
            changed, owes = changed or released > 0, owes or owed > 0
        until = now + self.lease
        db.execute("UPDATE lease SET until=? WHERE grp=? AND member=?", (until, self.group, self.name))
        return (raise_generation(db, self.group) if changed else generation(db, self.group)), owes

    def leave(self, db: sqlite3.Connection) -> None:
        db.execute("DELETE FROM member WHERE grp=? AND name=?", (self.group, self.name))
        db.execute("DELETE FROM lease WHERE grp=? AND member=?", (self.group, self.name))
        raise_generation(db, self.group)

    def holds(self, db: sqlite3.Connection, place: Place, now: float) -> bool:
        row = db.execute(
            "SELECT 1 FROM lease WHERE grp=? AND topic=? AND part=? AND member=? AND until>?",
            (self.group, *place, self.name, now),
        ).fetchone()
        return row is not None

    def _drop_silent(self, db: sqlite3.Connection, now: float) -> bool:
        silent = db.execute("DELETE FROM member WHERE grp=? AND until<=?", (self.group, now)).rowcount
        db.execute("DELETE FROM lease WHERE grp=? AND until<=?", (self.group, now))
        others = db.execute("SELECT name FROM member WHERE grp=? AND name<>?", (self.group, self.name)).fetchall()
        died = [(self.group, name) for (name,) in others if self.gone(name)]
        db.executemany("DELETE FROM member WHERE grp=? AND name=?", died)
        db.executemany("DELETE FROM lease WHERE grp=? AND member=?", died)
        return silent > 0 or bool(died)

    def _sign_in(self, db: sqlite3.Connection, now: float) -> bool:
        until, key = now + self.lease, (self.group, self.name)
        if db.execute("UPDATE member SET until=? WHERE grp=? AND name=?", (until, *key)).rowcount:
            return False
        db.execute("INSERT INTO member VALUES(?,?,?,?)", (*key, json.dumps(self.topics), until))
        return True

    def _share(
        self, db: sqlite3.Connection, topic: str, held: dict[Place, Assignment], now: float, patience: float
    ) -> tuple[int, int]:
        """How many partitions were given up, and how many are still owed."""
        leases = dict(db.execute("SELECT part, member FROM lease WHERE grp=? AND topic=?", (self.group, topic)))
        mine = {part for part, member in leases.items() if member == self.name}
        for place in [p for p in held if p[0] == topic and p[1] not in mine]:
            del held[place]
        total = partitions(db, topic, self.partitions)
        surplus = len(mine) - self._quota(db, topic, total)
        free = [part for part in range(total) if part not in leases]
        for part in free[: max(0, -surplus)]:
            db.execute("INSERT INTO lease VALUES(?,?,?,?,0)", (self.group, topic, part, self.name))
            mine.add(part)
        for part in mine:
            if (topic, part) not in held:
                start = committed(db, self.group, (topic, part))
                held[topic, part] = Assignment(start, start)
        idle = [part for part in sorted(mine, reverse=True) if not held[topic, part].busy(now, patience)]
        released = idle[: max(0, surplus)]
        for part in released:
            db.execute("DELETE FROM lease WHERE grp=? AND topic=? AND part=?", (self.group, topic, part))
            del held[topic, part]
        busy = sorted((part for place, part in held if place == topic), reverse=True)
        owed = set(busy[: max(0, surplus) - len(released)])
        for part in busy:
            held[topic, part].owed = part in owed
        return len(released), len(owed)

    def _quota(self, db: sqlite3.Connection, topic: str, total: int) -> int:
        """total // members, and one more for the first few; which those are differs by topic."""
        rows = db.execute("SELECT name, topics FROM member WHERE grp=? ORDER BY name", (self.group,))
        names = [name for name, topics in rows if topic in json.loads(topics)]
        rank = (names.index(self.name) + zlib.crc32(topic.encode())) % len(names)
        return total // len(names) + (rank < total % len(names))


def partitions(db: sqlite3.Connection, topic: str, default: int) -> int:
    """How many the topic has. Fixed when it is first named: another count would break the order of keys."""
    db.execute("INSERT INTO topic VALUES(?,?) ON CONFLICT DO NOTHING", (topic, default))
    return int(db.execute("SELECT partitions FROM topic WHERE name=?", (topic,)).fetchone()[0])


def committed(db: sqlite3.Connection, group: str, place: Place) -> int:
    row = db.execute("SELECT off FROM committed WHERE grp=? AND topic=? AND part=?", (group, *place)).fetchone()
    return int(row[0]) if row else 0


def set_committed(db: sqlite3.Connection, group: str, place: Place, offset: int) -> None:
    db.execute(
        "INSERT INTO committed VALUES(?,?,?,?) ON CONFLICT DO UPDATE SET off=excluded.off", (group, *place, offset)
    )


def generation(db: sqlite3.Connection, group: str) -> int:
    row = db.execute("SELECT number FROM generation WHERE grp=?", (group,)).fetchone()
    return int(row[0]) if row else 0


def raise_generation(db: sqlite3.Connection, group: str) -> int:
    db.execute("INSERT INTO generation VALUES(?,1) ON CONFLICT DO UPDATE SET number=number+1", (group,))
    return generation(db, group)
