"""A stop keeps nobody waiting, and nothing of it is logged as a failure."""

import logging
import time
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from homes.memory import folder_in_memory
from http_scene.http_client import Reply
from http_scene.http_place import http_place

QUESTION = "How many days of paid leave has everybody?"


def test_whoever_waits_is_let_go_at_once(caplog: pytest.LogCaptureFixture) -> None:
    waiting: list[Future[Reply]] = []
    with ThreadPoolExecutor(4) as pool, caplog.at_level(logging.INFO):
        with folder_in_memory() as folder, http_place(folder, works=False) as place:
            ana = place.person("ana")
            asked = ana.post("/v1/ask", {"question": QUESTION, "wait": 0}).json
            page = f"/answers/{asked['question_id']}/events"
            waiting.append(pool.submit(ana.post, "/v1/ask", {"question": QUESTION, "wait": 60}))
            waiting += [pool.submit(ana.get, path) for path in (page, f"{asked['answer_at']}/events")]
            time.sleep(1)
            assert not any(one.done() for one in waiting)
            began = time.monotonic()
        took, ends = time.monotonic() - began, [one.result() for one in waiting]
    assert took < 5
    assert [one.status for one in ends] == [202, 200, 200]
    assert ends[0].json["answer_at"] == ends[0].headers["location"]
    assert not [one.getMessage() for one in caplog.records if one.levelno >= logging.WARNING]
