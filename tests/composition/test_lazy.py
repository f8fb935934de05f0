"""What is made once is made once, and what follows something is made anew when that is another."""

import threading

import pytest

from composition.lazy import Following, Lazy


def test_a_value_is_made_once_and_tried_again_after_a_failure() -> None:
    made: list[int] = []

    def make() -> int:
        made.append(1)
        if len(made) == 1:
            raise OSError("not yet")
        return 7

    lazy = Lazy(make)
    with pytest.raises(OSError, match="not yet"):
        lazy()
    assert lazy() == lazy() == 7 and len(made) == 2


def test_what_follows_is_made_anew_only_for_another_source() -> None:
    source, made = [object()], list[object]()
    following = Following(lambda: source[0], lambda one: (made.append(one), one)[1])
    assert following() is following() is source[0] and len(made) == 1
    source[0] = object()
    assert following() is source[0] and len(made) == 2


def test_each_thread_gets_what_belongs_to_the_source_it_saw() -> None:
    sources, wrong = [object() for _ in range(50)], list[object]()
    mine = threading.local()

    def source() -> object:
        mine.seen = sources[threading.get_ident() % 2 + 2 * mine.turn % 48]
        return mine.seen

    following = Following(source, lambda one: (one, "made"))

    def run() -> None:
        for turn in range(300):
            mine.turn = turn
            if following()[0] is not mine.seen:
                wrong.append(turn)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
