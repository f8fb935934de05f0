"""Run by test_kill.py: FOLDER COUNT KILLS. Forks readers of one log and kills them at random with SIGKILL."""

import os
import random
import sys
import time
from pathlib import Path

from running.forked import ended, finish, fork, kill

from vouch.adapters.message_log.embedded.log import EmbeddedLog

folder, count, kills = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])


def log() -> EmbeddedLog:
    return EmbeddedLog(folder / "log.sqlite", lease_seconds=0.6)


def read() -> None:
    """Works, then says so, then commits: a kill in between repeats one message."""
    lines = os.open(folder / "read", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    consumer = log().consumer("g", ["t"])
    while True:
        record = consumer.poll(0.2)
        if record:
            os.write(lines, b"%b %b\n" % (record.key, record.value))
            consumer.commit(record)
        elif log().lag("g", "t") == 0:
            consumer.close()
            return


def send() -> None:
    """Sends what is missing, in order, and notes what the log has acknowledged."""
    done = (folder / "sent").read_text().split() if (folder / "sent").exists() else []
    lines = os.open(folder / "sent", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    producer = log().producer()
    for i in range(len(done), count):
        producer.send("t", f"k{i % 37}".encode(), str(i).encode())
        os.write(lines, b"%d\n" % i)


chance = random.Random(7)
for _ in range(kills):
    sender = fork(send)
    time.sleep(chance.uniform(0.01, 0.06))
    kill(sender)
finish(send)

readers = [fork(read) for _ in range(3)]
for _ in range(kills):
    time.sleep(chance.uniform(0.05, 0.2))
    number = chance.randrange(len(readers))
    kill(readers[number])
    readers[number] = fork(read)
for reader in readers:
    ended(reader)
