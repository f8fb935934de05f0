"""Lists: does a question want everything there is on something, and what is that something?

Recognised by form alone, so that nothing a document says decides it. A
question taken for a list by mistake is answered with one quotation for each
document instead of the best few, which is harmless.
"""

import re

from vouch.ports.analyser import Analyser
from vouch.retrieval.query import Query

_PLEASE = (
    r"(?:please\W+|kindly\s+|(?:can|could|would|will) you\s+(?:please\s+)?|"
    r"i (?:need|want|would like)\s+(?:to see\s+)?)*"
)
_PAPERS = r"(?:documents|docs|pages|papers|files|articles|policies|guides|manuals|sections|chapters|records)"
_ALL = r"(?:all|every|each|any)"
_THE = r"(?:(?:all|every|each|any|of|the|our|your|my|these|those|a|an)\s+)*"
_ABOUT = (
    r"(?:that |which |where |in which |on which )?(?:are |is |do |does )?(?:we |you |they |it )?"
    r"(?:mention(?:s|ing)?|about|on|regarding|concerning|contain(?:s|ing)?|discuss(?:es|ing)?|cover(?:s|ing)?|with|"
    r"refer(?:s|ring)? to|deal(?:s|ing)? with|talk(?:s|ing)? (?:about|of)|speak(?:s|ing)? (?:about|of)|"
    r"(?:say(?:s|ing)?|tell(?:s|ing)?)(?: \w+)? (?:about|on|of))\s+"
)
_LIST = r"(?:a |the )?(?:complete |full |whole )?(?:lists?|overview) of|everything|anything"
_FORMS = tuple(re.compile(f"{_PLEASE}{form}", re.IGNORECASE) for form in (
    r"(?:list|enumerate|itemi[sz]e)\b\s*(?:me |us |out |up )?(?P<rest>.*)",
    rf"name\s+(?:me |us )?(?={_ALL}\s)(?P<rest>.*)",
    rf"(?:give|show|tell|find|get|send|collect|bring)\s+(?:me |us )?(?:{_LIST}|(?={_ALL}\s))\s*(?P<rest>.*)",
    r"(?:a |the )?(?:complete |full )?list of\s+(?P<rest>.*)",
    rf"(?:in |on )?(?:which|what)\s+(?:(?:other|all|of)\s+)*{_THE}(?P<rest>{_PAPERS}\b.*)",
    r"which of\s+(?:the|our|your|my|these|those|all)\s+(?P<rest>.*)",
    r"(?:what|which)\s+(?:are|is)\s+all\s+(?P<rest>.*)",
    rf"(?={_ALL} (?:the |our |of )*(?:\w+ ){{1,3}}(?:that|which|who|where|about|on|with|mentioning|regarding)\b)"
    r"(?P<rest>.*)",
    r"where (?:all )?(?:is|are|was|were) (?P<rest>.+?) mentioned\b.*",
))
_PAPER = r"document|page|paper|file|article|policy|guide|section|everything|anything"
_FRAME = re.compile(rf"{_THE}(?:{_PAPERS}|{_PAPER})?\b\s*{_ABOUT}(?P<rest>.*)", re.IGNORECASE)
_BARE = re.compile(rf"{_THE}(?:{_PAPERS}\b\s*)?(?:that |which |who |where )?(?P<rest>.*)", re.IGNORECASE)


def listed(question: str) -> str | None:
    """What the question wants listed, without the words that only ask for a list; None if it asks for none."""
    text = question.strip().rstrip("?.! ")
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
