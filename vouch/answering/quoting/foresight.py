"""What refining and quoting will read of passages, so that it can be read at once.

A pass of the encoder takes as long whether it is full or not. One for the
strips, one for the quotations and one for the quotations without their
headings were three passes that were each nearly empty.
"""

from collections.abc import Iterable, Sequence

from vouch.answering.quoting.quotable import quotables
from vouch.answering.refinement import Refinement, strip_inputs
from vouch.documents.chunk import plain
from vouch.ports.language import Evidence
from vouch.values.candidate import Passage


def strips_read(passages: Sequence[Passage], how: Refinement) -> list[str]:
    """Every text that `refine` has scored."""
    return [text for passage in passages for _, text in strip_inputs(passage, how)]


def quotations_read(passages: Sequence[Passage], *, alone: bool) -> Iterable[str]:
    """Nearly every text that a writer of quotations may have scored, those of the first passages first.

    `alone`: also without their headings, which is what decides whether a quotation is near enough.
    """
    found = [quotables(Evidence(1, one, ((0, len(one.text)),), 0.0)) for one in passages]
    yield from dict.fromkeys(one.under_headings for own in found for one in own)
    if alone:
        yield from dict.fromkeys(plain(one.read) for own in found for one in own)
