"""What of a message, as Slack sends it, is asked."""

from collections import Counter

import pytest
from slack_scene.slack_company import LEAVE, Company, at
from sqlalchemy import select

from bots.slack.reading import words
from vouch.adapters.ledger.engine.schema import outbox

TRAVEL = "How do I book travel?"


@pytest.mark.parametrize(("said", "read"), [
    ("<@U0> how?", "how?"), ("<@U0>, how?", "how?"), ("is it in <#C1|hr>", "is it in #hr"), ("<#C1>", "#C1"),
    ("<https://a.b|here>", "here"), ("<mailto:a@b.c|a@b.c>", "a@b.c"),
    ("<!here> a &amp; b &lt;c&gt;", "a & b <c>"),
    ("<!subteam^S1|@team> now", "team now"), ("a\x00\n b", "a b"), ("&amp;lt;", "&lt;"), ("<" * 50, "<" * 50),
    ("a\ud800b", "ab"),
])  # fmt: skip
def test_what_was_said_is_read_as_people_see_it(said: str, read: str) -> None:
    assert words(said) == read


@pytest.mark.parametrize("said", [
    f":wave: {TRAVEL}", f"{TRAVEL} :pray::skin-tone-2:", f"{TRAVEL} cc <@U1>", f"<@U1>, {TRAVEL}",
    f"{TRAVEL} CC: <@U1|ana>, <@U2> and <@U3>", f"{TRAVEL} cc <!subteam^S1|@travel>", f"<@U1> <@U0> {TRAVEL}",
    f"{TRAVEL} <https://a.test/x?y=1>",
    f"{TRAVEL} <https://a.test|https://a.test>", f"{TRAVEL} https://a.test/x",
])  # fmt: skip
def test_emoji_people_and_bare_addresses_are_not_asked(said: str) -> None:
    assert words(said) == TRAVEL


NAMES = {"U1": "Ana", "U2": "Ben", "U9": "A <!channel> &amp; `source:x` https://a.test"}


@pytest.mark.parametrize(("said", "read"), [
    ("<@U0> What does <@U1> own?", "What does Ana own?"), ("<@U0> and <@U1|ana>?", "and Ana?"),
    ("Who is the manager of <@U1>?", "Who is the manager of Ana?"),
    ("<@U1> <@U0> what does <@U2> own?", "what does Ben own?"),
    ("What do <@U1> and <@U2> own? cc <@U1>", "What do Ana and Ben own?"),
    ("<@U1> and <@U2>, what is it?", "what is it?"),
    ("Hi <@U1>, what does <@U2> own?", "Hi what does Ben own?"), ("And <@U1>?", "And Ana?"),
    ("What does <@U2> own? <@U1>", "What does Ben own?"), ("What does <@U2> own, <@U1>?", "What does Ben own, ?"),
    ("<@U0> <@U2> is responsible for what?", "Ben is responsible for what?"),
    ("<@U2>'s weeks of leave?", "Ben's weeks of leave?"), ("<@U1> <@U2>\u2019s weeks?", "Ben\u2019s weeks?"),
    ("Hi, <@U2> owns which documents?", "Hi, Ben owns which documents?"),
    ("<@U2> is it allowed?", "is it allowed?"), ("<@U2> has it changed?", "has it changed?"),
    ("What does <@U3> own?", "What does own?"), ("What does <@U9> own?", "What does A <!channel> & `source:x` own?"),
    ("Are " + " ".join(f"<@U{n}>" for n in range(10, 20)) + " in?", "Are 10 11 12 13 14 in?"),
])
def test_whom_a_question_is_about_has_a_name(said: str, read: str) -> None:
    assert words(said, "U0", lambda user: NAMES.get(user, user[1:] if len(user) > 2 else "")) == read


@pytest.mark.parametrize("said", [
    "Is 10:30:00 core time?", "What is a::b::c?", "What does `:status: https://a.test` mean?", "Ratio 1:2:3", "a[:n:2]",
    ":wave:", ":+1: :100:",
])  # fmt: skip
def test_times_code_and_emoji_alone_stay(said: str) -> None:
    assert words(said) == said


@pytest.mark.integration
def test_nobody_is_shown_the_id_of_an_account(acme: Company) -> None:
    both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    acme.ask(acme.ana, both, at(f":wave: {LEAVE} cc <@{acme.ben.id}> <https://a.test/x>"))
    acme.ask(acme.ana, acme.slack.workspace.direct(acme.ana.id), ":wave:")
    assert "12 weeks" in acme.shown(acme.ben, both)
    assert "Hello." in acme.shown(acme.ana, acme.slack.workspace.direct(acme.ana.id))
    asked = acme.ledger.asked_by.recent("user:ana@acme.test", "slack", acme.now().replace(year=2020), 5)
    assert {one.question.text for one in asked} == {LEAVE, ":wave:"}


@pytest.mark.integration
def test_a_question_about_somebody_is_asked_with_their_name_and_never_does_what_a_name_says(acme: Company) -> None:
    both = acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    for name, told in (("Ben Ito", "Ben Ito"), ("<!channel> <@U0ANA> source:x", "<!channel> <@U0ANA> source:x")):
        acme.slack.deliveries.account(acme.ben.id, name=name)
        acme.ask(acme.ana, both, at(f"Which documents does <@{acme.ben.id}> own?"))
        [asked] = acme.ledger.asked_by.recent("user:ana@acme.test", "slack", acme.now().replace(year=2020), 1)
        assert asked.question.text == f"Which documents does {told} own?" and not asked.question.filters
    assert "<!channel>" not in str([m.blocks for m in acme.answers(acme.ana, both)])


@pytest.mark.integration
def test_a_guest_learns_the_names_of_those_alone_who_are_in_the_channel(acme: Company) -> None:
    guest = acme.slack.workspace.user("U0GUEST", "Gus", "gus@client.test", guest=True)
    client = acme.slack.workspace.channel("C1", "client", [guest.id, acme.ana.id], "private")
    direct = acme.slack.workspace.direct(guest.id)
    text = f"What does <@{acme.boss.id}> own, and <@{acme.ana.id}>, and what else is there?"
    for person in (guest, acme.ana):
        acme.slack.deliveries.command(person.id, client, "/vouch", text)
        acme.ask(person, client, at(text))
    with acme.ledger.threads._database.read() as connection:
        asked = Counter(question["text"] for question in connection.execute(select(outbox.c.question)).scalars())
    assert asked == {f"What does {name} own, and Ana, and what else is there?": 2 for name in ("somebody", "Boss")}
    acme.ask(guest, direct, f"What does <@{acme.boss.id}> own?")
    assert "Boss" not in acme.shown(guest, direct)
