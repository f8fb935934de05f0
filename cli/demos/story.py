"""The demo's script. Each scene prints the command a person would type and runs exactly that."""

import shlex
import time
from pathlib import Path
from typing import Any

from bots.wrapping import Line
from cli.demos.learning_scene import learn
from cli.terminal import screen
from cli.terminal.activity import waiting
from cli.terminal.nested import run_command
from cli.terminal.output import say, say_all

ANA, BEN = "user:ana@acme.test", "user:ben@acme.test"
LEAVE = "How much additional parental leave can be granted?"
TWO = "How much does a week on call as primary pay and how long do deploy tokens live?"
PLAN = "What is a performance improvement plan and how long does it take?"
REVOKED = "people/performance-improvement.md"


def tell(place: Path, *, prefect: bool = False) -> None:
    started = time.monotonic()
    company = place / "acme"
    _scene("A company: who is in which group, its public-domain handbook as change events, its own papers in a folder")
    vouch("directory", "load", company / "directory.yaml")
    vouch("source", "add", "handbook", "--kind", "events", "--path", company / "handbook" / "events.jsonl.gz",
          "--access", company / "handbook" / "access.yaml")
    vouch("source", "add", "company", "--kind", "folder", "--path", company / "company")

    _scene("The first version: everything is read, cut into chunks and embedded")
    vouch("ingest", "company", "handbook", "--until", first_commit(company))

    _scene("The next real commits, one version each: only what changed is embedded")
    vouch("ingest", "handbook", "--step", 1)
    vouch("versions", "list")

    _scene("The same question by two people: each answer is made from what that person may read")
    ask(LEAVE, ANA)
    ask(LEAVE, BEN)

    _scene("Two questions in one: each part is searched for by itself")
    ask(TWO, ANA, steps=2)

    _scene("A question the documents do not answer")
    ask("What should I wear when I visit a client?", ANA)

    _scene("Feedback reaches the ledger through the log")
    private = ask(PLAN, BEN)
    vouch("feedback", private["id"], "up", "--reason", "exactly what I needed", "--as", BEN)

    _scene("Ben's group loses the people papers: his answer is gone at once, and no index is touched")
    revoke(company / "company" / "access.yaml")
    ask(PLAN, BEN)
    vouch("access", "explain", BEN, REVOKED)

    _scene("Back to the first version with one command. Permissions are not versioned: Ben still sees nothing")
    vouch("versions", "rollback", 1, "--hide")
    ask(PLAN, BEN)

    _scene("Learning from use: people vote, a model is fitted, gates decide whether it may serve, and what changes")
    learn(company / "questions.jsonl", vouch, ANA)

    if prefect:
        from cli.demos.deployment import show_deployment

        _scene("The same ingest as a Prefect deployment, run by a worker of a server of the demo's own")
        note = company / "company" / "engineering" / "coffee.md"
        note.write_text("# Coffee\n\nThe machine on the second floor is cleaned every Friday.\n", encoding="utf-8")
        vouch("versions", "release")
        show_deployment(place)
        ask("When is the coffee machine cleaned?", ANA)
    say(f"\nDone in {time.monotonic() - started:.0f} s.")


def first_commit(company: Path) -> int:
    """The number of events in the first commit."""
    from vouch.adapters.sources.events.file import EventsFile

    events = EventsFile(company / "handbook" / "events.jsonl.gz").events
    return sum(event.commit == events[0].commit for event in events)


def vouch(*words: object) -> None:
    """Runs one command in this process, after printing it."""
    argv = [str(word) for word in words]
    say("$ vouch " + " ".join(_short(word) for word in argv))
    run_command(argv)


def ask(text: str, reader: str, steps: int | None = None) -> dict[str, Any]:
    """Asks as `vouch ask` does, and returns the answer's JSON for scenes that go on with it."""
    from bots.terminal import render

    say(f"$ vouch ask {shlex.quote(text)}{'' if steps is None else f' --steps {steps}'} --as {reader}")
    with waiting("looking for an answer"):
        from cli.wiring.asking import open_ask_client

        with open_ask_client() as client:
            answer = client.ask(text, [reader], steps=steps)
    say_all(render(answer, screen.width()))
    say()
    return answer


def revoke(access: Path) -> None:
    """Takes group:people out of the rule for people/** and shows the edit."""
    before = access.read_text(encoding="utf-8")
    after = before.replace("allow: [group:people]", "allow: []", 1)
    access.write_text(after, encoding="utf-8")
    say(f"$ edit {_short(str(access))}")
    for old, new in zip(before.splitlines(), after.splitlines(), strict=True):
        if old != new:
            say(f"-{old}\n+{new}")


def _short(word: str) -> str:
    """Paths of the demo's temporary folder are told from `acme` on."""
    head, found, tail = word.partition("/acme/")
    return f"acme/{tail}" if found and head.startswith("/") else shlex.quote(word)


def _scene(title: str) -> None:
    say(Line(f"\n=== {title}", "strong"))
