"""The search of own files finds what a plain one finds, in every form, and cannot be hidden from."""

import json
import os
import random
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vouch.adapters.erasure.byte_search import BytePattern, Matcher, matcher_of, text_forms
from vouch.adapters.erasure.file_search import search_files
from vouch.adapters.filesystem.sqlite_file import scour
from vouch.documents.fingerprints import LEAST, Fingerprints, pieces
from vouch.errors import Busy, Unavailable

TEXT = "# Pay\n\nThe salary of the president is “four hundred thousand” a year.\nShort.\n" + "長い文章です。" * 9


@pytest.mark.slow
@settings(max_examples=200, deadline=None, database=None)
@given(st.lists(st.binary(min_size=8, max_size=30), max_size=6), st.lists(st.binary(max_size=20), max_size=8),
       st.data())
def test_the_matcher_finds_what_a_plain_search_finds(needles, junk, data):
    known = dict.fromkeys(needles, BytePattern("text", "x"))
    mixed = b"".join(data.draw(st.permutations([*junk, *needles[: len(needles) // 2], *(n[:-1] for n in needles)])))
    assert Matcher(known).find(mixed) == {n for n in known if n in mixed}


def quotations(text: str) -> Iterator[str]:
    """Every run of whole words of LEAST characters or more, with the spaces of the text or with others."""
    words = [(m.start(), m.end()) for m in re.finditer(r"\S+", text)]
    for first, (start, _) in enumerate(words):
        for _, end in words[first:]:
            if end - start >= LEAST and len(" ".join(text[start:end].split())) >= LEAST:
                yield text[start:end]
                yield " ".join(text[start:end].split())


@pytest.mark.slow
@settings(max_examples=150, deadline=None, database=None)
@given(st.lists(st.sampled_from(["a", "Porto", "earns 84,221", "euros.", "No", "“quite”", "\n", "\n\n- ", "# Pay\n",
                                 "internationalisation"]), max_size=25))
def test_no_quotation_of_whole_words_gets_through_however_it_is_cut(words):
    text = " ".join(words)
    matcher = matcher_of(Fingerprints(pieces=frozenset(pieces(text))))
    for quotation in quotations(text):
        assert matcher.find(f"Is it so that {quotation}?".encode()), quotation
    assert all(len(piece) >= LEAST for piece in pieces(text))


def test_a_quotation_from_writing_without_spaces_and_from_data_is_found():
    matcher = matcher_of(Fingerprints(pieces=frozenset(pieces(TEXT + " " + "0123456789" * 30))))
    assert matcher.find("と「い文章です。長い文章です。長い文章です。長い」".encode())
    assert matcher.find(b"3456789" + b"0123456789" * 2 + b"01")
    assert not matcher.find(TEXT.replace("salary", "wages").replace("長", "短").partition("four")[0].encode())


def test_a_text_has_about_as_many_pieces_as_words():
    """Ten times the words cost ten times as much, not a hundred times."""
    draw = random.Random(7)
    for words in (1_000, 10_000):
        text = " ".join("".join(draw.choices("abcdefg", k=draw.randint(1, 9))) for _ in range(words))
        found = pieces(text)
        assert len(found) <= words and sum(map(len, found)) <= words * (LEAST + 9)
    assert len(pieces("A" * 100_000)) <= 10_000          # data, as of a picture within a text


@pytest.mark.parametrize("write", [
    lambda text: text.encode(),
    lambda text: json.dumps({"a": text}).encode(),
    lambda text: json.dumps({"a": text}, ensure_ascii=False).encode(),
    lambda text: json.dumps(json.dumps({"a": text})).encode(),
    lambda text: text.encode("utf-16"),
    lambda text: b"\x00" * 4095 + text.encode("utf-16-be"),
])
def test_text_is_found_in_every_form(tmp_path, write):
    (tmp_path / "some.file").write_bytes(write(TEXT))
    (found,) = search_files(tmp_path, matcher_of(Fingerprints(pieces=frozenset(pieces(TEXT)))), ())
    assert (found.place, found.kind) == ("some.file", "text") and found.count > 2


def test_links_and_places_passed_over_are_not_entered(tmp_path):
    home, outside = tmp_path / "home", tmp_path / "docs"
    outside.mkdir()
    (outside / "a.md").write_text(TEXT)
    home.mkdir()
    (home / "link").symlink_to(outside)
    (home / "source").mkdir()
    (home / "source" / "a.md").write_text(TEXT)
    matcher = matcher_of(Fingerprints(pieces=frozenset(pieces(TEXT))))
    assert [f.place for f in search_files(home, matcher, ())] == ["source/a.md"]
    assert list(search_files(home, matcher, [home / "source"])) == []


def test_a_folder_that_cannot_be_looked_into_is_no_empty_one(tmp_path, monkeypatch):
    closed, scandir = tmp_path / "closed", os.scandir
    closed.mkdir()

    def refuse(path):                   # root would look into any folder
        if str(path) == str(closed):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(Unavailable, match="closed"):
        list(search_files(tmp_path, matcher_of(Fingerprints(pieces=frozenset(pieces(TEXT)))), ()))


def test_a_value_that_a_database_keeps_in_pieces_is_found(tmp_path):
    """One line right across the end of an overflow page: the bytes of the file do not hold it in one run."""
    line = "nobody may ever know"
    found = pieces(line)              # one piece: nothing shorter would be found
    path = tmp_path / "x.sqlite"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE t(body TEXT)")
        db.execute("INSERT INTO t VALUES (?)", ("z" * 5000 + line + "z" * 4080,))       # the last page takes 4092
    assert not any(form in path.read_bytes() for piece in found for form in text_forms(piece))
    (left,) = search_files(tmp_path, matcher_of(Fingerprints(pieces=frozenset(found))), ())
    assert left.place == "x.sqlite" and left.count == len(found)


def test_vectors_and_ids_are_found_as_bytes_and_as_digits(tmp_path):
    draw = random.Random(3)
    vector, key, chunk = draw.randbytes(768), draw.randbytes(16), draw.randbytes(16)
    fingerprints = Fingerprints(ids=frozenset([chunk.hex()]), keys=frozenset([key]), vectors=frozenset([vector]))
    matcher = matcher_of(Fingerprints.from_json(fingerprints.to_json()))
    (tmp_path / "a").write_bytes(b"?" + vector[300:600] + b"!" + key)
    (tmp_path / "b").write_text(f"{chunk.hex()} {key.hex()}")
    assert [(f.place, f.kind) for f in search_files(tmp_path, matcher, ())] == [
        ("a", "key"), ("a", "vector"), ("b", "id"), ("b", "key")]
    blank = matcher_of(Fingerprints(vectors=frozenset([bytes(768)])))
    assert not blank                            # zeros stand everywhere and tell of nothing


def test_scouring_leaves_nothing_deleted_and_says_when_it_cannot(tmp_path, monkeypatch):
    path = tmp_path / "x.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA secure_delete=OFF")
        db.execute("CREATE TABLE t(body TEXT)")
        db.execute("INSERT INTO t VALUES ('nobody may know qzxthis')")
        db.execute("DELETE FROM t")
        assert any(b"qzxthis" in file.read_bytes() for file in tmp_path.iterdir())
        scour(path)
        assert not any(b"qzxthis" in file.read_bytes() for file in tmp_path.iterdir())
        monkeypatch.setattr("vouch.adapters.filesystem.sqlite_file._WAIT_S", 0.1)
        db.execute("BEGIN")
        db.execute("SELECT * FROM t").fetchall()
        with pytest.raises(Busy):
            scour(path)


def test_a_matcher_without_some_pieces_is_one_that_was_made_without_them() -> None:
    held = frozenset(pieces(TEXT))
    left_out = frozenset(sorted(held)[::2])
    whole = matcher_of(Fingerprints(pieces=held, ids=frozenset(["ab" * 16])))
    fewer, anew = whole.without(left_out), matcher_of(Fingerprints(pieces=held - left_out, ids=frozenset(["ab" * 16])))
    data = b"\n".join([TEXT.encode(), ("ab" * 16).encode()])
    assert fewer.find(data) == anew.find(data) < whole.find(data)
    assert fewer.kinds(fewer.find(data)) == anew.kinds(anew.find(data))
