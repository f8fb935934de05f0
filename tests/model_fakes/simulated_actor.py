"""An actor whose errors depend on known faults of its templates, limits and instructions; and one of random labels."""

import hashlib
import random
from collections.abc import Sequence

from vouch.correction.planning.planners import Actor, Template
from vouch.learning.agent.run_summary import Action, Ending, Ran

FAULTY = Actor((Template("open"), Template("part")), steps=2)
"""It opens passages first, which brings nothing; it builds no bridges; it may take two steps; it stops at the first
link of a chain."""
KINDS = ("plain", "two hops", "three hops", "first link looks likely")
RULES = {"final": "Follow a name.", "budget": "Name one thing at a time.", "covered": "Go on after the first link."}


def questions(number: int, start: int = 0) -> list[str]:
    return [f"{KINDS[n % len(KINDS)]}:{n}" for n in range(start, start + number)]


def act(actor: Actor, question: str) -> Ran:
    """Each hop takes a bridge; a chain that looks done is followed only by an actor that follows."""
    kind = question.partition(":")[0]
    needed = {"plain": 0, "two hops": 1, "three hops": 2, "first link looks likely": 1}[kind]
    if kind in ("plain", "first link looks likely") and not actor.follows:
        return Ran(question, 1.0 if not needed else 0.5, (), "covered")
    actions, hops = list[Action](), 0
    for template in actor.templates:
        uses = {"open": 2, "part": 1, "bridge": 3}.get(template.form, 1)
        for _ in range(uses):
            if hops >= needed and actions:
                return _ran(question, actions, hops, needed, "covered")
            if len(actions) >= actor.steps:
                return _ran(question, actions, hops, needed, "budget")
            works = template.form == "bridge" and hops < needed
            hops += works
            actions.append(Action(template.form, int(works), int(works)))
    return _ran(question, actions, hops, needed, "final")


def instructed(actor: Actor, question: str) -> Ran:
    """A model that does wrong whatever its instructions do not say: each kind of question ends in its own way."""
    ends: dict[str, Ending] = {"two hops": "final", "three hops": "budget", "first link looks likely": "covered"}
    end = ends.get(question.partition(":")[0])
    if end is None or RULES[end] in actor.instructions:
        return Ran(question, 1.0, (Action("other", 1, 1),), "planned")
    return Ran(question, 0.5, (Action("other", 1, 0),), end)


class Writer:
    """A comparator as a language model would be: it reads the contrast and adds a rule against the worst ending."""

    name = "scripted"

    def __init__(self) -> None:
        self.told = list[str]()

    def instructions(self, before: str, contrast: str) -> str:
        self.told.append(contrast)
        lines = [line for line in contrast.splitlines() if line.startswith("ended as")]
        worst = max((line for line in lines if line.split()[2].rstrip(":") in RULES),
                    key=lambda line: int(line.rpartition(" ")[2].rstrip("%")))
        return f"{before} {RULES[worst.split()[2].rstrip(':')]}"


class RandomLabels:
    """Its metric has nothing to do with what the actor does."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def __call__(self, actor: Actor, question: str) -> Ran:
        digest = hashlib.sha256(f"{self._seed} {actor} {question}".encode()).digest()
        dice = random.Random(digest)
        did = act(actor, question)
        return Ran(question, dice.choice((0.0, 0.5, 1.0)), did.actions, did.ended)


def _ran(question: str, actions: Sequence[Action], hops: int, needed: int, ended: Ending) -> Ran:
    return Ran(question, (1 + min(hops, needed)) / (1 + needed), tuple(actions), ended)
