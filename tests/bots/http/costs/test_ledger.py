"""What HTTP itself does to the ledger for one question: counted, as times tell little on a busy machine."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from homes.memory import folder_in_memory
from http_scene.http_place import Place, http_place

QUESTION = "How many days of paid leave has everybody?"
MOST = 3                                # the answer, the version, the permissions


@contextmanager
def counted(place: Place) -> Iterator[Counter[str]]:
    """Transactions of the ledger, by whether threads of HTTP make them; looks for other processes' answers left out."""
    database, found = place.home.bench.ledger._database, Counter[str]()
    surface, looking = place.home.bench.ledger.surface, threading.local()
    kinds = {name: getattr(database, name) for name in ("read", "write")}
    sent_among = surface.sent_among

    def noted(name: str) -> Any:
        def opened(*words: Any) -> Any:
            thread = threading.current_thread().name
            if not getattr(looking, "now", False):
                found[f"{name} by {'HTTP' if 'AnyIO' in thread or thread == 'http' else 'others'}"] += 1
            return kinds[name](*words)
        return opened

    def looked(ids: Any) -> set[str]:
        looking.now = True
        try:
            return sent_among(ids)
        finally:
            looking.now = False

    for name in kinds:
        setattr(database, name, noted(name))
    surface.sent_among = looked         # type: ignore[method-assign]
    yield found


def test_a_question_over_http_looks_into_the_ledger_a_few_times_and_writes_nothing_there() -> None:
    with folder_in_memory() as folder, http_place(folder) as place:
        ana = place.person("ana")
        assert ana.post("/v1/ask", {"question": QUESTION, "wait": 30}).status == 200       # what is kept afterwards
        with counted(place) as found:
            assert ana.post("/v1/ask", {"question": QUESTION, "wait": 30}).status == 200
        print(dict(found))
        assert found["write by HTTP"] == 0 and found["write by others"] > 0
        assert 0 < found["read by HTTP"] <= MOST
