"""A real Elasticsearch on loopback: one node."""

import json
import os
import re
import shutil
import urllib.request
from pathlib import Path

from servers import docker
from servers.docker import Container
from servers.files import java, server_files
from servers.process import Process, free_port, without_root
from servers.server import Server

IMAGE = "docker.elastic.co/elasticsearch/elasticsearch:9.4.3"
_SETTINGS = {
    "cluster.name": "vouch-test",
    "node.name": "one",
    "discovery.type": "single-node",
    "xpack.security.enabled": "false",
    "cluster.routing.allocation.disk.threshold_enabled": "false",
    "indices.merge.disk.check_interval": "0s",         # a nearly full disk would hold up every merge, without a word
}


class Elasticsearch(Server):
    """`folder` is its own. Raises Missing."""

    name = "elasticsearch"

    def __init__(self, folder: Path, heap: str = "512m") -> None:
        self.port = free_port()
        self.runs = self._container(heap) if docker.answers() else self._process(folder, heap)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def settings(self) -> dict[str, str]:
        return {"VOUCH_LEXICAL__KIND": "elasticsearch", "VOUCH_LEXICAL__URL": self.url}

    def ready(self) -> bool:
        try:
            address = f"{self.url}/_cluster/health?wait_for_status=yellow&timeout=5s"
            with urllib.request.urlopen(address, timeout=10) as reply:
                return json.load(reply)["status"] in ("yellow", "green")
        except OSError:
            return False

    def _process(self, folder: Path, heap: str) -> Process:
        java_home = java(21)
        home = next(server_files(self.name).glob("*/elasticsearch"))
        java_bin = java_home / "bin" / "java"
        self._configure(folder, home, heap)
        command = [str(java_bin), "-Xms4m", "-Xmx64m", "-XX:+UseSerialGC", "-cp",
                   f"{home}/lib/tools/server-launcher/*", "org.elasticsearch.server.launcher.ServerLauncher"]
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(folder), "HOSTNAME": "localhost", "LANG": "C.UTF-8",
            "ES_HOME": str(home), "ES_PATH_CONF": str(folder / "config"), "JAVA": str(java_bin),
            "JAVA_HOME": str(java_home), "ES_JAVA_HOME": str(java_home), "JAVA_TYPE": "ES_JAVA_HOME",
            "ES_DISTRIBUTION_TYPE": "tar", "ES_TMPDIR": str(folder / "tmp"),
        }
        return Process(without_root(command, folder), folder, self.ready, environment, working=home)

    def _configure(self, folder: Path, home: Path, heap: str) -> None:
        config = folder / "config"
        for place in (config / "jvm.options.d", folder / "data", folder / "logs", folder / "tmp"):
            place.mkdir(parents=True, exist_ok=True)
        options = (home / "config" / "jvm.options").read_text().splitlines()
        unwanted = re.compile(r"^(\d+-?\d*:)?(-Xlog:gc|-XX:\+HeapDump|-XX:HeapDump)")
        (config / "jvm.options").write_text("\n".join(o for o in options if not unwanted.match(o)) + "\n")
        memory = f"-Xms{heap}\n-Xmx{heap}\n-XX:TieredStopAtLevel=1\n-XX:-AlwaysPreTouch\n"
        (config / "jvm.options.d" / "memory.options").write_text(memory)
        shutil.copy(home / "config" / "log4j2.properties", config)
        lines = _SETTINGS | {
            "path.data": str(folder / "data"), "path.logs": str(folder / "logs"), "network.host": "127.0.0.1",
            "http.port": str(self.port), "transport.port": str(free_port()),
        }
        (config / "elasticsearch.yml").write_text("".join(f"{key}: {value}\n" for key, value in lines.items()))

    def _container(self, heap: str) -> Container:
        environment = _SETTINGS | {"ES_JAVA_OPTS": f"-Xms{heap} -Xmx{heap}"}
        return Container(IMAGE, self.port, 9200, self.ready, environment, memory="2g")
