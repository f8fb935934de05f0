"""A workspace of Slack on the loopback: Web API, Events API, and Socket Mode, with people, channels, and faults."""

from slack_server.server import SlackServer as SlackServer
from slack_server.workspace import Channel as Channel
from slack_server.workspace import Message as Message
from slack_server.workspace import User as User
