"""Copies: passages of the same words stand in an answer once, under the plainest name that its readers may see."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from vouch.values.candidate import Candidate, Passage

_WORDS = re.compile(r"[a-z0-9]+")
_NUMBERED = re.compile(r"\(\d{1,3}\)")  # as of "leave (2).md"
_ODD = frozenset({
    "archive", "archived", "archives", "attic", "backup", "backups", "bak", "copies", "copy", "deprecated", "draft",
    "drafts", "duplicate", "duplicates", "obsolete", "old", "temp", "tmp", "trash",
})  # fmt: skip


def distinct(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Without passages whose words stand in an earlier one already; all are visible, so nothing is given away.

    Of those that have the same headings, too, and were judged as the earlier one was, the one with the plainest path
    takes its place.
    """
    kept: dict[str, Candidate] = {}
    for candidate in candidates:
        words = words_of(candidate.passage)
        if not words:
            continue
        first = kept.setdefault(words, candidate)
        if _alike(candidate, first) and plainness(candidate.passage) < plainness(first.passage):
            kept[words] = replace(first, passage=candidate.passage)     # what was found of the first one counts
    return list(kept.values())


def by_kept_ids(
    said: Mapping[str, str], candidates: Sequence[Candidate], kept: Sequence[Candidate]
) -> dict[str, str]:
    """What is `said` of candidates by their ids, by those of the copies that were kept of them."""
    by_words = {words_of(one.passage): said[one.chunk_id] for one in candidates if one.chunk_id in said}
    words_of_kept = {one.chunk_id: words_of(one.passage) for one in kept}
    return {name: by_words[words] for name, words in words_of_kept.items() if words in by_words}


def words_of(passage: Passage) -> str:
    """What copies have alike."""
    return " ".join(passage.text.split())


def _alike(one: Candidate, other: Candidate) -> bool:
    """Whether models were given the same text of both, and the evaluator said something of both or of neither."""
    a, b = one.passage, other.passage
    same = (a.origin, a.section, a.header, a.injection) == (b.origin, b.section, b.header, b.injection)
    return same and (one.probability is None) == (other.probability is None)


def plainness(passage: Passage) -> tuple[int, int, int, str, str]:
    """What copies are put in order by, the plainest first: without a word such as `old` or `copy` in the path, in few
    folders, of a short path."""
    path = passage.path
    odd = sum(word in _ODD for word in _WORDS.findall(path.lower())) + len(_NUMBERED.findall(path))
    return odd, path.count("/"), len(path), path, passage.source
