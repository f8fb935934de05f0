"""A workspace of Slack on the loopback: Web API, Events API, and Socket Mode, with people, channels, and faults."""

from bots.slack.simulator.server import SlackServer as SlackServer
from bots.slack.simulator.workspace import Channel as Channel
from bots.slack.simulator.workspace import Message as Message
from bots.slack.simulator.workspace import User as User
from bots.slack.simulator.workspace import UserGroup as UserGroup
