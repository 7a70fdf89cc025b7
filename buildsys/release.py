"""A release in dist/release: what is published, and the digests of it.

tfpy-VERSION-py3-none-any.whl   the wheel, for micropip, Pyodide's lock files and CPython
tfpy-VERSION.tar.gz             the source distribution: the wheel's files, and nothing to compile
tfpy-site-VERSION.zip           the site: the loader, Pyodide, NumPy, Keras, tfpy; to be unpacked on
                                any server of files
tfpy-VERSION.tgz                the npm package
SHA256SUMS                      for `sha256sum --check`
"""

from __future__ import annotations

import hashlib
import shutil
import zipfile
from pathlib import Path

from . import npm_package, pyenv, site, wheel
from .cache import lock
from .console import BuildError, run_logged, step
from .paths import BUILD, DIST, ROOT
from .side_modules import ZIP_TIME

RELEASE = DIST / "release"
DIGESTS = "SHA256SUMS"


def ensure(tag: str | None = None) -> Path:
    """The folder of the release, made anew; equal sources, equal bytes."""
    version = wheel.version()
    if tag not in (None, f"v{version}"):
        raise BuildError(f"the tag {tag} is not v{version}; {wheel.VERSION_FILE} has the version")
    folder = site.ensure()
    with lock("release"), step(f"release in {RELEASE}"):
        made = BUILD / "release"
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(parents=True)
        shutil.copy(DIST / f"tfpy-{version}-py3-none-any.whl", made)
        build = [pyenv.ensure("build"), "-P", "-m", "build", "--sdist", "--no-isolation"]
        run_logged([*build, "--outdir", made, ROOT], "sdist")
        _pack(folder, made / f"tfpy-site-{version}.zip", f"tfpy-site-{version}")
        npm_package.ensure(made)
        (made / DIGESTS).write_text(_digests(made), encoding="utf-8")
        shutil.rmtree(RELEASE, ignore_errors=True)
        made.replace(RELEASE)
    return RELEASE


def _pack(folder: Path, out: Path, top: str) -> None:
    """A folder as an archive with one folder at its top, which holds the files' digests, too."""
    with zipfile.ZipFile(out, "w") as archive:
        files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in _files(folder)}
        files[DIGESTS] = _digests(folder).encode()
        for name, data in sorted(files.items()):
            member = zipfile.ZipInfo(f"{top}/{name}", ZIP_TIME)
            archive.writestr(member, data, zipfile.ZIP_DEFLATED, 9)


def _digests(folder: Path) -> str:
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}\n"
        for path in _files(folder)
    ]
    return "".join(lines)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())
