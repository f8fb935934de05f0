"""A real PostgreSQL on loopback."""

import signal
import subprocess
import uuid
from pathlib import Path

from servers import docker
from servers.docker import Container
from servers.files import server_files
from servers.process import Process, free_port, without_root
from servers.server import Server

IMAGE = "postgres:17.5"
# A killed process loses nothing by it, only a machine that loses power would.
_QUICK = ["-c", "fsync=off"]
# In its folder, and gone with it: what a killed one leaves in the system's shared memory nobody would take away.
_SHARED = ["-c", "dynamic_shared_memory_type=mmap"]


class Postgres(Server):
    """`folder` is its own. Raises Missing."""

    name = "postgresql"

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.runs = self._container() if docker.answers() else self._process(folder)

    @property
    def url(self) -> str:
        return self.url_of("postgres")

    def url_of(self, database: str) -> str:
        return f"postgresql+psycopg://vouch@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """The URL of an empty database that nobody else has."""
        import psycopg

        name = f"vouch_{uuid.uuid4().hex[:12]}"
        with psycopg.connect(self._dsn(), autocommit=True) as connection:
            # Sorts words as people do, and not by bytes as files do: nothing may depend on it.
            connection.execute(f"CREATE DATABASE {name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'")
        return self.url_of(name)

    def copy_database(self, url: str) -> str:
        """The URL of a copy of it. Nobody may be connected."""
        import psycopg

        name = f"vouch_{uuid.uuid4().hex[:12]}"
        with psycopg.connect(self._dsn(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {url.rpartition('/')[2]}")
        return self.url_of(name)

    def drop_database(self, url: str) -> None:
        """Also where somebody is connected."""
        import psycopg

        with psycopg.connect(self._dsn(), autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {url.rpartition('/')[2]} WITH (FORCE)")

    def settings(self) -> dict[str, str]:
        return {"VOUCH_LEDGER__URL": self.url}

    def ready(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self._dsn(), connect_timeout=5).close()
        except psycopg.Error:
            return False
        return True

    def _dsn(self) -> str:
        return self.url.replace("+psycopg", "")

    def _process(self, folder: Path) -> Process:
        programs = server_files(self.name) / "server" / "bin"
        data, sockets = folder / "data", folder / "sockets"
        for place in (data, sockets):
            place.mkdir(parents=True, exist_ok=True)
        create = [str(programs / "initdb"), "-D", str(data), "-U", "vouch", "--auth=trust", "-N", "--encoding=UTF8",
                  "--locale=C"]
        subprocess.run(without_root(create, folder), capture_output=True, check=True, cwd=folder)
        command = [str(programs / "postgres"), "-D", str(data), "-p", str(self.port), "-k", str(sockets),
                   "-c", "listen_addresses=127.0.0.1", *_SHARED, *_QUICK]
        # SIGTERM would wait for every client to leave.
        return Process(without_root(command, folder), folder, self.ready, gently=signal.SIGINT)

    def _container(self) -> Container:
        environment = {"POSTGRES_USER": "vouch", "POSTGRES_DB": "postgres", "POSTGRES_HOST_AUTH_METHOD": "trust"}
        return Container(IMAGE, self.port, 5432, self.ready, environment, ["postgres", *_QUICK])
