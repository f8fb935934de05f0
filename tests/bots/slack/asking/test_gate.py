"""What the gate takes for a question for documents, and what of a question is read as a filter."""

import pytest
from slack_gate.measure import PARTS, PARTS_OF_THREADS, figures, thread_figures
from slack_scene.slack_company import LEAVE

from bots.slack.channels.gate import asks_for_documents
from bots.slack.channels.operators import read_operators
from bots.slack.channels.thread_gate import asks_on
from vouch.errors import BadInput
from vouch.filters import EVERYTHING

KNOWN = {"U5": ("user:ana@acme.test", "Ana"), "S5": ("group:support", "a user group")}


def test_it_errs_on_silence() -> None:
    found = [figures(part) for part in PARTS]
    assert sum(one.questions + one.chatter for one in found) >= 120
    assert sum(one.disturbed for one in found) <= 1 and sum(one.taken for one in found) >= 110
    assert figures("last").disturbed <= 1 and figures("last").taken >= 16


@pytest.mark.parametrize("text", [
    "How do I book travel?", "Hi all, how do I book travel?", "I am off to Oslo. What is the hotel limit there?",
    ":wave: How do I book travel?", "how do I book travel", "Does anyone know how to get a travel card",
])
def test_questions_for_documents(text: str) -> None:
    assert asks_for_documents(text)


@pytest.mark.parametrize("text", [
    "", "how?", "How do I fix this bug", f"How do I book travel {'x ' * 80}?", "<@U1> how do I book travel?",
    "<!here> how do I book travel?", "How do you book travel?", "How do I book travel today?",
])
def test_what_is_left_to_people(text: str) -> None:
    assert not asks_for_documents(text)


def test_in_a_thread_it_passes_over_what_people_say_to_one_another() -> None:
    found = [thread_figures(part) for part in PARTS_OF_THREADS]
    assert sum(one.questions + one.chatter for one in found) >= 90
    assert sum(one.taken for one in found) >= 98 and sum(one.disturbed for one in found) <= 1


@pytest.mark.parametrize("text", [
    "and for contractors?", "how long does that take", "What about Spain", "Thanks, and for interns?", LEAVE,
    "and hotels?", "Hotels?", "how much", "who approves it", "and when do I have to hand in the receipts",
    "ok so what about international",
])
def test_follow_ups_in_a_thread(text: str) -> None:
    assert asks_on(text)


@pytest.mark.parametrize("text", [
    "", "thanks!", "I agree", "<@U1> what do you think?", "Can somebody close the window?", "who wants coffee",
    "so I told him no", "and then we left", "when are you back, Ana?", "Ana, can you take this one?",
    "Ana, how do I book travel?", "How do I book travel, Ana?",
    "and you?", "and Ana?", "thoughts?", "so 3 of us?", "did Tom approve it?", "is Maria back?",
    "Émile, how do I book travel?", "How do I book travel, Şükrü?", "Ольга, how do I book travel?",
])
def test_what_is_left_to_people_in_a_thread(text: str) -> None:
    assert not asks_on(text)


@pytest.mark.parametrize(("text", "rest", "told"), [
    ("leave? source:handbook.", "leave? ", "source handbook"),
    ('in:"people &amp; culture" leave', " leave", "source people & culture"),
    ("in:hr/travel.md leave", " leave", "path hr/travel.md"),
    ("path:/hr/** in:b after:2026-01-31 x", "   x", "source b; path hr/**; changed 2026-01-31 or later"),
    ("what is in <#C5|rules>?", "what is in <#C5|rules>?", "source rules"),
    ("in:<#C5|rules> leave", " leave", "source rules"),
    ("from:<@U5> leave", " leave", "owner Ana"),
    ("leave? owner:<@U5|ana>. from:group:support", "leave?  ", "owner Ana, group:support"),
    ("from:<!subteam^S5|@help> x", " x", "owner a user group"),
    ("from:<mailto:Ana@acme.test|Ana@acme.test> from:group:support x", "  x",
     "owner user:Ana@acme.test, group:support"),
    ("from:ana@acme.test, source:a x", "  x", "source a; owner user:ana@acme.test"),
])
def test_operators(text: str, rest: str, told: str) -> None:
    found, filters = read_operators(text, {"C5": ("rules",)}.get, KNOWN.get)
    assert (found, filters.told()) == (rest, told)


@pytest.mark.parametrize("text", [
    "Which sign-in: a password or a key?", "see http://a.test/path:x", "it is inside:out", "source: where is it?",
    "what is <#C6|lobby> for?", "resource:x", "",
])
def test_words_that_are_no_operators_stay(text: str) -> None:
    assert read_operators(text, lambda _: None, lambda _: None) == (text, EVERYTHING)


@pytest.mark.parametrize("text", [
    "after:yesterday x", "in:<#C6> x", "from:<#C5> x", "from:<@U1> x", "from:<!subteam^S1> x",
    "from:@ana x", "from:<@ana> x", "owner:handbook x", "owner:public x", "owner:group: x",
    "from:<!here> x", "source:\u200b x", " ".join(f"path:{n}" for n in range(101)),
    " ".join(f"path:a{n}*b*c*d*" for n in range(9)),
])
def test_a_filter_that_says_nothing_known_is_never_left_out(text: str) -> None:
    with pytest.raises(BadInput):
        read_operators(text, {"C5": ("rules",)}.get, KNOWN.get)
