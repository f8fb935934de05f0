"""The ledger's tables. migrations/ brings a database to them; a test compares the two."""

from vouch.adapters.ledger.engine.tables.answers import (
    answer_steps,
    answers,
    asked,
    attempts,
    candidates,
    feedback,
    inbox,
    outbox,
    posted,
    votes_given,
)
from vouch.adapters.ledger.engine.tables.base import metadata
from vouch.adapters.ledger.engine.tables.conversations import (
    changed_questions,
    example_choices,
    slack_changes,
    slack_channels,
    slack_events,
)
from vouch.adapters.ledger.engine.tables.documents import holds, pointers, purges, runs, sources, stat_cache, versions
from vouch.adapters.ledger.engine.tables.handoffs import drafts, handoffs, notices
from vouch.adapters.ledger.engine.tables.operating import acts, flow_runs
from vouch.adapters.ledger.engine.tables.permissions import directory, ended, former_rules, restrictions, rulebooks
from vouch.adapters.ledger.engine.tables.registry import labels, model_moves, model_pointers, models

HEAD = "0020"                           # the newest migration; alembic itself is too slow to ask at each start

__all__ = [
    "HEAD", "acts", "answer_steps", "answers", "asked", "attempts", "candidates", "changed_questions", "directory",
    "drafts", "ended", "example_choices", "feedback", "flow_runs", "former_rules", "handoffs", "holds", "inbox",
    "labels", "metadata", "model_moves", "model_pointers", "models", "notices", "outbox", "pointers", "posted",
    "purges", "restrictions", "rulebooks", "runs", "slack_changes", "slack_channels", "slack_events", "sources",
    "stat_cache", "versions", "votes_given",
]
