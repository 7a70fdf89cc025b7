"""Debian packages: installed on the host as root, or downloaded for the build by a private apt.

The address of the archive and apt's network settings are the host's. No address is written here.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .cache import file_hash
from .console import BuildError, building, run_logged

SOURCES = Path("/etc/apt")
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")


def is_debian() -> bool:
    """Return True if the host has apt and dpkg."""
    return shutil.which("apt-get") is not None and shutil.which("dpkg") is not None


def install_command(packages: Sequence[str]) -> str:
    """Return the command line that installs these packages."""
    return "apt-get update && apt-get install --no-install-recommends " + " ".join(packages)


def missing(packages: Sequence[str]) -> list[str]:
    """Return the packages that are not installed according to dpkg."""
    query = ["dpkg-query", "--show", "--showformat=${Package} ${db:Status-Abbrev}\n", *packages]
    shown = subprocess.run(query, capture_output=True, text=True).stdout
    installed = {line.split()[0] for line in shown.splitlines() if line.split()[1:] == ["ii"]}
    return [package for package in packages if package not in installed]


def ensure_packages(packages: Sequence[str], purpose: str) -> None:
    """Install missing packages as root. For other users, raise an error with the command."""
    absent = missing(packages) if is_debian() else list(packages)
    if not absent:
        return
    building(purpose)
    if not is_debian():
        raise BuildError(f"{purpose}: install by your system's means: {' '.join(packages)}")
    if os.geteuid() != 0:
        raise BuildError(f"{purpose}: run as root: {install_command(absent)}")
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    run_logged(["apt-get", "update"], "apt-update", env=env)
    run_logged(
        ["apt-get", "install", "--yes", "--no-install-recommends", *absent],
        "apt-install",
        env=env,
    )


def archive() -> str:
    """Return the address of the Debian archive in the host's own sources.

    Raises:
        BuildError: If the host has no Debian source.
    """
    for file in sorted(SOURCES.glob("sources.list.d/*.sources")):
        for stanza in re.split(r"\n\s*\n", file.read_text(encoding="utf-8")):
            uri = re.search(r"^URIs:\s*(\S+)", stanza, re.MULTILINE)
            if uri and _is_main_archive(uri[1]):
                return uri[1].rstrip("/")
    lists = [SOURCES / "sources.list", *sorted(SOURCES.glob("sources.list.d/*.list"))]
    for file in lists:
        if file.is_file():
            for line in file.read_text(encoding="utf-8").splitlines():
                uri = re.match(r"deb\s+(?:\[[^]]*\]\s+)?(\S+)", line)
                if uri and _is_main_archive(uri[1]):
                    return uri[1].rstrip("/")
    raise BuildError(
        "this host's apt sources name no Debian archive; put an emcc of version 3.1.60 or newer,"
        " cmake and ninja on PATH instead"
    )


def _is_main_archive(uri: str) -> bool:
    return uri.rstrip("/").endswith("/debian")


def network_options() -> list[str]:
    """Return the host's apt settings for downloads (proxies, time checks), as 'Name "value"'."""
    dump = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, check=True)
    wanted = re.compile(r'^Acquire::(https?::|Check-|Retries)\S* ".+";$', re.MULTILINE)
    return [match[0].rstrip(";") for match in wanted.finditer(dump.stdout)]


@dataclass(frozen=True)
class PrivateApt:
    """An apt with its own state that reads one suite of the Debian archive."""

    state: Path

    def fetch(self, words: Sequence[str], into: Path, log_name: str) -> None:
        """Run apt-get in a directory. apt checks every file with the signed index."""
        env = {**os.environ, "APT_CONFIG": str(self.state / "apt.conf")}
        run_logged(["apt-get", *words], log_name, cwd=into, env=env)

    def fetch_sources(
        self, sources: Mapping[str, tuple[str, str]], into: Path, log_name: str
    ) -> None:
        """Unpack source packages, name -> (version, SHA-256 of the archive), to into/<name>."""
        self.fetch(["source", "--tar-only", *sources], into, log_name)
        for name, (version, sha256) in sources.items():
            archives = list(into.glob(f"{name}_{version}.orig.tar.*"))
            tar = archives[0] if archives else into / f"{name}_{version}.orig.tar"
            unpacked = into / name
            unpacked.mkdir()
            words = ["tar", "--extract", "--file", checked(tar, sha256), "--directory", unpacked]
            run_logged(words, f"{log_name}-unpack")
            tops = list(unpacked.iterdir())
            if len(tops) == 1:  # only some of the archives have a top directory
                tops[0].rename(into / "top")
                unpacked.rmdir()
                (into / "top").rename(unpacked)
            tar.unlink()


def checked(file: Path, sha256: str) -> Path:
    """Return a downloaded file.

    Raises:
        BuildError: If it is missing, or is not the file for which the build was written.
    """
    if not file.is_file():
        raise BuildError(f"the archive has no {file.name} any more")
    if file_hash(file) != sha256:
        raise BuildError(f"{file.name} is not the file that this build was written for")
    return file


def private_apt(suite: str, state: Path) -> PrivateApt:
    """Return an apt for one suite below the directory `state`, with its index downloaded."""
    for folder in ("lists/partial", "archives/partial", "sources.list.d", "conf.d"):
        (state / folder).mkdir(parents=True, exist_ok=True)
    source = f"[signed-by={KEYRING}] {archive()} {suite} main"
    (state / "sources.list").write_text(f"deb {source}\ndeb-src {source}\n", encoding="utf-8")
    (state / "status").touch()
    options = [
        f'Dir::State "{state}"',
        f'Dir::State::Lists "{state}/lists"',
        f'Dir::State::Status "{state}/status"',
        f'Dir::Cache "{state}"',
        f'Dir::Etc::SourceList "{state}/sources.list"',
        f'Dir::Etc::SourceParts "{state}/sources.list.d"',
        f'Dir::Etc::Parts "{state}/conf.d"',
        f'Dir::Etc::Preferences "{state}/preferences"',
        f'Dir::Etc::PreferencesParts "{state}/preferences.d"',
        'APT::Sandbox::User "root"',
        'Acquire::Languages "none"',
        *network_options(),
    ]
    (state / "apt.conf").write_text("".join(f"{o};\n" for o in options), encoding="utf-8")
    apt = PrivateApt(state)
    apt.fetch(["update"], state, f"apt-{suite}")
    return apt
