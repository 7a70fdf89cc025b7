"""Python environments in the cache, one for each hash-pinned lock file in requirements/."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

from .cache import entry, file_hash
from .console import BuildError, run_logged
from .paths import ROOT

LOCKS = {
    name: f"requirements/{name}.txt"
    for name in (
        *("build", "test", "python", "bench", "docs"),
        *("hub_tests", "keras", "libraries", "notebooks", "onnx"),
    )
}
MINIMUM = (3, 11)
WITHOUT_TENSORFLOW = (3, 14)
"""The first version of Python for which TensorFlow has no wheel."""


@cache
def ensure(name: str) -> Path:
    """Return the interpreter of the environment `name` of LOCKS, made if it is missing."""
    if sys.version_info < MINIMUM:
        raise BuildError("Python 3.11 or newer is needed to run build.py")
    lock = ROOT / LOCKS[name]
    inputs = {"lock": file_hash(lock), "python": sys.version}

    def make(into: Path) -> None:
        _make(into, lock)

    return entry(f"venv-{name}", inputs, f"Python environment for {name}", make) / "bin" / "python"


def for_tests() -> Path:
    """Return the interpreter for Python tests, without TensorFlow where it has no wheel."""
    return ensure("test" if sys.version_info < WITHOUT_TENSORFLOW else "python")


def importing(*folders: str) -> dict[str, str]:
    """Return environment variables with which Python finds modules in folders of the clone."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(str(ROOT / f) for f in folders)}


def _make(into: Path, lock: Path) -> None:
    final = into.with_name(into.name.removesuffix(".tmp"))
    try:
        run_logged([sys.executable, "-m", "venv", into], f"venv-{lock.stem}")
    except BuildError as error:
        raise BuildError(f"{error}\n(on Debian, python3-venv has the module venv)") from None
    pip = [into / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "install"]
    # Python compiles modules on import. Compiling all of them takes longer than the installation.
    options = ["--no-compile", "--require-hashes", "--no-deps"]
    run_logged([*pip, *options, "-r", lock], f"pip-{lock.stem}")
    for script in (into / "bin").iterdir():
        if not script.is_file() or script.is_symlink():
            continue
        text = script.read_bytes()
        if os.fsencode(into) in text[:4096]:
            script.write_bytes(text.replace(os.fsencode(into), os.fsencode(final)))


def read(python: Path, *words: object) -> str:
    """Return the standard output of an environment's interpreter."""
    done = subprocess.run([str(python), *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        raise BuildError(f"{python} {' '.join(map(str, words))} failed:\n{done.stderr}")
    return done.stdout.strip()
