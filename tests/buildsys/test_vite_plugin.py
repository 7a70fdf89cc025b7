"""The Vite plugin: no request ends the server, only the site's files are served, and builds of
workers find the site."""

from __future__ import annotations

import http.client
import re
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from buildsys import npm
from buildsys.paths import ROOT

CONFIG = """
import { createServer } from "vite";
import tfpy from "./tfpy/vite.mjs";
const server = await createServer({
  configFile: false, plugins: [tfpy()], logLevel: "error", optimizeDeps: { noDiscovery: true },
  server: { port: 0, host: "127.0.0.1", hmr: false, watch: null },
});
await server.listen();
console.log(server.httpServer.address().port);
"""


BUILD = """
import { build } from "vite";
import tfpy from "./tfpy/vite.mjs";
for (const base of ["/sub/", "./"]) {
  await build({
    configFile: false, plugins: [tfpy()], logLevel: "error", base,
    build: { outDir: base === "./" ? "relative" : "absolute" },
  });
}
"""
PAGE = '<script type="module" src="main.js"></script>'
MAIN = 'new Worker(new URL("worker.js", import.meta.url), { type: "module" });'
WORKER = 'import { loadTfpy } from "tfpy-web"; loadTfpy();'


@dataclass(frozen=True)
class Server:
    """A development server, with the file to which it prints errors."""

    port: int
    errors: Path


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project with the plugin and a site with two files, ``tfpy.mjs`` and its types."""
    folder = tmp_path_factory.mktemp("vite")
    site = folder / "tfpy" / "site"
    site.mkdir(parents=True)
    (folder / "tfpy" / "vite.mjs").write_bytes((ROOT / "web" / "npm" / "vite.mjs").read_bytes())
    (site / "tfpy.mjs").write_text("export const loadTfpy = 1;\n")
    (site / "tfpy.d.mts").write_text("export const loadTfpy: number;\n")
    (folder / "tfpy" / "secret.mjs").write_text("secret")
    (site / "link.mjs").symlink_to(folder / "tfpy" / "secret.mjs")
    (folder / "node_modules").symlink_to(npm.ensure())
    files = {"server.mjs": CONFIG, "build.mjs": BUILD}
    files |= {"index.html": PAGE, "main.js": MAIN, "worker.js": WORKER}
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture(scope="module")
def server(project: Path) -> Iterator[Server]:
    """Start a development server for the project."""
    errors = project / "errors.txt"
    with (
        errors.open("w") as file,
        subprocess.Popen(
            ["node", "server.mjs"], cwd=project, stdout=subprocess.PIPE, stderr=file, text=True
        ) as process,
    ):
        assert process.stdout is not None
        yield Server(int(process.stdout.readline()), errors)
        assert process.poll() is None, "the server has ended"
        process.kill()


@pytest.fixture
def port(server: Server) -> int:
    return server.port


def ask(port: int, path: str, method: str = "GET", **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


PATHS = (
    *(
        "/tfpy/%ZZ",
        "/tfpy/%",
        "/tfpy/%00",
        "/tfpy/%c0%af",
        "/tfpy//",
        "/tfpy//%",
        "/tfpy/" + "a" * 9000,
    ),
    *(
        "/tfpy/..%2fsecret.mjs",
        "/tfpy/%2e%2e/secret.mjs",
        "/tfpy/link.mjs",
        "/tfpy/..%5csecret.mjs",
    ),
)


def test_odd_requests(port: int) -> None:
    for path in PATHS:
        _, body = ask(port, path)
        assert body != b"secret", path
        status, body = ask(port, "/tfpy/tfpy.mjs")
        assert (status, body) == (200, b"export const loadTfpy = 1;\n"), path


def test_methods(port: int) -> None:
    assert ask(port, "/tfpy/tfpy.mjs?worker", "HEAD") == (200, b"")
    assert ask(port, "/tfpy/tfpy.mjs", "POST")[0] == 404
    assert ask(port, "/tfpy/tfpy.mjs", Host="evil.example")[0] == 403
    assert b"loadTfpy" not in ask(port, "/tfpy/tfpy.d.mts")[1]


def test_canceled_downloads(server: Server) -> None:
    """Check that the server reports no error if browsers cancel downloads."""
    for _ in range(10):
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
            connection.sendall(b"GET /tfpy/tfpy.mjs HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert ask(server.port, "/tfpy/tfpy.mjs")[0] == 200
    assert server.errors.read_text() == ""


def test_workers_in_builds(project: Path) -> None:
    """Check that the site is in a build in which only a worker imports it, and that it finds it."""
    subprocess.run(["node", "build.mjs"], cwd=project, check=True)
    for folder, address in (("absolute", "/sub/tfpy/tfpy.mjs"), ("relative", "../tfpy/tfpy.mjs")):
        (worker,) = (project / folder / "assets").glob("worker-*.js")
        assert re.search(rf"[`\"']{address}[`\"']", worker.read_text())
        assert [file.name for file in (project / folder / "tfpy").iterdir()] == ["tfpy.mjs"]
