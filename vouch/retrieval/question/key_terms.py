"""Key terms of a passage: they say what it is about where it has no title, as many texts and mails have none."""

import re

from vouch.documents.chunk import plain
from vouch.documents.instructions import may_order_a_model
from vouch.documents.text.sentences import sentence_spans
from vouch.ports.index import View
from vouch.ports.models import Analyse
from vouch.values.candidate import Passage

MOST_KEY_TERMS = 4
_READ = 2000                            # characters of a passage
_WORD = re.compile(r"[^\W\d_][\w-]{2,}")


def key_terms(view: View, passage: Passage, said: str, analyse: Analyse) -> tuple[str, ...]:
    """Its words that the fewest visible passages hold, of equal ones the first; none that is `said` already, or from a
    sentence that may be an order to a model."""
    text, words, known = plain(passage.text)[:_READ], dict[str, str](), set(analyse(said))
    for start, end in sentence_spans(text):
        if not may_order_a_model(text[start:end]):
            for word in _WORD.findall(text, start, end):
                if len(terms := analyse(word)) == 1 and terms[0] not in known:
                    words.setdefault(terms[0], word)
    held = view.statistics(list(words)).frequency
    whole = [term for term in words if held.get(term)]      # not what the last word was cut to
    return tuple(words[term] for term in sorted(whole, key=lambda term: held[term])[:MOST_KEY_TERMS])
