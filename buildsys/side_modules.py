"""The shared steps of the builds of Python packages with compiled modules for Pyodide."""

from __future__ import annotations

import base64
import hashlib
import shutil
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from . import debian, npm, pyenv
from .cache import entry, file_hash
from .console import BuildError, run_logged
from .paths import DATA, ROOT
from .toolchain import Toolchain

PYTHON = "3.14"  # the version in Pyodide 314
PLATFORM = "pyemscripten-2026_0-wasm32"
TAG = "cp314-cp314-pyemscripten_2026_0_wasm32"
MODULE_SUFFIX = ".cpython-314-wasm32-emscripten.so"
EXCEPTIONS = ("-fwasm-exceptions", "-sSUPPORT_LONGJMP=wasm")
SYSCONFIG = "_sysconfigdata__emscripten_wasm32-emscripten"
HEADERS_SUITE = "forky"  # the first Debian suite with this Python
HEADERS_PACKAGE = f"libpython{PYTHON}-dev"
MAKE_PYCONFIG = DATA / "make_pyconfig.py"
BACKEND_LOCK = ROOT / "requirements" / "numpy.txt"
ZIP_TIME = (2026, 5, 18, 0, 0, 0)
RECIPE = Path(__file__)  # an input of every build that uses it


def fetch_sdist(name: str, version: str, sha256: str, work: Path) -> Path:
    """Download and unpack a source distribution, and return its folder.

    pip would run the build backend of the package to download it.
    """
    download = [pyenv.ensure("build"), "-m", "unearth", "--no-binary", "--download", work]
    run_logged([*download, f"{name}=={version}"], f"{name}-sdist")
    sdist = work / f"{name}-{version}.tar.gz"
    if file_hash(sdist) != sha256:
        raise BuildError(f"{sdist.name} does not have the SHA-256 that is pinned for it: {sha256}")
    run_logged(["tar", "--extract", "--file", sdist, "--directory", work], f"{name}-unpack")
    return work / f"{name}-{version}"


def fetch_backend(site: Path, tools: Toolchain) -> None:
    """Install Cython and NumPy's build backend for the Python of the toolchain."""
    version = tools.read(["python3", "-c", "import platform; print(platform.python_version())"])
    pip = [pyenv.ensure("build"), "-m", "pip", "--disable-pip-version-check", "install"]
    platforms = [f"--platform={name}" for name in ("manylinux_2_28_x86_64", "manylinux2014_x86_64")]
    options = ["--only-binary=:all:", "--no-deps", "--require-hashes", "--target", site]
    words = [*pip, *options, *platforms, f"--python-version={version}", "-r", BACKEND_LOCK]
    run_logged(words, "wheel-backend")


def extract_sysconfig(into: Path) -> None:
    """Extract the module with the configuration of Pyodide's CPython into a folder."""
    with zipfile.ZipFile(npm.ensure() / "pyodide" / "python_stdlib.zip") as stdlib:
        stdlib.extract(f"{SYSCONFIG}.py", into)


def python_headers() -> Path:
    """Return the folder of CPython's headers, with the pyconfig.h of Pyodide's build."""
    inputs = {
        "package": [HEADERS_SUITE, HEADERS_PACKAGE],
        "script": file_hash(MAKE_PYCONFIG),
        "pyodide": file_hash(npm.ensure() / "pyodide" / "python_stdlib.zip"),
    }
    return entry("headers", inputs, f"headers of Python {PYTHON}", _make_headers) / "include"


def _make_headers(into: Path) -> None:
    work = into / "work"
    apt = debian.private_apt(HEADERS_SUITE, work / "apt")
    apt.fetch(["download", HEADERS_PACKAGE], work, "python-headers")
    (package,) = work.glob("*.deb")
    run_logged(["dpkg", "-x", package, work / "headers"], "python-headers-unpack")
    usr = work / "headers" / "usr" / "include"
    shutil.copytree(usr / f"python{PYTHON}", into / "include")
    (template,) = usr.glob(f"*/python{PYTHON}/pyconfig.h")
    extract_sysconfig(work)
    values = work / f"{SYSCONFIG}.py"
    made = pyenv.read(pyenv.ensure("build"), MAKE_PYCONFIG, template, values)
    if "#define SIZEOF_VOID_P 4" not in made:
        raise BuildError("the generated pyconfig.h is not for wasm32: SIZEOF_VOID_P is not 4")
    (into / "include" / "pyconfig.h").write_text(made + "\n", encoding="utf-8")
    shutil.rmtree(work)


def compile_archive(
    project: Path, build: Path, defines: Mapping[str, object], tools: Toolchain, log: str
) -> None:
    """Compile a CMake project of static libraries whose objects can be part of a side module."""
    options: Mapping[str, object] = {
        "CMAKE_BUILD_TYPE": "None",
        "CMAKE_C_COMPILER": tools.llvm("clang"),
        "CMAKE_CXX_COMPILER": tools.llvm("clang++"),
        "CMAKE_AR": tools.llvm("llvm-ar"),
        "CMAKE_RANLIB": tools.llvm("llvm-ranlib"),
        "TARGET_FLAGS": tools.read(["emcc", *EXCEPTIONS, "-fPIC", "--cflags"]) + " -fPIC",
        "PYTHON_HEADERS": python_headers(),
        **defines,
    }
    words = [f"-D{name}={value}" for name, value in options.items()]
    tools.run(["cmake", "-G", "Ninja", "-S", project, "-B", build, *words], f"{log}-configure")
    tools.run(["ninja", "-C", build], log)


def link(out: Path, modules: Sequence[str], archives: Sequence[Path], tools: Toolchain) -> None:
    """Link the extension modules in the first archive into a side module."""
    exports = ",".join(f"_PyInit_{module}" for module in modules)
    options = [*EXCEPTIONS, "-sWASM_BIGINT", "-sSIDE_MODULE=2", f"-sEXPORTED_FUNCTIONS={exports}"]
    first, *others = archives
    whole = ["-Wl,--whole-archive", first, "-Wl,--no-whole-archive", *others]
    tools.run(["em++", "-Os", "-g0", *options, *whole, "-o", out], f"{out.name.split('.')[0]}-link")


def write_wheel(out: Path, files: Mapping[str, bytes], digests: bool = True) -> None:
    """Write a wheel with sorted members and fixed times, so that equal contents make equal bytes.

    The files include WHEEL and METADATA in a .dist-info folder. This function adds RECORD. Pages
    need no digests in it, because they check the digest of the wheel.
    """
    info = next(name for name in files if name.endswith(".dist-info/WHEEL")).removesuffix("WHEEL")
    kept = {name: data for name, data in files.items() if name != f"{info}RECORD"}
    facts = {name: f"{_record_hash(data)},{len(data)}" for name, data in sorted(kept.items())}
    record = [f"{name},{fact if digests else ','}\n" for name, fact in facts.items()]
    kept[f"{info}RECORD"] = "".join([*record, f"{info}RECORD,,\n"]).encode()
    with zipfile.ZipFile(out, "w") as new:
        for name in sorted(kept, key=lambda name: (".dist-info/" in name, name)):
            member = zipfile.ZipInfo(name, ZIP_TIME)
            member.external_attr = 0o100644 << 16
            new.writestr(member, kept[name], zipfile.ZIP_DEFLATED, 9)


def wheel_text(tag: str) -> bytes:
    """Return the contents of the file WHEEL of a wheel with this tag."""
    pure = str(tag.endswith("-any")).lower()
    lines = ["Wheel-Version: 1.0", "Generator: tfpy", f"Root-Is-Purelib: {pure}", f"Tag: {tag}"]
    return ("\n".join(lines) + "\n").encode()


def _record_hash(data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
    return "sha256=" + digest.rstrip(b"=").decode()
