"""Who reads along in the conversations of a surface."""

from typing import Protocol


class Conversations(Protocol):
    """Of one surface."""

    def readers(self, conversation: str, *, anew: bool = False) -> tuple[str, ...]:
        """Access tags of all who would read a message there now, at least one. What all of them may read, it may hold.

        It may be a moment old, unless it is to be looked up `anew`, as right
        before a post. `public` stands for whoever cannot be told for sure.
        Raises SurfaceDown where nobody can tell now who is there.
        """
        ...
