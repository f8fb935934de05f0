"""A parsing child that goes wrong in the way its document asks for: `python -m odd_child`."""

import json
import os
import signal
import struct
import sys
import time
from pathlib import Path
from typing import Any

from vouch.adapters.sandbox.frames import frame, receive, send

SOUND = {"title": "", "narrowed": None, "owners": [], "sections": [["A"]], "chunks": [[0, 5, 1, 1, 0, 0, 0, [], []]]}


def chunks(*rows: object) -> tuple[dict[str, Any], bytes]:
    return {**SOUND, "chunks": list(rows)}, b"words of text"


# Header and body, to which the number of the question is added, or raw bytes.
REPLIES: dict[str, tuple[dict[str, Any], bytes] | bytes] = {
    "sound": chunks([0, 5, 1, 1, 0, 0, 0, [], []]),
    "beyond": chunks([0, 500, 1, 1, 0, 0, 0, [], []]),
    "before": chunks([-3, 5, 1, 1, 0, 0, 0, [], []]),
    "backwards": chunks([6, 8, 1, 1, 0, 0, 0, [], []], [0, 2, 1, 1, 0, 0, 0, [], []]),
    "empty": chunks([3, 3, 1, 1, 0, 0, 0, [], []]),
    "line": chunks([0, 5, 1, 9, 0, 0, 0, [], []]),
    "section": chunks([0, 5, 1, 1, 7, 0, 0, [], []]),
    "negative_section": chunks([0, 5, 1, 1, -1, 0, 0, [], []]),
    "float": chunks([0.0, 5, 1, 1, 0, 0, 0, [], []]),
    "header_after": chunks([0, 5, 1, 1, 0, 0, 1, [6, 8], []]),
    "header_within": chunks([2, 5, 1, 1, 0, 0, 1, [1, 3], []]),
    "header_empty": chunks([2, 5, 1, 1, 0, 0, 1, [1, 1], []]),
    "header_float": chunks([2, 5, 1, 1, 0, 0, 1, [0, 1.0], []]),
    "half_header": chunks([2, 5, 1, 1, 0, 0, 1, [1], []]),
    "no_header": chunks([2, 5, 1, 1, 0, 0, 1, 7, []]),
    "bool": chunks([False, True, 1, 1, 0, 0, 0, [], []]),
    "marks_beyond": chunks([0, 5, 1, 1, 0, 0, 0, [], [[3, 6], [], 0, 0]]),
    "marks_disordered": chunks([0, 5, 1, 1, 0, 0, 0, [], [[3, 4, 0, 1], [], 0, 0]]),
    "marks_odd": chunks([0, 5, 1, 1, 0, 0, 0, [], [[3], [], 0, 0]]),
    "marks_negative": chunks([0, 5, 1, 1, 0, 0, 0, [], [[], [], -1, 0]]),
    "short_row": chunks([0, 5]),
    "no_rows": chunks(5, "x"),
    "too_many": ({**SOUND, "chunks": [[0, 1, 1, 1, 0, 0, 0, [], []]] * 60_000}, b"words"),
    "not_utf8": (SOUND, b"\xff\xfe\xfd words"),
    "long_title": ({**SOUND, "title": "x" * 10_000}, b"words"),
    "surrogate": ({**SOUND, "title": "\ud800"}, b"words"),
    "wide_tags": ({**SOUND, "narrowed": ["everyone"]}, b"words"),
    "no_tags": ({**SOUND, "narrowed": []}, b"words"),
    "missing": ({"title": ""}, b"words"),
    "other_number": ({**SOUND, "number": 99}, b"words"),
    "long_reason": ({"cause": "x" * 100_000}, b""),
    "odd_reason": ({"cause": 5}, b""),
    "list": struct.pack(">II", 2, 0) + b"[]",
    "no_json": struct.pack(">II", 3, 0) + b"\x80ab",
    "deep_json": struct.pack(">II", 100_000, 0) + b"[" * 100_000,
    "pickle": b"\x80\x04\x95\x1d\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93\x94",
    "huge_header": struct.pack(">II", 2**31, 0),
    "huge_body": struct.pack(">II", 2, 2**32 - 1) + b"{}",
    "two": frame({"cause": "a"}) * 2,
    "memory": ({"memory": True}, b""),
}


def reply(word: str, number: int) -> bytes:
    wanted = REPLIES[word]
    return wanted if isinstance(wanted, bytes) else frame({"number": number, **wanted[0]}, wanted[1])


def state(number: int) -> bytes:
    """What this process was given, as the text of a document."""
    import resource

    given = {
        "environment": dict(os.environ),
        "descriptors": sorted({str(place).partition(":")[0] for place in _open()}),
        "limits": [resource.getrlimit(getattr(resource, f"RLIMIT_{name}")) for name in ("DATA", "CORE", "FSIZE")],
        "folder": str(Path.cwd()),
        "session": os.getsid(0) == os.getpid(),
        "modules": sorted(m for m in ("torch", "prefect", "sqlalchemy", "transformers") if m in sys.modules),
    }
    text = json.dumps(given).encode()
    return frame({**SOUND, "number": number, "chunks": [[0, len(text), 1, 1, 0, 0, 0, [], []]]}, text)


def _open() -> list[Path]:
    """What the open descriptors stand for; that of the listing itself is gone by then."""
    return [link.readlink() for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]


def main() -> None:
    questions, answers = os.dup(0), os.dup(1)
    if receive(questions) is None:
        return
    send(answers, frame({"ready": True}))
    served = 0
    while (message := receive(questions)) is not None:
        wish = message[1].decode().split()[0]
        served, number = served + 1, message[0]["number"]
        if wish == "die":
            os._exit(3)
        elif wish == "die_half":
            send(answers, reply("sound", number)[:20])
            os._exit(0)
        elif wish == "crash":
            os.abort()
        elif wish == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        elif wish == "sleep":
            time.sleep(3600)
        elif wish == "spin":
            while True:
                pass
        elif wish == "flood":
            while True:
                send(answers, b"\0" * 1000)
        elif wish == "swell":
            held = []
            while True:
                held.append(bytearray(os.urandom(1)) * 8_000_000)
        elif wish == "once":            # soured by what it did before: a fresh one is fine
            send(answers, reply("sound" if served == 1 else "memory", number))
        else:
            send(answers, reply(wish, number))


if __name__ == "__main__":
    main()
