"""Letters that a name may begin with, for character classes of patterns."""

CAPITALS = (
    "A-ZÀ-ÖØ-ÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮİĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽȘȚẞ"
    r"\u0386\u0388-\u038f\u0391-\u03ab\u0400-\u042f\u0490"
)
"""Of Latin, Greek and Cyrillic alphabets of Europe, to stand between brackets."""
