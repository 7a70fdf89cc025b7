"""The site's server: isolation headers, MIME types, and no files outside its folder."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tfpy.testing.server import ISOLATION, SiteServer


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    site = tmp_path / "site"
    site.mkdir()
    for name in ("index.html", "a.mjs", "a.wasm", "a.json", "a.whl"):
        (site / name).write_text(name, encoding="utf-8")
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    return site


@pytest.mark.parametrize("isolated", [True, False])
def test_isolation_headers(folder: Path, isolated: bool):
    with (
        SiteServer(folder, isolated=isolated) as server,
        urllib.request.urlopen(server.url) as answer,
    ):
        assert answer.read() == b"index.html"
        sent = {name: answer.headers.get(name) for name in ISOLATION}
    assert sent == (ISOLATION if isolated else dict.fromkeys(ISOLATION))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.mjs", "text/javascript"),
        ("a.wasm", "application/wasm"),
        ("a.json", "application/json"),
        ("a.whl", "application/zip"),
    ],
)
def test_mime_types(folder: Path, name: str, kind: str):
    with SiteServer(folder) as server, urllib.request.urlopen(server.url + name) as answer:
        assert answer.headers.get_content_type() == kind


ODD = (
    *(
        "../secret",
        "%2e%2e/secret",
        "..%2fsecret",
        "..%5csecret",
        "more/../../secret",
        "nothing.html",
    ),
    *("%00", "a.mjs%00", "index.html%00.mjs", "more%2f..%2f..%2fsecret", "a" * 5000),
)


@pytest.mark.parametrize("path", ODD)
def test_only_the_folder_is_served(folder: Path, path: str):
    with (
        SiteServer(folder, mounts={"more": folder}) as server,
        pytest.raises(urllib.error.HTTPError) as caught,
    ):
        urllib.request.urlopen(server.url + path)
    caught.value.close()
    assert caught.value.code == 404


@pytest.mark.parametrize("isolated", [True, False])
def test_folders_are_not_listed(folder: Path, isolated: bool):
    (folder / "below").mkdir()
    (folder / "below" / "a.txt").write_text("a", encoding="utf-8")
    with SiteServer(folder, isolated=isolated) as server:
        for path in ("below", "below/", "below//"):
            with pytest.raises(urllib.error.HTTPError) as caught:
                urllib.request.urlopen(server.url + path)
            assert b"a.txt" not in caught.value.read()
            assert caught.value.code == 404
        with urllib.request.urlopen(server.url + "below/a.txt") as answer:
            assert answer.read() == b"a"


def test_only_names_of_this_machine(folder: Path):
    """Check that a page whose host name was rebound to 127.0.0.1 cannot read anything."""
    with SiteServer(folder, made={"/made.txt": lambda: b"made"}) as server:
        port = int(server.url.split(":")[2].strip("/"))
        names = ("127.0.0.1", "localhost", "LOCALHOST", "[::1]", "a.localhost")
        for host in (*names, *(f"{name}:{port}" for name in names)):
            assert _asked(port, "/a.mjs", host) == (200, b"a.mjs")
        for host in (
            "evil.example",
            f"evil.example:{port}",
            "localhost.evil.example",
            "",
            "0.0.0.0",
        ):
            for path in ("/a.mjs", "/made.txt", "/"):
                status, body = _asked(port, path, host)
                assert status == 403
                assert b"serves 127.0.0.1 and localhost" in body


def _asked(port: int, path: str, host: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path, headers={"Host": host})
    answer = connection.getresponse()
    try:
        return answer.status, answer.read()
    finally:
        connection.close()


def test_a_folder_that_is_there_later(folder: Path, tmp_path: Path):
    mounts: dict[str, Path] = {}
    with SiteServer(folder, mounts=mounts) as server:
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(server.url + "more/secret")
        caught.value.close()
        mounts["more"] = tmp_path
        with urllib.request.urlopen(server.url + "more/secret") as answer:
            assert answer.read() == b"secret"
