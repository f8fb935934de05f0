"""Where a Kafka cluster is, how one gets in, its errors and its messages as ours."""

import re
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from kafka import errors
from pydantic import SecretStr

from vouch.errors import BadMessage, LogDown, Usage
from vouch.ports.log import Record

_FIX = "vouch doctor --fix creates what is missing"
_RECONNECT_MS = 2_000
_AGAIN_S = 0.1
_NOTHING = SecretStr("")
_SERVER = r"\s*(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?\s*"
_SERVERS = re.compile(f"{_SERVER}(,{_SERVER})*")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class KafkaConnection:
    """As the settings VOUCH_LOG__… name it. Raises Usage where they cannot go together."""

    servers: str                        # HOST:PORT, separated by commas
    topic_prefix: str = ""              # stands before groups as well
    partitions: int = 8
    replication: int = 0                # 0: as the brokers are set
    client_id: str = "vouch"
    instance: str = ""                  # of a static member; empty means none
    session_seconds: float = 45.0
    poll_seconds: float = 300.0
    timeout_seconds: float = 10.0
    tls: bool = False
    tls_ca_file: str = ""
    tls_cert_file: str = ""
    tls_key_file: str = ""
    tls_key_password: SecretStr = _NOTHING
    sasl_mechanism: str = ""
    sasl_user: str = ""
    sasl_password: SecretStr = _NOTHING

    def __post_init__(self) -> None:
        if not _SERVERS.fullmatch(self.servers):
            raise Usage("VOUCH_LOG__SERVERS is not a list of brokers", cure="write HOST:PORT,HOST:PORT")
        if self.sasl_mechanism == "PLAIN" and not self.tls:
            raise Usage("VOUCH_LOG__SASL_MECHANISM=PLAIN sends the password unencrypted", cure="set VOUCH_LOG__TLS too")
        if self.sasl_mechanism and not (self.sasl_user and self.sasl_password.get_secret_value()):
            raise Usage("VOUCH_LOG__SASL_MECHANISM needs a user and a password", cure="set VOUCH_LOG__SASL_USER …")
        if not self.tls and (self.tls_ca_file or self.tls_cert_file or self.tls_key_file):
            raise Usage("files for TLS are named, and TLS is off", cure="set VOUCH_LOG__TLS=true")

    @property
    def named(self) -> str:
        return f"Kafka at {self.servers}"

    @property
    def milliseconds(self) -> int:
        return int(self.timeout_seconds * 1000)

    def topic(self, name: str) -> str:
        return self.topic_prefix + name

    def group(self, name: str) -> str:
        return self.topic_prefix + name

    def options(self) -> dict[str, Any]:
        """What every client of the library is given."""
        return {
            "bootstrap_servers": [one.strip() for one in self.servers.split(",") if one.strip()],
            "client_id": self.client_id,
            "bootstrap_timeout_ms": self.milliseconds,
            "request_timeout_ms": self.milliseconds,
            "reconnect_backoff_max_ms": _RECONNECT_MS,
            **self._security(),
        }

    def _security(self) -> dict[str, Any]:
        kind = ("SASL_" if self.sasl_mechanism else "") + ("SSL" if self.tls else "PLAINTEXT")
        found: dict[str, Any] = {"security_protocol": kind}
        if self.tls:
            found["ssl_context"] = self._trust()
        if self.sasl_mechanism:
            found |= {
                "sasl_mechanism": self.sasl_mechanism, "sasl_plain_username": self.sasl_user,
                "sasl_plain_password": self.sasl_password.get_secret_value(),
            }
        return found

    def _trust(self) -> ssl.SSLContext:
        """Checks certificates and names. Made here, as the library would take a missing file for an outage."""
        for file in filter(None, (self.tls_ca_file, self.tls_cert_file, self.tls_key_file)):
            Path(file).open("rb").close()
        context = ssl.create_default_context(cafile=self.tls_ca_file or None)
        if self.tls_cert_file:
            password = self.tls_key_password.get_secret_value()
            context.load_cert_chain(self.tls_cert_file, self.tls_key_file or None, password or None)
        return context

    @contextmanager
    def ours(self, doing: str) -> Iterator[None]:
        """The library's errors as ours: LogDown where waiting may help, Usage where only a person can."""
        try:
            yield
        except errors.FencedInstanceIdError as error:
            raise Usage(
                f"{self.named}: another process is member {self.instance!r} of this group",
                cure="give each worker a VOUCH_LOG__INSTANCE of its own, or none",
            ) from error
        except (errors.MessageSizeTooLargeError, errors.RecordListTooLargeError) as error:
            raise BadMessage(f"{self.named}, {doing}: the message is larger than Kafka accepts") from error
        except (errors.UnknownTopicOrPartitionError, errors.InvalidTopicError) as error:
            raise LogDown(f"{self.named}, {doing}: a topic is missing", cure=_FIX) from error
        except (errors.AuthorizationError, errors.SaslAuthenticationFailedError) as error:
            cure = "check VOUCH_LOG__SASL_USER, its password and its permissions"
            raise Usage(f"{self.named}, {doing}: not allowed: {_told(error)}", cure=cure) from error
        except errors.KafkaConfigurationError as error:
            raise Usage(f"{self.named}: {error}", cure="look at the settings VOUCH_LOG__…") from error
        except errors.KafkaError as error:
            raise LogDown(f"{self.named}, {doing}: {_told(error)}", cure=self._cure()) from error
        except OSError as error:
            raise Usage(f"{self.named}: {error}", cure="look at the files named by VOUCH_LOG__TLS_…") from error

    def patiently(self, ask: Callable[[], T]) -> T:
        """What `ask` returns; asks again where a broker is not ready to tell yet, as at its first use."""
        end = time.monotonic() + self.timeout_seconds
        while True:
            try:
                return ask()
            except errors.RetriableError:
                if time.monotonic() > end:
                    raise
                time.sleep(_AGAIN_S)

    def _cure(self) -> str:
        """The library keeps to itself whom a broker turned away, and why."""
        doors = "and accept these certificates, this user and this password" if self.tls or self.sasl_mechanism else ""
        return f"check that its brokers run and can be reached from here {doors}".strip()

    def missing(self, topics: list[str]) -> LogDown:
        return LogDown(f"{self.named} has no topic {', '.join(topics)}", cure=_FIX)


def _told(error: errors.KafkaError) -> str:
    """What it says, without the Nones that some say."""
    words = [str(one) for one in error.args if one]
    return f"{type(error).__name__}: {'; '.join(words)}" if words else type(error).__name__


def record_of(place: KafkaConnection, found: Any) -> Record:
    headers = tuple((name, value or b"") for name, value in found.headers)
    topic, key, value = found.topic[len(place.topic_prefix):], found.key or b"", found.value or b""
    return Record(topic, found.partition, found.offset, key, value, headers, found.timestamp)
