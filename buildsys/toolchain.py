"""Emscripten: the host's if it is recent enough, otherwise one in a Debian root in the cache.

`python -m buildsys.toolchain emcc --version` runs any of its programs by hand.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from . import debian
from .cache import entry
from .console import BuildError, run_logged, run_shown
from .paths import CACHE, ROOT

MINIMUM = (3, 1, 60)
SUITE = "trixie"  # with emscripten 3.1.69; the version in the suite before it is too old
PACKAGES = ("emscripten", "ca-certificates", "cmake", "ninja-build", "python3", "git")
HOST_TOOLS = ("cmake", "ninja")


@dataclass(frozen=True)
class Toolchain:
    """The place of the compilers: the host (root is None) or a Debian root."""

    root: Path | None

    def wrap(
        self,
        argv: Sequence[object],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        binds: Sequence[Path] = (),
    ) -> list[str]:
        """Return the host command that runs `argv` here and sees the clone, the cache and `binds`.

        Directories have the same path inside and outside.
        """
        words = [f"{name}={value}" for name, value in (env or {}).items()]
        words += [str(word) for word in argv]
        if self.root is None:
            return ["env", "-C", str(cwd or Path.cwd()), *words]
        script = [
            "set -e",
            "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
            f"root={shlex.quote(str(self.root))}",
        ]
        for path in (ROOT, CACHE, Path("/tmp"), *binds):
            inside = f'"$root"{shlex.quote(str(path))}'
            script += [f"mkdir -p {inside}", f"mount --bind {shlex.quote(str(path))} {inside}"]
        script += [f'mount --rbind {path} "$root{path}"' for path in ("/dev", "/proc")]
        fixed = [f"PATH={self.path}", "HOME=/root", "LC_ALL=C.UTF-8"]
        inside = shlex.join(["env", "-i", "-C", str(cwd or ROOT), *fixed, *words])
        script.append(f'exec chroot "$root" {inside}')
        return [*_namespace(), "sh", "-c", "\n".join(script)]

    def run(
        self,
        argv: Sequence[object],
        log_name: str,
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        binds: Sequence[Path] = (),
    ) -> None:
        """Run a command here with its output in a log.

        Raises:
            BuildError: If it fails.
        """
        run_logged(["nice", *self.wrap(argv, cwd=cwd, env=env, binds=binds)], log_name)

    def read(self, argv: Sequence[str]) -> str:
        """Return the standard output of a command that is run here."""
        done = subprocess.run(self.wrap(argv), capture_output=True, text=True)
        if done.returncode:
            raise BuildError(f"{shlex.join(argv)} failed:\n{done.stderr}")
        return done.stdout.strip()

    @property
    def path(self) -> str:
        """Return the search path for programs here."""
        return os.environ["PATH"] if self.root is None else "/usr/bin:/bin"

    @cached_property
    def version(self) -> str:
        """Return Emscripten's version, for cache keys."""
        return emcc_version(self.read(["emcc", "--version"]))

    @property
    def cmake_toolchain(self) -> str:
        """Return the path (inside) of Emscripten's CMake toolchain file."""
        top = self.read(["em-config", "EMSCRIPTEN_ROOT"])
        return f"{top}/cmake/Modules/Platform/Emscripten.cmake"

    def llvm(self, program: str) -> str:
        """Return the path (inside) of one of Emscripten's LLVM programs, such as clang.

        Debian's programs have a version suffix, which em-config reports as LLVM_ADD_VERSION.
        """
        top = self.read(["em-config", "LLVM_ROOT"])
        suffix = self.read(["em-config", "LLVM_ADD_VERSION"])
        return f"{top}/{program}-{suffix}" if suffix not in ("", "None") else f"{top}/{program}"


def emcc_version(text: str) -> str:
    """Return the version in the output of `emcc --version`, or '0' if there is none."""
    match = re.search(r"\d+\.\d+\.\d+", text)
    return match[0] if match else "0"


def host_emcc() -> str | None:
    """Return the version of the emcc on PATH, or None if there is none."""
    if shutil.which("emcc") is None:
        return None
    shown = subprocess.run(["emcc", "--version"], capture_output=True, text=True).stdout
    return emcc_version(shown)


def usable(version: str | None) -> bool:
    """Return True if an Emscripten version is recent enough."""
    return version is not None and tuple(map(int, version.split("."))) >= MINIMUM


@cache
def ensure() -> Toolchain:
    """Return the toolchain, made if it is missing."""
    if usable(host_emcc()):
        missing = [tool for tool in HOST_TOOLS if shutil.which(tool) is None]
        if missing:
            debian.ensure_packages(["cmake", "ninja-build"], f"{' and '.join(missing)} for emcc")
        return Toolchain(None)
    return Toolchain(ensure_root() / "root")


def ensure_root() -> Path:
    """Return the cache entry with a Debian system with Emscripten in its directory `root`."""
    inputs = {"suite": SUITE, "packages": PACKAGES}
    return entry("toolchain", inputs, "Debian root with Emscripten (about a minute)", _make_root)


def host_packages() -> list[str]:
    """Return the host packages that create and enter a Debian root."""
    return ["mmdebstrap"] if os.geteuid() == 0 else ["mmdebstrap", "uidmap"]


def _make_root(into: Path) -> None:
    debian.ensure_packages(host_packages(), "an emcc of version 3.1.60 or newer, or mmdebstrap")
    argv = [*_namespace(), "mmdebstrap", "--mode=root", "--variant=essential"]
    argv.append(f"--include={','.join(PACKAGES)}")
    argv += [f"--aptopt={option}" for option in debian.network_options()]
    run_logged([*argv, SUITE, into / "root", debian.archive()], "toolchain")
    # Some directories belong to apt's own user. Only root could remove its files later.
    run_logged([*_namespace(), "chown", "--recursive", "root:root", into], "toolchain-owner")


def _namespace() -> list[str]:
    """Return the command that runs the next one with its own mounts and root's rights over them."""
    if os.geteuid() == 0:
        return ["unshare", "--mount"]
    return ["unshare", "--mount", "--map-root-user", "--map-auto"]


if __name__ == "__main__":
    sys.exit(run_shown(ensure().wrap(sys.argv[1:], cwd=Path.cwd())))
