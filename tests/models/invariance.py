"""Does a text's numbers depend on the texts beside it? One checker for encoders, rerankers and planted bugs."""

import random
from collections.abc import Callable, Sequence

import numpy as np

WORDS = (
    "leave", "policy", "travel", "voucher", "approval", "manager", "parental", "sick", "reset", "token", "vpn", "badge",
    "2021", "$450", "naïve", "东京", "e-mail", "U.S.", "don't", "#42", "a", "the", "of", "and", "for",
)


def texts(seed: int, count: int) -> list[str]:
    """Texts of every length from none to past the limit, some of them equal."""
    draw = random.Random(seed)
    lengths = (0, 1, 2, 5, 9, 14, 15, 16, 30, 31, 45, 60, 63, 90, 120, 150, 200, 255, 300)
    made = [" ".join(draw.choices(WORDS, k=draw.choice(lengths))) for _ in range(count)]
    return [draw.choice(made) if draw.random() < 0.1 else text for text in made]


def moved(encode: Callable[[Sequence[str]], Sequence[np.ndarray]], seed: int, rounds: int, count: int = 40) -> int:
    """How many vectors changed a bit between a first run and `rounds` runs with other neighbors, order and count."""
    draw = random.Random(seed)
    given = texts(seed, count)
    first = [np.asarray(v).tobytes() for v in encode(given)]
    changed = 0
    for _ in range(rounds):
        chosen = draw.choices(range(count), k=draw.choice((1, 2, 3, 7, 20, count)))
        strangers = texts(draw.randrange(10**6), draw.choice((0, 1, 9)))
        mixed: list[tuple[str, int | None]] = [(given[i], i) for i in chosen] + [(text, None) for text in strangers]
        draw.shuffle(mixed)
        for (_, i), vector in zip(mixed, encode([text for text, _ in mixed]), strict=True):
            changed += i is not None and np.asarray(vector).tobytes() != first[i]
    return changed
