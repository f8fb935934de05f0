"""What is set for channels, and what became of questions while they waited, on both kinds of database."""

from datetime import UTC, datetime, timedelta

import pytest
from pydantic import ValidationError

from bots.slack.channels.ids import NamedInSlack
from vouch.adapters.ledger import Ledger
from vouch.adapters.ledger.conversations.changed_questions import ChangedQuestion
from vouch.adapters.ledger.engine.schema import metadata
from vouch.adapters.ledger.removal.erasure import Target
from vouch.filters import Filters
from vouch.messages import QuestionAsked, TagsAudience
from vouch.ports.surface import UNSET, ChannelSettings

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)


def test_what_is_set_for_a_channel_is_there_until_it_is_taken_away(ledger: Ledger) -> None:
    store = ledger.slack_channels
    chosen = ChannelSettings(answers="questions", sources=("handbook",), ephemeral=True,
                             owners=("user:ana@acme.test", "group:desk"),
                             askers=("U0ANA", "group:people", "user:Ana@acme.test"))
    store.set("C2", ChannelSettings(), "terminal")
    store.set("C1", chosen, "slack:U1")
    store.set("C1", chosen, "slack:U2")
    assert store.get("C1") == chosen and store.channel_owners("C1") == chosen.owners
    assert chosen.askers[-1] == "user:ana@acme.test"
    assert store.get("C3") == UNSET and store.channel_owners("C3") == ()
    assert [(row.channel, row.changed_by) for row in store.list()] == [("C1", "slack:U2"), ("C2", "terminal")]
    assert store.unset("C1") and not store.unset("C1") and store.find("C1") is None


@pytest.mark.parametrize("wrong", [
    {"answers": "always"}, {"owners": ["U1"]}, {"owners": ["public"]}, {"owners": ["<!channel>"]}, {"askers": ["ana"]},
    {"askers": ["user:a b"]}, {"sources": [""]}, {"sources": ["a\n"]},
])
def test_what_cannot_be_set_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        NamedInSlack.model_validate(wrong)


def test_the_last_words_count_and_a_question_that_was_taken_back_stays_so(ledger: Ledger) -> None:
    def put(text: str | None, seconds: float) -> bool:
        change = ChangedQuestion("q", text, NOW + timedelta(seconds=seconds), Filters(sources=("a",)))
        return ledger.changed.put(change, NOW)

    assert put("first", 1) and put("second", 3) and not put("between", 2)
    found = ledger.changed.find("q")
    assert found is not None and found.text == "second" and found.filters.sources == ("a",)
    assert not put(None, 2) and not ledger.answers.answered("q")           # an edit that was told late
    assert put(None, 8) and not put("late", 7) and not put("third", 9)      # deleted is deleted
    for _ in range(2):
        ledger.changed.take_back("q", NOW)
    assert ledger.answers.answered("q") and ledger.answers.by_question("q") is None
    found = ledger.changed.find("q")
    assert found is not None and found.text is None and not put("fourth", 10)


@pytest.mark.parametrize(("seconds", "gone"), [(-1.5, False), (-0.5, True), (0.0, True), (60.0, True)])
def test_words_that_were_asked_again_are_gone_once_their_message_changes(
    ledger: Ledger, seconds: float, gone: bool
) -> None:
    """Moments of edits may be whole seconds."""
    copy = QuestionAsked(id="copy", text="words", surface="slack", asker="public", asked_at=NOW,
                         audience=TagsAudience(tags=("public",)), words_of=("q", "other"))
    assert not ledger.changed.is_gone(copy)
    for text in ("words", None):
        ledger.changed.put(ChangedQuestion("q", text, NOW + timedelta(seconds=seconds)), NOW)
        assert ledger.changed.is_gone(copy) == gone


def test_words_that_nobody_asked_for_are_kept_for_a_day(ledger: Ledger) -> None:
    ledger.changed.put(ChangedQuestion("old", "words", NOW), NOW)
    ledger.changed.put(ChangedQuestion("new", "words", NOW), NOW + timedelta(hours=23))
    assert ledger.changed.find("old") is not None
    ledger.changed.put(ChangedQuestion("newer", "words", NOW), NOW + timedelta(hours=25))
    old, new = ledger.changed.find("old"), ledger.changed.find("new")
    assert old is not None and old.text is None and new is not None and new.text == "words"


def test_tidy_and_purge_let_go_of_changes_that_nobody_will_answer(ledger: Ledger) -> None:
    now = datetime.now(UTC)
    for run in (lambda: ledger.expiry.expire(now - timedelta(days=62), now - timedelta(days=7)),
                lambda: ledger.erasure.erase(Target((), (), lambda data: False), (), ())):
        ledger.changed.put(ChangedQuestion("waits", "words", now), now)
        ledger.changed.put(ChangedQuestion("left", "words", now), now - timedelta(hours=25))
        run()
        left, waits = ledger.changed.find("left"), ledger.changed.find("waits")
        assert left is not None and left.text is None and waits is not None and waits.text == "words"


def test_that_words_count_no_more_is_kept_as_long_as_answers(ledger: Ledger) -> None:
    now = datetime.now(UTC)
    ledger.changed.put(ChangedQuestion("old", None, now), now - timedelta(days=92))
    ledger.changed.put(ChangedQuestion("new", None, now), now - timedelta(days=90))
    ledger.expiry.expire(now - timedelta(days=90), now - timedelta(days=7))
    assert ledger.changed.find("old") is None and ledger.changed.find("new") is not None


def test_a_purge_takes_back_what_was_changed_into_words_of_the_document(ledger: Ledger) -> None:
    now = datetime.now(UTC)
    ledger.changed.put(ChangedQuestion("quotes", "the secret words", now), now)
    ledger.changed.put(ChangedQuestion("other", "words", now), now)
    ledger.erasure.erase(Target((), (), lambda data: b"secret" in data), (), ())
    quotes, other = ledger.changed.find("quotes"), ledger.changed.find("other")
    assert quotes is not None and quotes.text is None and other is not None and other.text == "words"


def test_every_table_is_cleaned_by_a_purge_or_named_as_one_that_stays() -> None:
    """A new table has to be thought of."""
    cleaned = {"answers", "candidates", "outbox", "feedback", "labels", "runs", "stat_cache", "restrictions", "models",
               "model_moves", "answer_steps", "changed_questions", "handoffs", "drafts", "notices", "flow_runs"}
    numbers = {"pointers", "inbox", "asked", "posted", "attempts", "holds", "model_pointers", "ended",
               "slack_events", "slack_changes", "votes_given"}
    kept = {"sources", "rulebooks", "former_rules", "directory", "versions", "purges", "example_choices",
            "slack_channels", "acts"}
    assert set(metadata.tables) == cleaned | numbers | kept
