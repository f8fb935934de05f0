"""All steps there are, by the names that recipes call them; docs/recipes.md lists them, and a test compares."""

from collections.abc import Mapping

from vouch.retrieval.recipe.abbreviations import Abbreviations
from vouch.retrieval.recipe.choosing import Diversify, Documents, Topic
from vouch.retrieval.recipe.filtering import FilterNamed
from vouch.retrieval.recipe.finding import Expand, Fuse, Near, Retrieve, Spread
from vouch.retrieval.recipe.query_words import Entities, Spelling
from vouch.retrieval.recipe.reranking import GuidedRerank, Rerank, ScoreFilter
from vouch.retrieval.recipe.step import Step
from vouch.retrieval.recipe.suggesting import Augment, Hypothesize

STEPS: Mapping[str, type[Step]] = {
    step.name: step for step in (
        FilterNamed, Spelling, Abbreviations, Entities, Augment, Hypothesize, Retrieve, Near,
        Fuse, Topic, Documents, Expand, Spread, Rerank, GuidedRerank, ScoreFilter, Diversify,
    )
}  # fmt: skip
