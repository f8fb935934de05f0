"""What people are told about how to ask: in answer to "help", and on the home tab."""

_NARROW = (
    "To look in one place alone, add source:NAME or path:FOLDER/; in:#CHANNEL for the sources set for it, from:@PERSON"
    " for what somebody looks after, after:2026-01-31 for what has changed since. steps:4 lets me take up to four"
    " further steps, steps:0 none."
)
HELP = ("Ask me a question about your company's documents: mention me in a channel, write me a direct message, or use"
        f" /vouch. In a thread that I have answered in, just ask on.\n{_NARROW}")
HOME = (
    "Ask me about your company's documents. Mention me in a channel, write me a direct message, or use /vouch.\n"
    "I use only what everybody who will read the answer may read: in a channel, all of its members; in a direct"
    " message, you.\n"
    f"{_NARROW}\n"
    "On a message of a person, choose Ask vouch about this: you alone get the answer.\n"
    "/vouch why ID tells how I found an answer to a question of yours; the ID stands below the answer."
)
