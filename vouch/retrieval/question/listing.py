"""Lists: does a question want everything there is on something, and what is that something?

Recognised by form alone, so that nothing a document says decides it. A
question taken for a list by mistake is answered with one quotation for each
document instead of the best few, which is harmless.
"""

import re

from vouch.ports.models import Analyser
from vouch.values.question import Query

# Of text with single spaces. Loops are possessive: a question may try for long to be nearly one of these.
_PLEASE = (
    r"(?:please\W++|kindly |(?:can|could|would|will) you |i (?:need|want|would like) (?:to see )?){0,6}+"
)
_PAPERS = r"(?:documents|docs|pages|papers|files|articles|policies|guides|manuals|sections|chapters|records)"
_ALL = r"(?:all|every|each|any)"
_ANY = "all|every|each|any|of|the|our|your|my|these|those|a|an"
_THE = rf"(?:(?:{_ANY}) )*+"
_ABOUT = (
    r"(?:that |which |where |in which |on which )?(?:are |is |do |does )?(?:we |you |they |it )?"
    r"(?:mention(?:s|ing)?|about|on|regarding|concerning|contain(?:s|ing)?|discuss(?:es|ing)?|cover(?:s|ing)?|with|"
    r"refer(?:s|ring)? to|deal(?:s|ing)? with|talk(?:s|ing)? (?:about|of)|speak(?:s|ing)? (?:about|of)|"
    r"(?:say(?:s|ing)?|tell(?:s|ing)?)(?: \w+)? (?:about|on|of)) "
)
_LIST = r"(?:a |the )?(?:complete |full |whole )?(?:lists?|overview) of|everything|anything"
_FORMS = tuple(re.compile(f"{_PLEASE}{form}", re.IGNORECASE | re.DOTALL) for form in (
    r"(?:list|enumerate|itemi[sz]e)\b ?(?:me |us |out |up )?(?P<rest>.*)",
    rf"name (?:me |us )?(?={_ALL} )(?P<rest>.*)",
    rf"(?:give|show|tell|find|get|send|collect|bring) (?:me |us )?(?:{_LIST}|(?={_ALL} )) ?(?P<rest>.*)",
    r"(?:a |the )?(?:complete |full )?list of (?P<rest>.*)",
    rf"(?:in |on )?(?:which|what) (?:(?:other|{_ANY}) )*+(?P<rest>{_PAPERS}\b.*)",
    r"which of (?:the|our|your|my|these|those|all) (?P<rest>.*)",
    r"(?:what|which)\s+(?:are|is) all (?P<rest>.*)",
    rf"(?={_ALL} (?:the |our |of )*(?:\w+ ){{1,3}}(?:that|which|who|where|about|on|with|mentioning|regarding)\b)"
    r"(?P<rest>.*)",
    r"where (?:all )?(?:is|are|was|were) (?P<rest>.+?) mentioned\b.*",
))
_PAPER = r"document|page|paper|file|article|policy|guide|section|everything|anything"
_FRAME = re.compile(rf"{_THE}(?:{_PAPERS}|{_PAPER})?\b ?{_ABOUT}(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_BARE = re.compile(rf"{_THE}(?:{_PAPERS}\b ?)?(?:that |which |who |where )?(?P<rest>.*)", re.IGNORECASE | re.DOTALL)


def listed(question: str) -> str | None:
    """What the question wants listed, without the words that only ask for a list; None if it asks for none."""
    text = " ".join(question.split()).rstrip("?.! ")
    for form in _FORMS:
        if match := form.fullmatch(text):
            rest = match["rest"].strip()
            framed = _FRAME.fullmatch(rest) or _BARE.fullmatch(rest)
            return (framed["rest"].strip() if framed else rest) or text
    return None


def as_list(query: Query, analyser: Analyser) -> Query:
    """The query for what is to be listed, if `query` asks for a list; otherwise `query` itself.

    Passages are compared with the thing alone: of "which documents mention
    telework" five words would speak against every passage on telework.
    """
    subject = listed(query.text)
    return query if subject is None else Query(subject, tuple(analyser.terms(subject)), lists=True)
