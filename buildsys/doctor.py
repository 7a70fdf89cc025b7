"""`build.py doctor`: the report of what is installed, what is missing, and how to install it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from . import debian, toolchain
from .checks import BROWSER_PACKAGES
from .paths import CACHE, ROOT
from .pyenv import MINIMUM

NODE_MINIMUM = 20


@dataclass(frozen=True)
class Finding:
    """A line of the report. `fix` is the command that helps; it is empty if nothing is missing."""

    name: str
    state: str
    fix: str = ""


def report() -> int:
    """Print the findings. Return 1 if the build cannot install what is missing, else 0."""
    findings = list(_findings())
    width = max(len(finding.name) for finding in findings)
    for finding in findings:
        mark = "missing" if finding.fix else "ok"
        print(f"{mark:8} {finding.name:{width}}  {finding.state}")
        if finding.fix:
            print(f"{'':8} {'':{width}}  -> {finding.fix}")
    _print_cache()
    installs_itself = debian.is_debian() and os.geteuid() == 0
    missing = any(finding.fix for finding in findings)
    if missing and installs_itself:
        print("build.py will install the missing packages when it needs them.")
    return int(missing and not installs_itself)


def _findings() -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    new_enough = sys.version_info >= MINIMUM
    yield Finding("Python", version, "" if new_enough else "install Python 3.11 or newer")
    yield _node()
    yield _emscripten()
    for package in BROWSER_PACKAGES:
        yield _debian_package(package)


def _node() -> Finding:
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return Finding("Node.js", "not found", debian.install_command(["nodejs", "npm"]))
    version = subprocess.run([node, "--version"], capture_output=True, text=True).stdout.strip()
    old = int(version.lstrip("v").split(".")[0]) < NODE_MINIMUM
    return Finding("Node.js", version, f"install Node.js {NODE_MINIMUM} or newer" if old else "")


def _emscripten() -> Finding:
    host = toolchain.host_emcc()
    if toolchain.usable(host):
        return Finding("Emscripten", f"{host} on PATH")
    if any(CACHE.glob("toolchain-*/root")):
        return Finding("Emscripten", "in the Debian root of the cache")
    absent = debian.missing(toolchain.host_packages()) if debian.is_debian() else []
    if debian.is_debian() and not absent:
        return Finding("Emscripten", "will be installed with mmdebstrap")
    wanted = ".".join(map(str, toolchain.MINIMUM))
    if debian.is_debian():
        state = f"{' '.join(absent)} not installed"
        return Finding("Emscripten", state, debian.install_command(absent))
    return Finding("Emscripten", f"{host or 'not found'}", f"put emcc {wanted} or newer on PATH")


def _debian_package(package: str) -> Finding:
    if not debian.is_debian():
        found = shutil.which(package) is not None
        return Finding(package, "found" if found else "not found", "" if found else "install it")
    absent = debian.missing([package])
    state = "not installed" if absent else "installed"
    return Finding(package, state, debian.install_command(absent) if absent else "")


def _print_cache() -> None:
    print(f"\ncache {CACHE}")
    for path in sorted(CACHE.glob("*-*")):
        size = subprocess.run(["du", "-sm", path], capture_output=True, text=True).stdout.split()
        print(f"  {size[0] if size else '?':>6} MB  {path.name}")
    print(f"clone {ROOT}")
