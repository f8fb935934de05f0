"""A company whose questions about who leads a thing are answered on the page of another, and questions about it."""

from dataclasses import replace
from datetime import UTC, datetime

from homes.small_world import passage

from vouch.learning.collections.golden import GoldenQuestion, GoldQuote
from vouch.values.candidate import Passage

NAMES = ("Falcon", "Heron", "Osprey", "Condor", "Plover", "Magpie", "Linnet", "Curlew")
THINGS = ("gateway", "ledger", "printer", "scanner", "boiler", "tunnel", "bridge", "garage")
NOW = datetime(2026, 1, 5, tzinfo=UTC)


def company() -> tuple[list[Passage], list[GoldenQuestion]]:
    """Who leads a thing stands with its team, which the thing's own page names; what a thing costs stands there."""
    rows, asked = list[Passage](), list[GoldenQuestion]()
    for thing in THINGS:
        for number, name in enumerate(NAMES[:6]):
            what, team = f"{thing} {thing}{'abcdef'[number]}", f"{name}{thing[:3].title()}"
            here = (f"Who leads the {what}? It is owned by {team}.",
                    f"In {team} Person{team} leads those who look after a {thing} every day of the year.")
            for title, text in ((what, here[0]), (team, here[1])):
                rows.append(passage(text, chunk_id=f"{title}.md", path=f"{title}.md", title=title, section=(title,)))
            gold = ((GoldQuote(f"{what}.md", here[0]),), (GoldQuote(f"{team}.md", here[1]),))
            one = GoldenQuestion(f"{thing}{number}", f"Who leads the {what}?", True, gold=gold, needs_all=True)
            asked.append(one if number % 2 else replace(one, gold=gold[:1]))
    return rows, asked
