"""NumPy for Pyodide, compiled from its source distribution.

Pages get NumPy from Pyodide's own distribution; npm has only Pyodide's core, so the tests and the
demo, which need no network, use this wheel.
"""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import zipfile
from pathlib import Path

from . import debian, npm, pyenv, toolchain
from .cache import entry, file_hash, tree_hash
from .console import BuildError, run_logged
from .paths import DATA, ROOT

VERSION = "2.4.6"
SDIST_SHA256 = "f3a3570c4a2a16746ac2c31a7c7c7b0c186b95ce902e33db6f28094ed7387dda"
PYTHON = "3.14"  # of Pyodide 314
PLATFORM = "pyemscripten-2026_0-wasm32"
TAG = "cp314-cp314-pyemscripten_2026_0_wasm32"
WHEEL = f"numpy-{VERSION}-{TAG}.whl"
HEADERS_SUITE = "forky"  # the first Debian with this Python
HEADERS_PACKAGE = f"libpython{PYTHON}-dev"
SYSCONFIG = "_sysconfigdata__emscripten_wasm32-emscripten"
LOCK = ROOT / "requirements" / "numpy.txt"
SOURCES = DATA / "numpy"
EPOCH = "1779138240"
ZIP_TIME = (2026, 5, 18, 0, 0, 0)


def ensure() -> Path:
    """The NumPy wheel, built when missing."""
    tools = toolchain.ensure()
    pyodide = npm.ensure() / "pyodide"
    inputs = {
        "version": VERSION,
        "sdist": SDIST_SHA256,
        "lock": file_hash(LOCK),
        "recipe": [tree_hash(SOURCES), file_hash(Path(__file__))],
        "pyodide": file_hash(pyodide / "python_stdlib.zip"),
        "emscripten": tools.version,
    }

    def make(into: Path) -> None:
        _make(into, tools, pyodide)

    return entry("numpy", inputs, "NumPy for Pyodide (5 to 10 minutes)", make) / WHEEL


def _make(into: Path, tools: toolchain.Toolchain, pyodide: Path) -> None:
    work = into / "work"
    work.mkdir()
    source = _fetch_source(work)
    _fetch_backend(work / "site", tools)
    with zipfile.ZipFile(pyodide / "python_stdlib.zip") as stdlib:
        stdlib.extract(f"{SYSCONFIG}.py", work / "sysconfig")
    _make_headers(work)
    shutil.copytree(SOURCES, work / "bin")
    cross = (SOURCES / "cross.ini.in").read_text(encoding="utf-8").replace("@WORK@", str(work))
    (work / "cross.ini").write_text(cross, encoding="utf-8")
    (work / "bin" / "em++side").symlink_to("emccside")
    for program in ("emccside", "cython"):
        (work / "bin" / program).chmod(0o755)
    env = {
        "PATH": f"{work}/bin:{tools.path}",
        "PYTHONPATH": f"{work}/site:{work}/sysconfig",
        "SOURCE_DATE_EPOCH": EPOCH,
        "PYTHONHASHSEED": "0",
        "TFPY_HEADERS": str(work / "include"),
        "TFPY_WORK": str(work),
        "_PYTHON_SYSCONFIGDATA_NAME": SYSCONFIG,
        "_PYTHON_HOST_PLATFORM": PLATFORM,
    }
    build = ["python3", work / "bin" / "build_wheel.py", work / "cross.ini", work / "dist"]
    tools.run(build, "numpy", cwd=source, env=env)
    (built,) = (work / "dist").glob("*.whl")
    _repack(built, into / WHEEL, work)
    shutil.rmtree(work)


def _fetch_source(work: Path) -> Path:
    """Unpack the source distribution; pip would run its build backend to download it."""
    download = [pyenv.ensure("build"), "-m", "unearth", "--no-binary", "--download", work]
    run_logged([*download, f"numpy=={VERSION}"], "numpy-sdist")
    sdist = work / f"numpy-{VERSION}.tar.gz"
    if file_hash(sdist) != SDIST_SHA256:
        raise BuildError(f"{sdist.name} is not the file that this build was written for")
    run_logged(["tar", "--extract", "--file", sdist, "--directory", work], "numpy-unpack")
    return work / f"numpy-{VERSION}"


def _fetch_backend(site: Path, tools: toolchain.Toolchain) -> None:
    """Install the build backend for the toolchain's Python, which is not this one."""
    version = tools.read(["python3", "-c", "import platform; print(platform.python_version())"])
    pip = [pyenv.ensure("build"), "-m", "pip", "--disable-pip-version-check", "install"]
    platforms = [f"--platform={name}" for name in ("manylinux_2_28_x86_64", "manylinux2014_x86_64")]
    options = ["--only-binary=:all:", "--no-deps", "--require-hashes"]
    run_logged(
        [*pip, *options, *platforms, f"--python-version={version}", "--target", site, "-r", LOCK],
        "numpy-backend",
    )


def _make_headers(work: Path) -> None:
    """CPython's headers, with a pyconfig.h for Pyodide's build of it."""
    apt = debian.private_apt(HEADERS_SUITE, work / "apt")
    apt.fetch(["download", HEADERS_PACKAGE], work, "numpy-headers")
    (package,) = work.glob("*.deb")
    run_logged(["dpkg", "-x", package, work / "headers"], "numpy-headers-unpack")
    usr = work / "headers" / "usr" / "include"
    shutil.copytree(usr / f"python{PYTHON}", work / "include")
    (template,) = usr.glob(f"*/python{PYTHON}/pyconfig.h")
    script = SOURCES / "make_pyconfig.py"
    values = work / "sysconfig" / f"{SYSCONFIG}.py"
    made = pyenv.read(pyenv.ensure("build"), script, template, values)
    if "#define SIZEOF_VOID_P 4" not in made:
        raise BuildError("the made pyconfig.h is not one for wasm32")
    (work / "include" / "pyconfig.h").write_text(made + "\n", encoding="utf-8")


def _repack(built: Path, out: Path, work: Path) -> None:
    """Copy a wheel with the right tag, sorted, with fixed times: equal contents, equal bytes.

    NumPy records its compilers' paths, which name this machine's cache.
    """
    with zipfile.ZipFile(built) as old:
        names = [name for name in old.namelist() if not name.endswith("/")]
        files = {name: old.read(name).replace(os.fsencode(work), b"/build") for name in names}
    info = next(name for name in files if name.endswith(".dist-info/WHEEL")).removesuffix("WHEEL")
    lines = files[f"{info}WHEEL"].decode().splitlines()
    lines = [f"Tag: {TAG}" if line.startswith("Tag:") else line for line in lines]
    files[f"{info}WHEEL"] = ("\n".join(lines) + "\n").encode()
    del files[f"{info}RECORD"]
    record = [f"{name},{_record_hash(data)},{len(data)}\n" for name, data in sorted(files.items())]
    files[f"{info}RECORD"] = "".join([*record, f"{info}RECORD,,\n"]).encode()
    with zipfile.ZipFile(out, "w") as new:
        for name in sorted(files, key=lambda name: (".dist-info/" in name, name)):
            member = zipfile.ZipInfo(name, ZIP_TIME)
            member.external_attr = 0o100644 << 16
            new.writestr(member, files[name], zipfile.ZIP_DEFLATED, 9)


def _record_hash(data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
    return "sha256=" + digest.rstrip(b"=").decode()
