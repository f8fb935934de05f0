"""The agent: in what order and how far questions are searched step by step, kept as JSON.

Nothing in the file is code, and every number in it is bounded. Its
instructions are words for a language model: they were written from labels and
counts, never from a question or a document.
"""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from vouch.correction.planning.planners import MOST_NAMES, MOST_PLACES, MOST_STEPS, Actor, Form, Template
from vouch.learning.models.model_file import Figures, Prints, Seed, Text, Texts, digest

WHAT, CURE = "an agent", "train one with: vouch train agent QUESTIONS"


class AgentTemplate(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    form: Form
    most: Annotated[int, Field(ge=1, le=MOST_PLACES)] = MOST_PLACES
    names: Annotated[int, Field(ge=1, le=MOST_NAMES)] = MOST_NAMES


class AgentModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["step-agent"] = "step-agent"
    agent_schema: Literal[1] = 1
    templates: Annotated[tuple[AgentTemplate, ...], Field(min_length=1, max_length=6)]
    steps: Annotated[int, Field(ge=1, le=MOST_STEPS)]
    follows: bool = False
    instructions: Text = ""
    data: Texts = ()
    seed: Seed = 0
    trained_on: Text = ""               # the day, ISO 8601
    fingerprints: Prints = {}           # of what it was trained with; told, and not needed to serve
    figures: Figures = {}
    refused: Text = ""                  # why it must not be served

    @model_validator(mode="after")
    def _check(self) -> Self:
        forms = [one.form for one in self.templates]
        if len(set(forms)) < len(forms):
            raise ValueError("a form of query stands in it twice")
        if any(not letter.isprintable() and letter != "\n" for letter in self.instructions):
            raise ValueError("the instructions hold a character that cannot be printed")
        return self

    @property
    def fingerprint(self) -> str:
        """Changes whenever a step could change."""
        return "agent:" + digest(self, {"agent_schema", "templates", "steps", "follows", "instructions"})

    @property
    def actor(self) -> Actor:
        templates = tuple(Template(one.form, one.most, one.names) for one in self.templates)
        return Actor(templates, self.steps, self.follows, self.instructions)


def model_of(actor: Actor) -> AgentModel:
    """Without figures. Raises ValueError for an actor that is none."""
    templates = tuple(AgentTemplate(form=one.form, most=one.most, names=one.names) for one in actor.templates)
    return AgentModel(templates=templates, steps=actor.steps, follows=actor.follows, instructions=actor.instructions)
