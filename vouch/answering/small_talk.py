"""Small talk: what people say to somebody who answers, and that no document needs to be searched for.

Only a whole message counts: one that is made of these phrases alone, but for
case and marks. So "thanks, and how do I book travel?" is a question.
"""

import re
from collections.abc import Iterator, Mapping

_ASK = "Ask me a question, and I look for the answer in the documents that everybody who sees it may read."
_GREETING = f"Hello. {_ASK}"
_HELP = (
    "I answer questions from your organization's documents, only from those that everybody who sees the answer may "
    "read, and say which lines an answer comes from. Ask in a whole sentence, such as: How do I book travel?"
)
_HUMAN = (
    "I am a program. To reach a person, press I need a human below an answer, where there is such a button, or ask "
    "whoever runs vouch."
)
_SORRY = (
    "Sorry. A vote on the answer tells whoever looks after it what is wrong with it. To get another one, ask again in "
    "other words."
)
_THANKED, _LEFT, _NOTED = "You are welcome.", "Goodbye.", "Is there anything else you want to know?"

# By reply, the weightiest first: "ok, thanks, bye" is answered as thanks.
_PHRASES: Mapping[str, str] = {
    _HUMAN: "i need a human, i want a human, a human please, human please, get me a human, is there a human,"
            " need a human, need human, need a person,"
            " i need a person, i need to talk to a human, i want to talk to a human, can i talk to a human,"
            " i need to speak to a human, i want to speak to a human, can i speak to a human, talk to a human,"
            " speak to a human, i want to talk to a person, can i talk to a person, can i talk to somebody,"
            " can i talk to someone",
    _SORRY: "you are wrong, youre wrong, thats wrong, that is wrong, this is wrong, thats not right, wrong answer,"
            " thats not true, that is not true, bad bot, not helpful, that did not help, that didnt help,"
            " that is not what i asked, thats not what i asked, not what i asked",
    _HELP: "help, help me, i need help, what can you do, what do you do, who are you, what are you, how do you work,"
           " what can i ask, what can i ask you, how does this work",
    _THANKED: "thanks, thank you, many thanks, thx, ty, tysm, merci, danke, gracias, thanks a lot",
    _LEFT: "bye, goodbye, bye bye, see you, see you later, good night",
    _NOTED: "ok, okay, great, perfect, cool, nice, good, got it, i see, understood, alright, test, good bot, nice bot,"
            " great bot, good answer, great answer, well done, good job, nice work, awesome, amazing, excellent, lol,"
            " haha, hahaha, resolved, solved, done, never mind, nevermind, nvm, forget it, forget that, yes, no",
    _GREETING: "hi, hello, hey, good morning, good afternoon, good evening, how are you, how is it going,"
               " hows it going, moin, hallo, bonjour, hola",
}
_BESIDES = (
    "vouch, there, all, everyone, again, today, doing, please, a lot, so much, very much, a million, you,"
    " that helped, this helped, that helps, this helps, that was helpful, very helpful, for the help, for your help,"
    " for the answer, for your answer, for the info, for helping, for helping me, it worked, that worked, that works,"
    " much appreciated, i appreciate it"
)
_REPLY_TO: Mapping[str, str] = {
    phrase: reply for reply, phrases in {"": _BESIDES, **_PHRASES}.items() for phrase in phrases.split(", ")
}
_LONGEST = 80                           # characters
_MOST_WORDS = max(phrase.count(" ") + 1 for phrase in _REPLY_TO)
_MARKS = re.compile(r":[a-z0-9_+'-]{1,40}:|['’]|[^\w\s]")       # `:wave:` is how chats write a sign
_WAVES = (":wave:", "\U0001f44b")


def small_talk(text: str) -> str | None:
    """The reply if all of `text` is small talk, or is nothing but marks; None for a question."""
    if len(text) > _LONGEST:
        return None
    words = _MARKS.sub(lambda mark: "" if mark[0] in "'’" else " ", text.lower()).split()
    if not words:
        waves = any(sign in text for sign in _WAVES)
        return _GREETING if waves else _ASK if text.strip() else None
    replies = set(_replies(words))
    return None if None in replies else next((reply for reply in _PHRASES if reply in replies), None)


def _replies(words: list[str]) -> Iterator[str | None]:
    """To each phrase from the left, the longest that fits; None, and no more, where none does."""
    at = 0
    while at < len(words):
        sizes = range(min(_MOST_WORDS, len(words) - at), 0, -1)
        size = next((size for size in sizes if " ".join(words[at:at + size]) in _REPLY_TO), 0)
        yield _REPLY_TO[" ".join(words[at:at + size])] if size else None
        if not size:
            return
        at += size
