"""The answer to a question that is taken apart: part by part where it is written in quotations."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from vouch.answering.copies import words_of
from vouch.correction.components import Components, QuestionKind
from vouch.correction.evaluation import Verdict, VerdictKind
from vouch.correction.steps.links import words_not_quoted
from vouch.correction.steps.trajectory import PartFound, Walked
from vouch.ports.language import QUOTED, Draft, DraftSentence, Evidence, Quote
from vouch.retrieval.question.query import form_query
from vouch.values.question import Query


def write_by_parts(
    kind: QuestionKind, walked: Walked, verdict: Verdict, query: Query, evidence: Sequence[Evidence], c: Components
) -> Draft:
    """The draft of its own kind, unless several parts are asked for and nothing but quotations writes.

    Pages of the web were found for the whole question, and belong to no part.
    """
    parts = walked.wanted
    outside = any(one.passage.origin == "external" for one in evidence)
    if outside or c.writer is not c.fallback:
        return kind.write(verdict, query, evidence, c)
    if len(parts) < 2:
        draft = kind.write(verdict, query, evidence, c)
        by_words = bool(parts) and parts[0].by_words
        return _with_links(draft, kind, walked, verdict, query, evidence, c) if by_words else draft
    drafts = [_of_part(kind, part, walked, verdict, evidence, c) for part in parts]
    sentences = _once(one for draft in drafts for one in draft.sentences)
    if not sentences:
        return kind.write(verdict, query, evidence, c)
    return Draft(sentences, QUOTED, certain=all(draft.certain and draft.sentences for draft in drafts))


def _with_links(
    draft: Draft, kind: QuestionKind, walked: Walked, verdict: Verdict, query: Query, evidence: Sequence[Evidence],
    c: Components,
) -> Draft:  # fmt: skip
    """With a quotation from what each step brought that adds words of the query which none before it has.

    What is nearest to the whole of a chain is most often its first link alone.
    """
    passages, sentences = {one.number: one.passage for one in evidence}, list(draft.sentences)

    def lacks(more: Sequence[DraftSentence] = ()) -> int:
        quotes = [quote for one in (*sentences, *more) for quote in one.quotes]
        quotations = [(passages[number], start, end) for number, start, end in quotes]
        return len(words_not_quoted(query.text, quotations, c.analyser.terms))

    for one in evidence if sentences else ():
        searched = walked.found_by.get(one.passage.chunk_id)
        link = kind.write(verdict, form_query(searched, c.analyser), [one], c).sentences[:1] if searched else ()
        if link and lacks(link) < lacks():
            sentences += link
    return replace(draft, sentences=_once(sentences))


def _once(sentences: Iterable[DraftSentence]) -> tuple[DraftSentence, ...]:
    """Without what an earlier one quotes already."""
    kept, quoted = list[DraftSentence](), list[Quote]()
    for one in sentences:
        new = [q for q in one.quotes if not any(n == q[0] and a <= q[1] and q[2] <= b for n, a, b in quoted)]
        if new:
            kept.append(one)
            quoted += one.quotes
    return tuple(kept)


def _of_part(
    kind: QuestionKind, part: PartFound, walked: Walked, verdict: Verdict, evidence: Sequence[Evidence], c: Components
) -> Draft:
    """A part without a passage that may answer it is left out; the answer names it."""
    lower, upper = verdict.thresholds
    # By words, since what is given may be a copy of what was judged.
    likely = {words_of(one.passage) for one in walked.judged if part.likely.get(one.chunk_id, 0.0) >= lower}
    own = [one for one in evidence if words_of(one.passage) in likely]
    if not own:
        return Draft((), QUOTED, certain=False)
    kind_of_part: VerdictKind = "correct" if part.best >= upper else "ambiguous"
    verdict, query = replace(verdict, kind=kind_of_part), form_query(part.text, c.analyser)
    draft = kind.write(verdict, query, own, c)
    return _with_links(draft, kind, walked, verdict, query, evidence, c) if part.by_words else draft
