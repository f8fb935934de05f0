"""Small talk: what people say to somebody who answers, and that no document needs to be searched for.

Only a whole message counts, word for word but for case, marks and a name at
the end, so that no question about a greeting is taken for one.
"""

import re
from collections.abc import Mapping

_GREETING = "Hello. Ask me a question, and I look for the answer in the documents that everybody who sees it may read."
_HELP = (
    "I answer questions from your organization's documents, only from those that everybody who sees the answer may "
    "read, and say which lines an answer comes from. Ask in a whole sentence, such as: How do I book travel?"
)
_REPLIES: Mapping[str, frozenset[str]] = {
    _GREETING: frozenset({
        "hi", "hi there", "hello", "hello there", "hey", "hey there", "good morning", "good afternoon",
        "good evening", "how are you", "hi how are you", "hello how are you", "moin", "hallo", "bonjour", "hola",
    }),
    "You are welcome.": frozenset({
        "thanks", "thank you", "thanks a lot", "many thanks", "thank you very much", "thank you so much", "thx", "ty",
        "great thanks", "perfect thanks", "ok thanks", "okay thanks", "cool thanks", "merci", "danke", "gracias",
    }),
    "Goodbye.": frozenset({"bye", "goodbye", "bye bye", "see you", "see you later", "good night"}),
    _HELP: frozenset({
        "help", "help me", "what can you do", "what do you do", "who are you", "what are you", "how do you work",
        "what can i ask", "what can i ask you", "how does this work",
    }),
    "Is there anything else you want to know?": frozenset({
        "ok", "okay", "great", "perfect", "cool", "nice", "good", "got it", "i see", "understood", "alright", "test",
    }),
}
_LONGEST = 40                           # characters of the longest phrase with room for a name
_MARKS = re.compile(r":[a-z0-9_+'-]{1,40}:|[^\w\s]")      # `:wave:` is how chats write a sign
_NAME = " vouch"


def small_talk(text: str) -> str | None:
    """The reply if all of `text` is small talk, or is nothing but marks; None for a question."""
    if len(text) > _LONGEST:
        return None
    words = " ".join(_MARKS.sub("", text).lower().split()).removesuffix(_NAME)
    if not words:
        return _GREETING if text.strip() else None
    return next((reply for reply, phrases in _REPLIES.items() if words in phrases), None)
