"""What wakes readers of the embedded log in the process that sends: they need not wait for their next look."""

import threading
from collections import defaultdict
from collections.abc import Iterable


class Bells:
    """Threads share it. Other processes are not heard: who waits still looks from time to time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_topic: dict[str, set[threading.Event]] = defaultdict(set)

    def listen(self, topics: Iterable[str]) -> threading.Event:
        """What is set after each message to one of the topics, until `forget`; who waits clears it before looking."""
        bell = threading.Event()
        with self._lock:
            for topic in topics:
                self._by_topic[topic].add(bell)
        return bell

    def forget(self, bell: threading.Event) -> None:
        with self._lock:
            for listening in self._by_topic.values():
                listening.discard(bell)

    def ring(self, topic: str) -> None:
        """To be called once the message can be read."""
        with self._lock:
            listening = tuple(self._by_topic.get(topic, ()))
        for bell in listening:
            bell.set()
