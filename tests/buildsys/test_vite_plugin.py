"""The Vite plugin: no request ends the server, and only the site's files are served."""

from __future__ import annotations

import http.client
import subprocess
from collections.abc import Iterator

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


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Start a development server for a site with one file, ``tfpy.mjs``, and return its port."""
    folder = tmp_path_factory.mktemp("vite")
    (folder / "tfpy" / "site").mkdir(parents=True)
    (folder / "tfpy" / "vite.mjs").write_bytes((ROOT / "web" / "npm" / "vite.mjs").read_bytes())
    (folder / "tfpy" / "site" / "tfpy.mjs").write_text("export const loadTfpy = 1;\n")
    (folder / "tfpy" / "secret.mjs").write_text("secret")
    (folder / "tfpy" / "site" / "link.mjs").symlink_to(folder / "tfpy" / "secret.mjs")
    (folder / "node_modules").symlink_to(npm.ensure())
    (folder / "server.mjs").write_text(CONFIG)
    with subprocess.Popen(
        ["node", "server.mjs"], cwd=folder, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline())
        assert process.poll() is None, "the server has ended"
        process.kill()


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
