"""Contents of a release: all files, valid digests, and a license for each part.

The last tests do what .github/workflows/release.yml does with these files, without publishing them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from email.parser import BytesHeaderParser
from pathlib import Path

import numpy as np
import pytest
from packaging.metadata import Metadata
from packaging.utils import parse_sdist_filename, parse_wheel_filename

from buildsys import notices, pyenv, release, site, wheel
from buildsys.console import BuildError
from buildsys.hatch_hook import with_absolute_links
from buildsys.paths import ROOT
from buildsys.project import DISTRIBUTION

WORKFLOW = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
COMMANDS = re.findall(r"- run: (.*)", WORKFLOW)
REPOSITORY = "https://github.com/tfpy/tfpy"
VERSIONS = """
import importlib.metadata, json, tfpy
found = [tfpy.__file__, importlib.metadata.version("tfpy-web"), tfpy.__version__]
tfpy.as_tensorflow(replace=True)
import tensorflow
print(json.dumps([*found, tfpy.__version__, tfpy.reduce_sum([1.0, 2.0]).numpy().item()]))
"""


@pytest.fixture(scope="module")
def folder() -> Path:
    return release.ensure(f"v{wheel.version()}")


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
        if head["Name"] != DISTRIBUTION:
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
    (file,) = folder.glob("*.tgz")
    with tarfile.open(file) as archive:
        names = archive.getnames()
    assert {"package/LICENSE", "package/NOTICE", "package/site/tfpy.mjs"} <= {*names}
    assert [name for name in names if name.endswith((".html", ".css"))] == []


@pytest.fixture(scope="module")
def workplace(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the release, and the files for PyPI as the workflow copies them."""
    top = tmp_path_factory.mktemp("release")
    (top / "dist").mkdir()
    (top / "dist" / "release").symlink_to(folder)
    (copy,) = [line for line in COMMANDS if "dist/pypi" in line]
    subprocess.run(copy, shell=True, check=True, cwd=top)
    return top


def test_the_workflow_builds_the_release_of_its_tag() -> None:
    assert 'python build.py release --tag "$GITHUB_REF_NAME"' in COMMANDS
    assert re.findall(r"(?:files|packages-dir): (.*)", WORKFLOW) == ["dist/release/*", "dist/pypi"]


def absolute_readme() -> str:
    """Return the README with absolute links, after a check that each names a file or heading."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    made = with_absolute_links(text, REPOSITORY, f"v{wheel.version()}")
    assert re.findall(r"\]\((?!https:)", made) == []
    links = re.findall(rf"\]\({REPOSITORY}/(blob|raw)/v{wheel.version()}/([^)#]+)", made)
    assert len(links) > 30
    for kind, name in links:
        assert (ROOT / name).is_file(), name
        assert (kind == "raw") == name.endswith(".webp"), name
    return made


def test_code_has_no_links() -> None:
    text = "[a](b.md)\n```py\nf[0](x)\n```\n![a\nb](c.webp) [d](#e) [f](https://example.org)\n"
    made = with_absolute_links(text, "https://example.org/a", "v1")
    assert made == (
        "[a](https://example.org/a/blob/v1/b.md)\n```py\nf[0](x)\n```\n"
        "![a\nb](https://example.org/a/raw/v1/c.webp) "
        "[d](https://example.org/a/blob/v1/README.md#e) [f](https://example.org)\n"
    )


def test_files_for_pypi(workplace: Path) -> None:
    """Check the names and the metadata of the wheel and of the source distribution."""
    source, built = sorted((workplace / "dist" / "pypi").iterdir(), key=lambda file: file.suffix)
    name, version, _, tags = parse_wheel_filename(built.name)
    assert (name, str(version)) == ("tfpy-web", wheel.version())
    assert [str(tag) for tag in tags] == ["py3-none-any"]
    assert parse_sdist_filename(source.name) == (name, version)
    top = source.name.removesuffix(".tar.gz")
    with zipfile.ZipFile(built) as archive, tarfile.open(source) as packed:
        about = archive.read(f"{top}.dist-info/METADATA")
        info = packed.extractfile(f"{top}/PKG-INFO")
        assert info is not None
        assert info.read() == about
    found = Metadata.from_email(about, validate=True)
    assert (found.name, found.version) == ("tfpy-web", version)
    assert found.description_content_type == "text/markdown"
    assert found.description == absolute_readme()
    assert found.license_expression == "Apache-2.0"
    assert found.requires_dist
    assert [str(need) for need in found.requires_dist if need.url] == []


def test_the_wheel_is_installed_and_imported(workplace: Path, tmp_path: Path) -> None:
    """Check that tfpy reports the version of its metadata, also after as_tensorflow()."""
    (file,) = (workplace / "dist" / "pypi").glob("*.whl")
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", venv, "install"]
    options = ["--quiet", "--no-deps", "--no-index", "--no-compile"]
    subprocess.run([*pip, *options, file], check=True)
    env = {**os.environ, "PYTHONPATH": str(Path(np.__file__).parents[1])}
    run = [venv / "bin" / "python", "-c", VERSIONS]
    shown = subprocess.run(run, env=env, cwd=tmp_path, check=True, capture_output=True, text=True)
    place, *found = json.loads(shown.stdout)
    assert Path(place).is_relative_to(venv)
    assert found == [wheel.version()] * 3 + [3.0]


def test_the_npm_package_can_be_published(workplace: Path) -> None:
    (publish,) = [line for line in COMMANDS if line.startswith("npm publish")]
    dry = f"{publish} --dry-run --offline --json"
    shown = subprocess.run(dry, shell=True, cwd=workplace, check=True, capture_output=True)
    found = json.loads(shown.stdout)[DISTRIBUTION]
    assert (found["name"], found["version"]) == (DISTRIBUTION, wheel.version())
    assert {"package.json", "vite.mjs", "site/tfpy.mjs"} <= {one["path"] for one in found["files"]}
