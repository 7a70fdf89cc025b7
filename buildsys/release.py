"""A release in dist/release: the published files and their digests.

tfpy_web-VERSION-py3-none-any.whl  the wheel, for micropip, Pyodide's lock files and CPython
tfpy_web-VERSION.tar.gz            the source distribution: the files of the wheel, nothing to
                                   compile
tfpy-site-VERSION.zip              the site: the loader, Pyodide, NumPy, Keras, tfpy, and in docs/
                                   the documentation; to be unpacked on any static file server
tfpy-web-VERSION.tgz               the npm package
SHA256SUMS                         for `sha256sum --check`
"""

from __future__ import annotations

import hashlib
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path

from . import docs, npm_package, pyenv, site, wheel
from .cache import lock
from .console import BuildError, run_logged, step
from .paths import BUILD, DIST, ROOT
from .side_modules import ZIP_TIME

RELEASE = DIST / "release"
DIGESTS = "SHA256SUMS"


def ensure(tag: str | None = None) -> Path:
    """Return the folder of the release, made from scratch. Equal sources produce equal bytes."""
    version = wheel.version()
    if tag not in (None, f"v{version}"):
        raise BuildError(f"the tag {tag} is not v{version}; {wheel.VERSION_FILE} has the version")
    folders = {"": site.ensure(), "docs/": docs.ensure()}
    with lock("release"), step(f"release in {RELEASE}"):
        made = BUILD / "release"
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(parents=True)
        shutil.copy(DIST / wheel.file_name(), made)
        build = [pyenv.ensure("build"), "-P", "-m", "build", "--sdist", "--no-isolation"]
        run_logged([*build, "--outdir", made, ROOT], "sdist")
        _pack(folders, made / f"tfpy-site-{version}.zip", f"tfpy-site-{version}")
        npm_package.ensure(made)
        digests = "".join(_digest(file.name, file.read_bytes()) for file in _files(made))
        (made / DIGESTS).write_text(digests, encoding="utf-8")
        shutil.rmtree(RELEASE, ignore_errors=True)
        made.replace(RELEASE)
    return RELEASE


def _pack(folders: Mapping[str, Path], out: Path, top: str) -> None:
    """Pack folders into an archive with one folder at its top, and the digests of the files."""
    files = {
        place + path.relative_to(folder).as_posix(): path.read_bytes()
        for place, folder in folders.items()
        for path in _files(folder)
    }
    files[DIGESTS] = "".join(_digest(name, data) for name, data in sorted(files.items())).encode()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in sorted(files.items()):
            member = zipfile.ZipInfo(f"{top}/{name}", ZIP_TIME)
            archive.writestr(member, data, zipfile.ZIP_DEFLATED, 9)


def _digest(name: str, data: bytes) -> str:
    return f"{hashlib.sha256(data).hexdigest()}  {name}\n"


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())
