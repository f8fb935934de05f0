"""Names and things in a folder that a careless walk would stumble over, made in one go."""

import errno
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

SOUND = "# Sound\n\nThese words are found.\n"
CONTROL = "line breaks or control"
TURNED = "direction of writing"
# Name → words of the reason, "" if it is a document like any other.
NAMES: dict[bytes, str] = {
    b"n" * 252 + b".md": "",
    ("é" * 126).encode() + b".md": "",
    b"new\nline.md": CONTROL,
    b"return\r.md": CONTROL,
    b"tab\there.md": CONTROL,
    b"bell\x07.md": CONTROL,
    b"\x1b[31mred\x1b[0m.md": CONTROL,
    "next\u0085line.md".encode(): CONTROL,
    "line\u2028end.md".encode(): CONTROL,
    "\u202etxt.exe.md".encode(): TURNED,
    "isolate\u2066d.md".encode(): TURNED,
    b"caf\xe9.md": "not UTF-8",
    b"\xed\xa0\x80.md": "not UTF-8",
    b"both\xff\n.md": "not UTF-8",
    "emoji 👩‍👩‍👧 🎉.md".encode(): "",
    "中文.md".encode(): "",
    "é.md".encode(): "",
    "e\u0301.md".encode(): "",
    b"Twin.md": "",
    b"twin.md": "",
    b"TWIN.MD": "",
    b"-rf.md": "",
    b"--help.md": "",
    b" spaces  around .md": "",
    b"quote\"s' and `ticks`.md": "",
    b"back\\slash.md": "",
    b"$(touch bitten).md": "",
    b"; rm x; #.md": "",
    b"%s%n%00.md": "",
    b"*.md": "",
    b"[a]{b}?.md": "",
    b"~.md": "",
    b"..md": "hidden",
    b".md": "hidden",
    b"...dots...md": "hidden",
    b"a..md": "",
    b"no_suffix": "known suffix",
    b"word.docm": "docm",
    b"<b>&amp;.md": "",
    b"CON.md": "",
}


def write_names(root: Path) -> None:
    for name in NAMES:
        (root / os.fsdecode(name)).write_text(f"{SOUND}\nNamed {name.hex()[:60]}.\n")


def write_things(root: Path) -> dict[str, str]:
    """Things that are no plain files; name → words of the reason. Beside `root` lies a secret they lead to."""
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret words")
    (root / "real").mkdir()
    (root / "real" / "inside.md").write_text(SOUND)
    expected = {}
    for name, target in {
        "to_file.md": "real/inside.md", "to_outside.md": str(outside / "secret.md"), "to_folder": "real",
        "to_outside_folder": str(outside), "to_root": "/", "to_itself.md": "to_itself.md", "to_parent": "..",
        "to_nowhere.md": "nowhere.md", "one.md": "two.md", "two.md": "one.md", "to_memory.md": "/proc/self/mem",
        "to_zero.md": "/dev/zero", "folder_loop": "folder_loop",
    }.items():  # fmt: skip
        (root / name).symlink_to(target)
        expected[name] = "links are not followed"
    os.mkfifo(root / "pipe.md")
    os.mkfifo(root / "pipe.html")
    expected |= {"pipe.md": "not a regular file", "pipe.html": "not a regular file", "socket.md": "not a regular file"}
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(root)                  # a socket's whole path may have 108 bytes only
        server.bind("socket.md")
        os.chdir(here)
    try:
        os.mknod(root / "device.md", 0o020666, os.makedev(1, 5))
        expected["device.md"] = "not a regular file"
    except PermissionError:
        pass
    (root / "folder.md").mkdir()
    (root / "folder.md" / "below.md").write_text(SOUND)
    _dig(root, "d" * 200, 40)           # further down than a path can name
    return expected


def _dig(root: Path, name: str, depth: int) -> None:
    here = os.open(root, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=here)
        inner = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)


@contextmanager
def without_permission(*names: str) -> Iterator[None]:
    """Files and folders of these names cannot be opened, also by those who may open everything."""
    real = os.open

    def refuse(path: Any, *rest: Any, **more: Any) -> int:
        if path in names:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return real(path, *rest, **more)

    with patch("os.open", refuse):
        yield


@contextmanager
def moving(root: Path) -> Iterator[None]:
    """`grows.md` grows with every look at it, `changes.md` has other words, `vanishes.md` is gone after the scan."""
    from vouch.adapters.sources.folder import source

    real, seen = source.read_blocks, list[str]()

    def read(handle: int, most: int) -> Iterator[bytes]:
        name = Path(f"/proc/self/fd/{handle}").readlink().name
        seen.append(name)
        for block in real(handle, most):
            if name == "grows.md":
                with (root / name).open("ab") as file:
                    file.write(b"more and more words. " * 5000)
            yield block
        if name == "vanishes.md":
            (root / name).unlink()
        if name == "changes.md":
            (root / name).write_text(f"# Changed\n\nThese words stood there after {len(seen)} looks.\n")

    with patch.object(source, "read_blocks", read):
        yield
