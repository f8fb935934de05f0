"""A program puts a question on the log; a worker answers it, and the answer comes to the program's own address."""

import os
import subprocess
import sys
import time
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from http_scene.callback_receiver import SECRET, CallbackReceiver, loses_reply
from running import warm

from vouch.adapters.ledger import open_ledger
from vouch.adapters.message_log.embedded.log import EmbeddedLog
from vouch.messages import QuestionAsked, TagsAudience, encode, key_of

COMMAND = Path(sys.executable).with_name("vouch")


@pytest.mark.model
@pytest.mark.slow
def test_a_programs_questions_are_answered_at_its_address_once_each(tmp_path: Path) -> None:
    """Though the first reply is lost. A surface that nobody serves, and a person who asks too much, get what is due."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "leave.md").write_text("# Leave\n\nEverybody has thirty days of leave a year.\n")
    (docs / "access.yaml").write_text('rules:\n  - {match: "**", allow: [public]}\n')
    with CallbackReceiver() as receiver:
        receiver.to_posts.append(loses_reply)
        env = {name: value for name, value in os.environ.items() if not name.startswith("VOUCH_")} | {
            "VOUCH_HOME": str(tmp_path / "home"), "VOUCH_CALLBACK__URL": receiver.url,
            "VOUCH_CALLBACK__SECRET": SECRET, "VOUCH_CALLBACK__HOSTS": "127.0.0.1",
            "VOUCH_CALLBACK__SURFACE": "intranet", "VOUCH_ASKING__PER_MINUTE": "2", "VOUCH_LOG_FORMAT": "json",
        }

        for words in (["source", "add", "docs", "--kind", "folder", "--path", docs], ["ingest"]):
            warm.run([COMMAND, *map(str, words)], env=env, capture_output=True, timeout=180, check=True)
        producer = EmbeddedLog(tmp_path / "home" / "log.sqlite").producer()
        asked = {}
        for number, surface in enumerate(["intranet", "intranet", "intranet", "nowhere"]):
            one = QuestionAsked(
                id=uuid.uuid4().hex, text="How many days of leave does everybody have?", surface=surface,
                asker="user:ana@acme.test", audience=TagsAudience(tags=("public",)),
                asked_at=datetime.now(UTC) + timedelta(seconds=number), deadline=datetime.now(UTC) + timedelta(hours=1),
            )
            producer.send("questions", key_of(one), encode(one))
            asked[one.id] = surface
        worker = warm.Popen([COMMAND, "worker"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            text=True)
        ledger, until = open_ledger(tmp_path / "home" / "ledger.sqlite"), time.monotonic() + 120
        while ledger.outbox.counts() != {"sent": 3} and time.monotonic() < until and worker.poll() is None:
            time.sleep(0.1)
        worker.terminate()
        _, err = worker.communicate(timeout=60)
    assert worker.returncode == 0 and ledger.outbox.counts() == {"sent": 3}, err
    assert "leave" not in err
    expected = sorted(one for one, surface in asked.items() if surface == "intranet")
    assert sorted(post["question_id"] for post in receiver.posts) == expected
    actions = sorted(post["answer"]["action"] for post in receiver.posts)
    assert actions[-1] == "declined" and all(action.startswith("answered") for action in actions[:-1])
    [declined] = [post["answer"]["answer"] for post in receiver.posts if post["answer"]["action"] == "declined"]
    assert "2 questions within a minute" in declined and "ask again in" in declined
    assert receiver.complaints == [] and receiver.asked
    assert len(list(EmbeddedLog(tmp_path / "home" / "log.sqlite").read("questions.dead"))) == 1
