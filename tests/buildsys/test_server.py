"""The site's server: isolation headers, MIME types, nothing outside its folder."""

from __future__ import annotations

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


@pytest.mark.parametrize("path", ["../secret", "%2e%2e/secret", "nothing.html"])
def test_only_the_folder_is_served(folder: Path, path: str):
    with SiteServer(folder) as server, pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(server.url + path)
    caught.value.close()
    assert caught.value.code == 404


def test_a_folder_that_is_there_later(folder: Path, tmp_path: Path):
    mounts: dict[str, Path] = {}
    with SiteServer(folder, mounts=mounts) as server:
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(server.url + "more/secret")
        caught.value.close()
        mounts["more"] = tmp_path
        with urllib.request.urlopen(server.url + "more/secret") as answer:
            assert answer.read() == b"secret"
