"""Lines that a person types become what people do in Slack, and what then can be seen becomes lines."""

from collections.abc import Callable, Mapping

from bots.slack.console import moving, talking
from bots.slack.console.session import Desk
from bots.slack.console.view import name_of
from bots.wrapping import Line
from vouch.errors import BadInput

HELP = """\
TEXT                     say it in this channel; "@vouch TEXT" asks, as in Slack
/vouch TEXT              the command of the app
:as NAME                 type as somebody else, and see what they see
:in CHANNEL              go to another channel; `:in direct` are your direct messages with vouch
:home                    the app's home tab, as it is for you now
:reply [NUMBER] TEXT     in the thread of a message; without a number of the last one
:press [NUMBER] LABEL    press a button; without a number the last one that begins so, or what the app suggests
:send CHOICE [: WORDS]   fill in the window that a button or `/vouch settings` opened; more behind a |, such as
                         `:send also what looks | whoever asks | only from: handbook`; alone where nothing is asked for
:edit [NUMBER] TEXT      say your last message here otherwise; :delete [NUMBER] takes it back
:react NAME [NUMBER]     react to a message, such as +1; once more takes it back; :thumb up|down [NUMBER]: vouch's
:about [NUMBER]          choose "Ask vouch about this" in the menu of a message
:group PERSON...         a group conversation of you, these people, and vouch
:join NAME, :leave NAME  somebody joins this channel, or leaves it
:guest NAME              makes somebody a guest of the workspace, or a member again
:channel NAME PERSON...  a new private channel of you and these people
:look, :who              this channel once more; the people and their channels
:help, :quit             these lines; the end"""


def _help(desk: Desk, _: str) -> list[Line]:
    return [Line(line) for line in HELP.split("\n")]


COMMANDS: Mapping[str, Callable[[Desk, str], list[Line]]] = {
    "as": moving.become, "in": moving.enter, "join": moving.join, "leave": moving.leave, "guest": moving.guest,
    "channel": moving.new_channel, "who": moving.who, "look": lambda desk, _: desk.look(),
    "home": lambda desk, _: desk.home(),
    "group": moving.together, "edit": talking.edit, "delete": talking.delete, "react": talking.react,
    "about": talking.about,
    "reply": talking.reply, "press": talking.press, "send": talking.send, "thumb": talking.thumb, "help": _help,
}  # fmt: skip


class Player:
    """One person at a time, in one conversation."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    @property
    def prompt(self) -> str:
        return f"{self._desk.person.name} in {name_of(self._desk.channel, self._desk.person)}> "

    def look(self) -> list[Line]:
        """The conversation from its beginning, as this person sees it."""
        return self._desk.look()

    def act(self, line: str) -> list[Line]:
        """What this person sees of what came of it. Raises BadInput for what cannot be done."""
        line = line.strip()
        if not line:
            return []
        if line.startswith("/"):
            return talking.command(self._desk, line)
        if not line.startswith(":"):
            self._desk.say(line)
            return self._desk.news()
        word, _, rest = line[1:].partition(" ")
        if word not in COMMANDS:
            raise BadInput(f"there is no :{word[:40]}", cure="type :help")
        return COMMANDS[word](self._desk, rest.strip())
