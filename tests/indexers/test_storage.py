"""Files of a version: written whole, read back as they are, and believed only while they are what was written."""

import os
from pathlib import Path

import numpy as np
import pytest

from indexers.segments.segment import input_key
from indexers.storage import Checksums, Folder, map_array, replace_file, write_array, write_folder
from vouch.errors import Damaged


@pytest.mark.parametrize(("kind", "values"), [("i4", [1, -2, 3]), ("f8", [0.5, -1e300]), ("u1", [])])
def test_numbers_come_back_as_they_were(tmp_path: Path, kind: str, values: list[float]) -> None:
    write_array(tmp_path / f"rows.{kind}", np.array(values))
    assert map_array(tmp_path / f"rows.{kind}").tolist() == values


def test_a_file_that_was_changed_is_refused_even_if_its_size_and_times_are_as_they_were(tmp_path: Path) -> None:
    entry = write_folder(tmp_path, 2, lambda place: write_array(place / "rows.i4", np.array([1, 2])))
    folder = Folder(tmp_path / entry.id, entry, Checksums())
    path = folder.file("rows.i4")
    before = path.stat()
    assert folder.file("rows.i4") == path and folder.lists("rows.i4") and not folder.lists("other")
    path.write_bytes(np.array([1, 3], "<i4").tobytes())
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(Damaged, match="does not match its checksum"):
        folder.check()
    path.write_bytes(b"123")
    with pytest.raises(Damaged, match="has 3 bytes instead of 8"):
        folder.check()
    path.unlink()
    with pytest.raises(Damaged, match="No such file"):
        folder.check()
    with pytest.raises(Damaged, match="does not list it"):
        folder.file("other")


def test_a_file_is_replaced_whole_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    for data in (b"one", b"another"):
        replace_file(tmp_path / "pointer", data)
        assert [path.name for path in tmp_path.iterdir()] == ["pointer"]
        assert (tmp_path / "pointer").read_bytes() == data


def test_equal_texts_have_one_key_and_others_another() -> None:
    assert input_key("leave") == input_key("leave") != input_key("leave ") and len(input_key("")) == 16
