"""An actor whose errors depend on known faults of its templates, limits and instructions; and one of random labels."""

import hashlib
import random
from collections import Counter
from dataclasses import replace

from vouch.correction.planning.planners import Actor, Template
from vouch.learning.agent.run_summary import Action, Ending, Ran

GOOD = Actor((Template("bridge"), Template("part")), steps=3, follows=True)
"""Does all questions well."""
FAULTS: dict[str, Actor] = {
    "opens passages first": replace(GOOD, templates=(Template("open"), *GOOD.templates)),
    "builds no bridges": replace(GOOD, templates=(Template("part"),)),
    "takes too few steps": replace(GOOD, steps=2),
    "stops at the first link": replace(GOOD, follows=False),
}
"""Each alone."""
FAULTY = Actor((Template("open"), Template("part")), steps=2)
"""All of them."""
KINDS = ("plain", "two questions", "two hops", "four hops", "first link looks likely")
_HOPS = {"two hops": 1, "four hops": 3, "first link looks likely": 1}
RULES = {"final": "Follow a name.", "budget": "Name one thing at a time.", "covered": "Go on after the first link."}


def questions(number: int, start: int = 0) -> list[str]:
    return [f"{KINDS[n % len(KINDS)]}:{n}" for n in range(start, start + number)]


def act(actor: Actor, question: str) -> Ran:
    """Each hop takes a bridge, and a second question its own words. A chain that looks done is followed only by an
    actor that follows; whoever opens a passage before the second question was searched takes that for its answer."""
    kind = question.partition(":")[0]
    needed = Counter({"bridge": _HOPS.get(kind, 0), "part": int(kind == "two questions")})
    found, actions = Counter[str](), list[Action]()

    def ran(ended: Ending) -> Ran:
        return Ran(question, (1 + found.total()) / (1 + needed.total()), tuple(actions), ended)

    if kind in ("plain", "first link looks likely") and not actor.follows:
        return ran("covered")
    for template in actor.templates:
        for _ in range({"open": 2, "bridge": max(1, needed["bridge"])}.get(template.form, 1)):
            if actions and (found == needed or (kind == "two questions" and actions[-1].form == "open")):
                return ran("covered")
            if len(actions) >= actor.steps:
                return ran("budget")
            works = found[template.form] < needed[template.form]
            found[template.form] += works
            actions.append(Action(template.form, int(works), int(works)))
    return ran("final")


def instructed(actor: Actor, question: str) -> Ran:
    """A model that does wrong whatever its instructions do not say: each kind of question ends in its own way."""
    ends: dict[str, Ending] = {"two hops": "final", "four hops": "budget", "first link looks likely": "covered"}
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


class FixedLabels:
    """A coin for each question, whatever the actor does; `idle`: the share of steps that bring nothing new."""

    def __init__(self, seed: int, idle: float) -> None:
        self._seed, self._idle = seed, idle

    def __call__(self, actor: Actor, question: str) -> Ran:
        steps = min(actor.steps, 4)
        forms = [actor.templates[min(n, len(actor.templates) - 1)].form for n in range(steps)]
        new = [self._dice(question, n).random() >= self._idle for n in range(steps)]
        actions = tuple(Action(form, 3 * one, 0) for form, one in zip(forms, new, strict=True))
        return Ran(question, float(self._dice(question).random() < 0.5), actions, "budget" if steps == 4 else "planned")

    def _dice(self, *of: object) -> random.Random:
        return random.Random(f"{self._seed} {of}")
