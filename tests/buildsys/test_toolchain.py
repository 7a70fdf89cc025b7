"""The choice of the compilers, and the Debian archive that provides them."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildsys import debian, toolchain
from buildsys.console import BuildError

DEB822 = """\
Types: deb
URIs: {other}
Suites: nodistro

Types: deb
URIs: {archive}
Suites: bookworm
Components: main
"""


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("emcc (Emscripten gcc/clang-like replacement + linker) 3.1.69 ()", "3.1.69"),
        ("emcc 4.0.9-git (abc)", "4.0.9"),
        ("no emcc", "0"),
    ],
)
def test_emcc_version(text: str, version: str):
    assert toolchain.emcc_version(text) == version


@pytest.mark.parametrize(
    ("version", "usable"),
    [(None, False), ("0", False), ("3.1.6", False), ("3.1.60", True), ("4.0.0", True)],
)
def test_usable(version: str | None, usable: bool):
    assert toolchain.usable(version) is usable


def test_the_archive_is_that_of_the_hosts_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(debian, "SOURCES", tmp_path)
    with pytest.raises(BuildError, match="emcc"):
        debian.archive()
    (tmp_path / "sources.list").write_text("deb [a=b] mirror://one/debian/ x main\n")
    assert debian.archive() == "mirror://one/debian"
    (tmp_path / "sources.list.d").mkdir()
    text = DEB822.format(other="mirror://node/x", archive="mirror://two/debian")
    (tmp_path / "sources.list.d" / "debian.sources").write_text(text)
    assert debian.archive() == "mirror://two/debian"


def test_a_changed_source_archive_is_refused(tmp_path: Path):
    archive = tmp_path / "a.tar"
    archive.write_bytes(b"changed")
    with pytest.raises(BuildError, match="not the file"):
        debian.checked(archive, "0" * 64)
    with pytest.raises(BuildError, match="the archive has no"):
        debian.checked(tmp_path / "b.tar", "0" * 64)
