"""Contents of a release: all files, valid digests, and a license for each part."""

from __future__ import annotations

import hashlib
import subprocess
import tarfile
import zipfile
from email.parser import BytesHeaderParser
from pathlib import Path

import pytest

from buildsys import notices, pyenv, release, site, wheel
from buildsys.console import BuildError


@pytest.fixture(scope="module")
def folder() -> Path:
    return release.ensure()


def test_digests_hold_for_every_file(folder: Path, tmp_path: Path) -> None:
    sums = dict(line.split()[::-1] for line in (folder / release.DIGESTS).read_text().splitlines())
    files = {path.name for path in folder.iterdir()} - {release.DIGESTS}
    assert sums.keys() == files
    assert len(files) == 4
    for name, digest in sums.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    with zipfile.ZipFile(folder / f"tfpy-site-{wheel.version()}.zip") as archive:
        archive.extractall(tmp_path)
    (top,) = tmp_path.iterdir()
    checked = subprocess.run(["sha256sum", "--check", "--quiet", release.DIGESTS], cwd=top)
    assert checked.returncode == 0
    assert (top / "pyodide" / "pyodide-lock.json").read_bytes() == (
        site.SITE / "pyodide" / "pyodide-lock.json"
    ).read_bytes()


def test_the_site_has_a_notice_of_every_wheel(folder: Path) -> None:
    told = (site.SITE / notices.NAME).read_text(encoding="utf-8")
    for file in (site.SITE / "pyodide").glob("*.whl"):
        with zipfile.ZipFile(file) as archive:
            (about,) = [name for name in archive.namelist() if name.endswith("-info/METADATA")]
            head = BytesHeaderParser().parsebytes(archive.read(about))
        if head["Name"] != "tfpy":
            section = told.split(f"\n{head['Name']} {head['Version']}: ")[1].split(notices.LINE)[1]
            assert len(section) > 500, head["Name"]
    assert (site.SITE / "NOTICE").read_text(encoding="utf-8").startswith("tfpy\nCopyright")
    assert "<year>" not in told
    assert "Redistribution and use" in told


def test_the_wheel_has_the_notices_of_its_modules(folder: Path) -> None:
    (file,) = folder.glob("*.whl")
    with zipfile.ZipFile(file) as archive:
        names = [name for name in archive.namelist() if ".dist-info/licenses/" in name]
        texts = "".join(archive.read(name).decode() for name in names)
    assert "tfpy is licensed" in texts
    for work in ("Apache License", "XNNPACK software", "pthreadpool", "RapidJSON", "musl"):
        assert work in texts


def test_the_sources_make_the_wheel_without_a_compiler(folder: Path, tmp_path: Path) -> None:
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path, filter="data")
    (top,) = tmp_path.iterdir()
    build = [pyenv.ensure("build"), "-P", "-m", "build", "--wheel", "--no-isolation", top]
    made = subprocess.run(build, capture_output=True, text=True, env={"PATH": ""})
    assert made.returncode == 0, made.stdout + made.stderr
    (ours,), (again,) = folder.glob("*.whl"), (top / "dist").glob("*.whl")
    assert _files(again) == _files(ours)


def test_a_tag_is_the_version() -> None:
    with pytest.raises(BuildError, match=f"the tag v9.9.9 is not v{wheel.version()}"):
        release.ensure("v9.9.9")


def _files(file: Path) -> dict[str, bytes]:
    """Return a wheel's files except bytecode, which a source distribution cannot produce."""
    with zipfile.ZipFile(file) as archive:
        return {
            name: archive.read(name)
            for name in archive.namelist()
            if not name.endswith((".pyc", "/RECORD"))
        }


def test_the_npm_package_has_no_pages(folder: Path) -> None:
    (file,) = folder.glob("tfpy-*.tgz")
    with tarfile.open(file) as archive:
        names = archive.getnames()
    assert {"package/LICENSE", "package/NOTICE", "package/site/tfpy.mjs"} <= {*names}
    assert [name for name in names if name.endswith((".html", ".css"))] == []
