"""What a question costs in looks at rules and memberships: one for each time that an answer is shown, no more."""

import threading
from pathlib import Path

import pytest
from http_scene.http_place import http_place

from vouch.access import PUBLIC, Permissions
from vouch.adapters.access.watched import WatchedPermissions


class Looks:
    """Counts those of this thread; worker and sender look by themselves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count, here, looked_up = 0, threading.get_ident(), WatchedPermissions.permissions

        def counted(watched: WatchedPermissions) -> Permissions:
            self.count += threading.get_ident() == here
            return looked_up(watched)

        monkeypatch.setattr(WatchedPermissions, "permissions", counted)

    def taken(self) -> int:
        taken, self.count = self.count, 0
        return taken


@pytest.mark.parametrize("readers", [["user:ana"], ["user:ana", "user:ben"], [PUBLIC]])
def test_permissions_are_looked_up_once_for_each_look_at_an_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, readers: list[str]
) -> None:
    with http_place(tmp_path) as place:
        body = {"question": "How many days of paid leave has everybody?", "audience": readers[1:]}
        client = place.visitor() if readers == [PUBLIC] else place.person("ana")
        answer = client.post("/v1/ask", body).json
        looks, questions = Looks(monkeypatch), place.service.questions
        questions.ask("How many days of paid leave are there?", readers, stranger="192.0.2.1")
        assert looks.taken() == 0               # whether there is an index is no question of permissions
        assert questions.look(answer["id"], readers[-1]) == answer
        assert looks.taken() == 1
        assert questions.may_read(readers[0], [one["chunk_id"] for one in answer["citations"]])
        assert looks.taken() == 1


def test_a_search_looks_them_up_for_its_readers_for_its_passages_and_at_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with http_place(tmp_path) as place:
        library, looks = place.service.library, Looks(monkeypatch)
        found = library.search("leave", ["user:ana"], 1, "lexical")["results"][0]
        assert looks.taken() == 3
        library.show(found["chunk_id"], ["user:ana"], 1)
        library.document(found["source"], found["path"], ["user:ana"], 0, 1)
        library.documents(["user:ana"], ("", ""), 1)
        assert looks.taken() == 6
