"""What the three kinds of work tell one another over the log.

QuestionAsked     questions           a surface heard a question
AnswerReady       answers             an answer has reached its surface
FeedbackGiven     feedback            a person judged an answer
DocumentsChanged  documents.changed   a source has, or may have, other documents
QuestionProgress  vouch.progress      how far a question is; best effort

Each topic that is worked off has a twin, `TOPIC.dead`, for messages that could not be handled.
"""

from vouch.messages.dead_letter import DeadLetter
from vouch.messages.encoding import BEST_EFFORT, DEAD, LARGEST, TOPICS, WORKED, about, decode, encode, key_of, topic_of
from vouch.messages.message import (
    HTTP,
    LARGEST_PATHS,
    LONGEST_QUESTION,
    MOST_STEPS,
    TERMINAL,
    AnswerReady,
    AudienceRef,
    Category,
    ConversationAudience,
    DocumentsChanged,
    FeedbackGiven,
    Message,
    QuestionAsked,
    QuestionProgress,
    Stage,
    StageDone,
    Tag,
    TagsAudience,
    Words,
)

__all__ = [
    "BEST_EFFORT",
    "DEAD",
    "HTTP",
    "LARGEST",
    "LARGEST_PATHS",
    "LONGEST_QUESTION",
    "MOST_STEPS",
    "TERMINAL",
    "TOPICS",
    "WORKED",
    "AnswerReady",
    "AudienceRef",
    "Category",
    "ConversationAudience",
    "DeadLetter",
    "DocumentsChanged",
    "FeedbackGiven",
    "Message",
    "QuestionAsked",
    "QuestionProgress",
    "Stage",
    "StageDone",
    "Tag",
    "TagsAudience",
    "Words",
    "about",
    "decode",
    "encode",
    "key_of",
    "topic_of",
]
