"""How an answer is laid out: its sentences as one text, quotations under their titles, declines with a place."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from vouch.answering.copies import words_of
from vouch.answering.disarming import disarm, visible
from vouch.answering.verification.citations import MARK, Sentence, Verified
from vouch.answering.verification.conflicts import Said, disagreement
from vouch.documents.formats import shown_path, shown_title
from vouch.values.candidate import Candidate, Passage

_FENCE = "```"


def answer_text(sentences: Sequence[Sentence]) -> str:
    """Every sentence with the numbers of its citations behind it."""
    text, block_before = "", False
    for sentence in sentences:
        block = is_block(sentence)
        joint = "\n\n" if block or block_before else " "
        text = f"{text}{joint}{numbered(sentence)}" if text else numbered(sentence)
        block_before = block
    return text


def numbered(sentence: Sentence) -> str:
    """Its words and the numbers of its citations: behind them, or below a fence, which must end its line."""
    numbers = "".join(f" [{n}]" for n in sentence.citations)
    fenced = sentence.text.rsplit("\n", 1)[-1].lstrip().startswith(_FENCE)
    words = f"{sentence.text}\n{numbers.lstrip()}" if fenced else sentence.text + numbers
    return words + _doubt(sentence) + _besides(sentence)


def is_block(sentence: Sentence) -> bool:
    """Whether it needs lines of its own: a list, code, or what says below it how much it leaves out."""
    return "\n" in sentence.text or bool(sentence.left_out)


def sentence_text(sentence: Sentence) -> str:
    """Its words, and behind them on a line of its own what its list or block has besides, and where."""
    return sentence.text + _doubt(sentence) + _besides(sentence)


def _doubt(sentence: Sentence) -> str:
    return MARK if sentence.weak else ""


def _besides(sentence: Sentence) -> str:
    return f"\n({sentence.left_out}: see [{sentence.citations[-1]}])" if sentence.left_out else ""


NOTHING = "Nothing in the documents you can read answers this."
NOTHING_FOR_ALL = "Nothing in the documents that everybody here may read answers this."
UNSURE = "I found no clear answer. The nearest passages are:"
PARTLY = "This answers a part of the question:"
REST = "The passages nearest to the rest are:"
DOUBTED = "I am not sure of this answer:"
FROM_WEB = "This is from the web, not from your documents:"
PARTLY_FROM_WEB = "What cites {} is from the web, not from your documents:"
WEB = " (from the web)"
CLOSEST = "The closest passage is in "
INJECTED = "A passage near to it was left out because it reads like instructions to a language model."
NEAR = 0.1                              # a passage below this share of the question's words is not near to it


def flowing(verified: Verified, *, unsure: bool) -> str:
    """The sentences one after the other, as one text."""
    told = [DOUBTED] if unsure else []
    return "\n\n".join([*told, *_from_web(verified), answer_text(verified.sentences)])


def by_document(verified: Verified) -> str:
    """Quotations of one document as one text; of several, a paragraph for each under its title.

    Where two of them disagree that is said first, and what is newer comes first.
    """
    groups = _groups(verified)
    if len(groups) == 1:
        return flowing(verified, unsure=False)
    paragraphs = []
    if conflict := disagreement(verified):
        paragraphs = [_disagree(*conflict, verified)]
        newer = _title_for(conflict[0].passage, verified)
        groups.sort(key=lambda group: group[0] != newer)    # the others stay in their order
    return "\n\n".join([*paragraphs, *(f"{title}:{_gap(group)}{answer_text(group)}" for title, group in groups)])


def _disagree(one: Said, other: Said, verified: Verified) -> str:
    """`Two documents disagree: Leave says 12 weeks, Old leave 10 weeks.`"""
    first, second = (_title_for(said.passage, verified) for said in (one, other))
    words = f"{first} says {disarm(one.written, '')}, {second} {disarm(other.written, '')}"
    days = [said.passage.changed_at and said.passage.changed_at.date() for said in (one, other)]
    # On one day both may have been copied here, and say nothing of which is newer.
    newer = f" The first was changed last, on {days[0]}." if all(days) and days[0] != days[1] else ""
    return f"Two documents disagree: {words}.{newer}"


def _title_for(passage: Passage, verified: Verified) -> str:
    titles = _titles(verified)
    return next(titles[c.number] for c in verified.citations if c.passage.document == passage.document)


def in_part(verified: Verified, found: Collection[str]) -> str:
    """Quotations of passages with the words `found`, which answer a part of the question, then those nearest to the
    rest. Without any of the first they are all apart."""
    passages = {c.number: words_of(c.passage) for c in verified.citations}
    answers = [one for one in verified.sentences if any(passages[number] in found for number in one.citations)]
    if not answers:
        return apart(verified)
    rest = [one for one in verified.sentences if one not in answers]
    told = [PARTLY, by_document(replace(verified, sentences=tuple(answers)))]
    return "\n\n".join([*told, *([apart(replace(verified, sentences=tuple(rest)), REST)] if rest else [])])


def apart(verified: Verified, said: str = UNSURE) -> str:
    """Quotations that may not answer: `said` so first, then each by itself under the title of its document.

    Where two of them disagree that is said at the end.
    """
    told = [f"{title}:{_gap(group)}{_each(group)}" for title, group in _groups(verified)]
    if found := disagreement(verified):
        told.append(_disagree(*found, verified))
    return "\n\n".join([said, *told])


def only_nearest(answer: str) -> bool:
    """Whether the text says that it shows passages instead of an answer."""
    return answer.startswith(UNSURE)


def listed(verified: Verified, *, unsure: bool) -> str:
    """A line for each sentence: title of its document, words, citation numbers."""
    titles = _titles(verified)
    lines = "\n".join(f"- {titles[s.citations[0]]}: {numbered(s)}" for s in verified.sentences)
    return f"{UNSURE}\n\n{lines}" if unsure else lines


def _gap(sentences: Sequence[Sentence]) -> str:
    """What parts a title from the words under it: a list or block of code needs a blank line before it."""
    return "\n\n" if is_block(sentences[0]) else "\n"


def _each(sentences: Sequence[Sentence]) -> str:
    """A bullet each; what has lines of its own stands between blank ones, as a bullet would break them."""
    text, block_before = "", False
    for sentence in sentences:
        block = is_block(sentence)
        joint = "\n\n" if block or block_before else "\n"
        words = numbered(sentence) if block else f"- {numbered(sentence)}"
        text, block_before = f"{text}{joint}{words}" if text else words, block
    return text


def declined(closest: Candidate | None, avoided: Sequence[Candidate], *, shared: bool = False) -> str:
    """That nothing answers, and where the closest passage is. `shared`: whoever asked is not its only reader."""
    told = [NOTHING_FOR_ALL if shared else NOTHING]
    if closest is not None:
        told.append(CLOSEST + _named(closest.passage))
    if avoided:
        told.append(INJECTED)
    return " ".join(told)


def names_one_of(words: str, passages: Iterable[Passage]) -> bool:
    """Whether a decline names, if it names a passage, one of these as it is called now."""
    return CLOSEST not in words or any(CLOSEST + _named(one) in words for one in passages)


def _named(passage: Passage) -> str:
    return f"{place(passage)}."


def is_near(candidate: Candidate) -> bool:
    """Whether the passage shares a word worth naming with the question; one found for gibberish does not."""
    return candidate.features.get("coverage", 0.0) >= NEAR


def place(passage: Passage) -> str:
    """`notes:it/vpn.md, “Key rotation”`: a document, and the last heading above the passage or the page."""
    path = visible(_line(f"{passage.source}:{passage.path}"))
    heading = disarm(_line(passage.section[-1] if passage.section else passage.title), "")
    told = [path, passage.where] if passage.page is not None else [path]
    return ", ".join([*told, f"“{heading}”"] if heading else told)


def title_of(passage: Passage) -> str:
    """The title of its document, with a word on where that is from if it is not of the documents."""
    title = disarm(_line(passage.title), "")
    if passage.origin == "external":
        return (title or "A page") + WEB
    return title or visible(shown_title("", passage.path))


def _from_web(verified: Verified) -> list[str]:
    """What to say before words that have no titles above them."""
    numbers = [c.number for c in verified.citations if c.passage.origin == "external"]
    if not numbers:
        return []
    every = len(numbers) == len(verified.citations)
    return [FROM_WEB if every else PARTLY_FROM_WEB.format(", ".join(f"[{n}]" for n in numbers))]


def _groups(verified: Verified) -> list[tuple[str, list[Sentence]]]:
    """The sentences by the document of their first citation, in the order in which the documents come first."""
    passages = {c.number: c.passage for c in verified.citations}
    found: dict[tuple[str, str], list[Sentence]] = {}
    for sentence in verified.sentences:
        found.setdefault(passages[sentence.citations[0]].document, []).append(sentence)
    titles = _titles(verified)
    return [(titles[group[0].citations[0]], group) for group in found.values()]


def _titles(verified: Verified) -> dict[int, str]:
    """Per citation the title of its document, with the path where two documents have the same title."""
    titles = {c.passage.document: title_of(c.passage) for c in verified.citations}
    alike = Counter(titles.values())
    return {
        c.number: title if alike[title] == 1 or c.passage.origin == "external" else
        f"{title} ({visible(_line(c.passage.path))})"
        for c in verified.citations for title in [titles[c.passage.document]]
    }


def _line(text: str) -> str:
    return shown_path(" ".join(text.split()))
