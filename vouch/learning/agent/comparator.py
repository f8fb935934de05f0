"""The comparator that works offline: what tells good sequences from bad ones becomes changes of the actor."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from vouch.correction.planning.planners import FORMS, MOST_STEPS, Actor, Template
from vouch.learning.agent.contrast import Contrast, FormUse

_SHARED = 0.25                          # of the weight of an ending that those that did well share
_IDLE = 0.5                             # of a form's steps: from here on it is tried less far


@dataclass(frozen=True, slots=True)
class Proposal:
    """`weight`: how much of the difference the change may explain; only their order counts."""

    actor: Actor
    why: str
    weight: float


def proposals(
    actor: Actor, found: Contrast, most_steps: int = MOST_STEPS, *, templates: bool = True
) -> list[Proposal]:
    """Changes of one thing each, the likeliest first; those of equal weight in the order they are made.

    Without `templates` those of them are left out: a planner that is a language model does not go by them.
    """
    made = [*_endings(actor, found, most_steps)]
    if templates:
        made += [*_uses(actor, found), *_more(actor, found)]
    return sorted((one for one in made if one.weight > 0), key=lambda one: -one.weight)


def _endings(actor: Actor, found: Contrast, most: int) -> Iterator[Proposal]:
    """How far it goes: too short where those that did badly were stopped, too far where the last step is idle."""
    if not actor.follows:
        why = "it stopped although more was expected: follow a name first"
        yield Proposal(replace(actor, follows=True), why, _stopped(found, "covered"))
    stopped = max(_stopped(found, "budget"), _stopped(found, "planned"))
    if actor.steps < most:
        yield Proposal(replace(actor, steps=actor.steps + 1), "its steps were used up: one more", stopped)
    if actor.steps > 1:
        yield Proposal(replace(actor, steps=min(actor.steps, most) - 1), "its last step brings nothing: one less",
                       found.last_idle - 0.5)
    if actor.follows:
        yield Proposal(replace(actor, follows=False), "steps after likely evidence bring nothing",
                       found.last_idle - 0.75)


def _uses(actor: Actor, found: Contrast) -> Iterator[Proposal]:
    """Which templates there are, in which order, and how far each goes."""
    by_form = {form_use.form: form_use for form_use in found.forms}
    for index, template in enumerate(actor.templates):
        use = by_form.get(template.form)
        if use is None:
            continue
        rest = actor.templates[:index] + actor.templates[index + 1 :]
        lost = use.used_badly - use.used_well if found.well and found.badly else 0.0
        if rest and template.form != "part":    # that the questions of a training have no parts says nothing of others
            why = f"{template.form} brings nothing: left out"
            yield Proposal(replace(actor, templates=rest), why, _waste(use, lost))
        if index:
            yield Proposal(replace(actor, templates=(template, *rest)), f"{template.form} first", use.brought - lost)
        if index < len(rest):
            ahead = use.first_badly - use.first_well
            yield Proposal(replace(actor, templates=(*rest, template)), f"{template.form} last",
                           max(ahead, use.idle) - use.brought)
        if template.names > 1 and template.form not in ("part", "open", "name"):
            fewer = replace(template, names=template.names // 2)
            yield Proposal(_with(actor, index, fewer), f"{template.form} with fewer names", (1 - use.brought) / 4)
        if template.most > 1 and use.idle > _IDLE:
            less = replace(template, most=max(1, template.most // 2))
            yield Proposal(_with(actor, index, less), f"{template.form} of fewer passages", (use.idle - _IDLE) / 2)


def _more(actor: Actor, found: Contrast) -> Iterator[Proposal]:
    """A form that is not there yet, first or last: where those that did badly had nothing left to try, or in vain."""
    ran_out = sum(found.badly_ended(end) for end in ("stop", "final"))
    ran_out += sum(found.badly_ended(end) for end in ("budget", "planned")) / 2
    unused = [form for form in FORMS if form not in {one.form for one in actor.templates}]
    for number, form in enumerate(unused):
        weight = ran_out / (2 + number)
        yield Proposal(replace(actor, templates=(*actor.templates, Template(form))), f"{form} as well, last", weight)
        yield Proposal(replace(actor, templates=(Template(form), *actor.templates)), f"{form} as well, first",
                       weight / 2)


def _stopped(found: Contrast, ended: str) -> float:
    """How likely an ending is the fault; one that all share may be it too."""
    return max(found.apart(ended), found.badly_ended(ended) * _SHARED)


def _waste(use: FormUse, lost: float) -> float:
    return use.idle + max(lost, 0.0) - 2 * use.brought - 0.25


def _with(actor: Actor, place: int, template: Template) -> Actor:
    return replace(actor, templates=(*actor.templates[:place], template, *actor.templates[place + 1 :]))
