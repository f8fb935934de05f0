"""The stemmer that figures of published work are computed with."""

from collections.abc import Callable


def porter() -> Callable[[str], str]:
    """Porter's of 1980, for English. Not to be shared between threads."""
    import Stemmer

    stemmer = Stemmer.Stemmer("porter")
    return lambda word: str(stemmer.stemWord(word))
