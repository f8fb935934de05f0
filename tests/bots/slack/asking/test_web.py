"""What the documents do not answer is looked for in the web, and everybody sees that it comes from there."""

from dataclasses import replace

import pytest
from fakes.noted_web import NotedWeb, web_passage
from homes.small_world import OPEN
from slack_scene.slack_company import LEAVE, Company, at
from slack_scene.slack_places import EVERYWHERE

from bots.slack.bot import SHORTCUT
from vouch.correction.components import Outside

pytestmark = pytest.mark.integration
CHESS = "Who won the chess tournament?"


def with_a_web(acme: Company) -> NotedWeb:
    web = NotedWeb(web_passage("Judit won the chess tournament in Riga.", "chess", "Chess news"))
    acme.world.components = replace(acme.world.components, outside=Outside(web, OPEN))
    return web


@EVERYWHERE
def test_an_answer_from_the_web_says_so_and_leads_there(acme: Company) -> None:
    web, both = with_a_web(acme), acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    acme.ask(acme.ana, both, at(CHESS))
    shown = acme.shown(acme.ben, both)
    assert web.asked == [CHESS] and "Judit" in shown and "https://site.org/chess" in shown
    assert "from the web, not from your documents" in shown and "answered from the web" in shown


def test_words_that_were_not_said_to_vouch_stay_in_the_company(acme: Company) -> None:
    web, both = with_a_web(acme), acme.slack.workspace.channel("C1", "both", [acme.ana.id, acme.ben.id], "private")
    first = acme.ask(acme.ana, both, at(LEAVE))
    acme.ask(acme.ana, both, CHESS, first.ts)           # a reply that names nobody
    said = acme.slack.deliveries.say(acme.ben.id, both, CHESS)
    assert acme.slack.deliveries.shortcut(acme.ana.id, said, SHORTCUT)
    acme.answer_all()
    private = acme.shown(acme.ana, acme.slack.workspace.direct(acme.ana.id))
    assert CHESS not in web.asked and CHESS in private and "Judit" not in private + acme.shown(acme.ana, both)
