"""The window in which a channel is set: made from its settings, and read back into them."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from bots.slack.channels.ids import ACCOUNT, NamedInSlack
from vouch.documents.text.legible import legible
from vouch.ports.surface import ChannelSettings

CALLBACK = "vouch_channel"
_LONGEST_TOLD = 2900
_ANSWERS = {"mentions": "Only when it is mentioned", "questions": "Also what looks like a question for documents"}
_READERS = {"channel": "Everybody in the channel", "asker": "Whoever asks, alone"}


def channel_view(channel: str, settings: ChannelSettings) -> dict[str, Any]:
    """Keeps the channel's id; who submits it is checked then."""
    people = [asker for asker in settings.askers if ACCOUNT.fullmatch(asker)]
    tags = [asker for asker in settings.askers if asker not in people]
    return {
        "type": "modal", "callback_id": CALLBACK, "private_metadata": channel, "title": _plain("vouch in here"),
        "submit": _plain("Save"), "close": _plain("Cancel"),
        "blocks": [
            _input("answers", "When does it answer?", _choice("answers", _ANSWERS, settings.answers)),
            _input("readers", "Who reads the answer?",
                   _choice("readers", _READERS, "asker" if settings.ephemeral else "channel")),
            _input("sources", "Only from these sources", _text("sources", ", ".join(settings.sources or ())),
                   "Names, separated by commas; empty: all. This narrows, and never shows more."),
            _input("askers", "Only these people may ask", _people("askers", people), "Empty: everybody."),
            _input("tags", "Besides, people of these groups", _text("tags", ", ".join(tags)),
                   "As vouch knows them: group:people, user:ana@acme.test; or ids of Slack's groups: S0614TZR7"),
            _input("owners", "Who helps where vouch cannot?", _text("owners", ", ".join(settings.owners)),
                   "The same: user:ana@acme.test, group:support, S0614TZR7. A name that vouch does not know stands for"
                   " nobody."),
        ],
    }  # fmt: skip


def saved_view(unknown: Sequence[str]) -> dict[str, Any]:
    told = "\n".join(["It is saved, but some names stand for nothing:", *(f"• {one}" for one in unknown)])
    return {
        "type": "modal", "title": _plain("vouch in here"), "close": _plain("Close"),
        "blocks": [{"type": "section", "text": _plain(told[:_LONGEST_TOLD])}],
    }  # fmt: skip


def chosen(view: Mapping[str, Any]) -> tuple[ChannelSettings | None, dict[str, str]]:
    """What was chosen, or by block id what is wrong with it."""
    sources, tags = _list(_value(view, "sources").get("value")), _list(_value(view, "tags").get("value"))
    fields = {
        "answers": (_value(view, "answers").get("selected_option") or {}).get("value"),
        "ephemeral": (_value(view, "readers").get("selected_option") or {}).get("value") == "asker",
        "sources": sources or None,
        "askers": [*(_value(view, "askers").get("selected_users") or []), *tags],
        "owners": _list(_value(view, "owners").get("value")),
    }
    try:
        return NamedInSlack.model_validate(fields), {}
    except ValidationError as error:
        return None, {_block(mistake["loc"], tags): _WRONG.get(str(mistake["loc"][0]), "This cannot be set.")
                      for mistake in error.errors()}


_WRONG = {"sources": "Names of sources, separated by commas.",
          "owners": "Write user:NAME or group:NAME, separated by commas; twenty at most.",
          "askers": "Write group:NAME or user:NAME, separated by commas."}


def _block(place: tuple[int | str, ...], tags: list[str]) -> str:
    name = str(place[0])
    return "tags" if name == "askers" and tags else name


def _value(view: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    values = (view.get("state") or {}).get("values") or {}
    return (values.get(name) or {}).get(name) or {}


def _list(text: Any) -> list[str]:
    """What people see of each: a name with a sign that nobody sees would stand for nobody."""
    return [part for part in map(legible, str(text or "").split(",")) if part]


def _input(name: str, label: str, element: dict[str, Any], hint: str = "") -> dict[str, Any]:
    told = {"type": "input", "block_id": name, "label": _plain(label), "element": element,
            "optional": element["type"] != "radio_buttons"}
    return told | ({"hint": _plain(hint)} if hint else {})


def _choice(name: str, options: Mapping[str, str], value: str) -> dict[str, Any]:
    rows = {key: {"text": _plain(told), "value": key} for key, told in options.items()}
    return {"type": "radio_buttons", "action_id": name, "options": list(rows.values()), "initial_option": rows[value]}


def _text(name: str, value: str) -> dict[str, Any]:
    told = {"type": "plain_text_input", "action_id": name, "max_length": 3000}
    return told | ({"initial_value": value[:3000]} if value else {})


def _people(name: str, users: list[str]) -> dict[str, Any]:
    told: dict[str, Any] = {"type": "multi_users_select", "action_id": name}
    return told | ({"initial_users": users} if users else {})


def _plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text, "emoji": False}
