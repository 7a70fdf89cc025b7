"""The licenses of the works of others that tfpy's artifacts contain.

The text of a license comes from the sources if possible, otherwise from the SPDX list.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from email.parser import BytesHeaderParser
from pathlib import Path

from . import npm, xnnpack
from .project import DISTRIBUTION

NAME = "THIRD_PARTY_NOTICES.txt"
LINE = "=" * 79
OPEN = re.compile(r"<year> <[a-z ]+>|YEAR by AUTHOR EMAIL")
"""Placeholders in the licenses of the SPDX list."""


@dataclass(frozen=True)
class Part:
    """A work of others: its name and version, its license (SPDX) and the text of the license."""

    name: str
    license: str
    text: str


@dataclass(frozen=True)
class Linked:
    """A work that is compiled in and comes without the text of its license.

    Attributes:
        holders: Text for the placeholders of the license; "" if it has none.
        spdx: Name of the text in the SPDX list.
    """

    name: str
    license: str
    spdx: str
    holders: str = ""


IN_XNNPACK_MODULES = (
    Linked("RapidJSON", "MIT", "MIT", "2015 THL A29 Limited, a Tencent company, and Milo Yip"),
    Linked("Emscripten", "MIT OR NCSA", "MIT", "2010-2014 Emscripten authors"),
    Linked("musl, Emscripten's C library", "MIT", "MIT", "2005-2020 Rich Felker, et al."),
)
"""libc++ and compiler-rt are also in them, but need no notice in compiled code."""
IN_PYODIDE = (
    Linked("Pyodide", "MPL-2.0", "MPL-2.0"),
    Linked("CPython, the standard library among it", "Python-2.0.1", "Python-2.0.1"),
    Linked("libffi", "MIT", "MIT", "1996-2024 Anthony Green, Red Hat, Inc and others"),
    Linked("zlib", "Zlib", "Zlib", "1995-2024 Jean-loup Gailly and Mark Adler"),
    Linked("bzip2", "bzip2-1.0.6", "bzip2-1.0.6"),
    Linked("xz (liblzma)", "0BSD", "0BSD", "The authors of XZ Utils"),
    Linked("Zstandard", "BSD-3-Clause", "BSD-3-Clause", "Meta Platforms, Inc. and affiliates"),
    Linked("mpdecimal", "BSD-2-Clause", "BSD-2-Clause", "2008-2024 Stefan Krah"),
    Linked("HACL*", "MIT", "MIT", "2016-2022 INRIA, CMU and Microsoft Corporation"),
    Linked("SQLite", "blessing", "blessing"),
)
IN_PAGES = (
    Linked("TensorFlow.js", "Apache-2.0", "Apache-2.0"),
    Linked("Handwritten digits", "CC-BY-4.0", "CC-BY-4.0", "1998 E. Alpaydin and C. Kaynak"),
    Linked("MobileNetV2, part of nsfwjs's", "MIT", "MIT", "2019 Infinite Red, Inc."),
    Linked("MoveNet Lightning", "Apache-2.0", "Apache-2.0"),
    Linked("Handtrack.js's network", "MIT", "MIT", "2019 Victor Dibia"),
    Linked("MediaPipe's hand landmarks", "Apache-2.0", "Apache-2.0", "The MediaPipe Authors"),
    Linked("These three, as @vladmandic/human ships them", "MIT", "MIT", "Vladimir Mandic"),
    Linked("basic-pitch's network", "Apache-2.0", "Apache-2.0", "2022 Spotify AB"),
    Linked("SmolLM2-135M-Instruct", "Apache-2.0", "Apache-2.0", "2025 Hugging Face"),
    Linked("all-MiniLM-L6-v2", "Apache-2.0", "Apache-2.0", "2021 Sentence Transformers"),
)
LICENSES_OF_SOURCES = {
    "xnnpack": "BSD-3-Clause",
    "pthreadpool": "BSD-2-Clause",
    "fxdiv": "MIT",
    "fp16": "MIT",
}

LICENSES_OF_WHEELS = {
    "Jinja2": "BSD-3-Clause",
    "keras-hub": "Apache-2.0",
    "sentencepiece": "Apache-2.0 AND BSD-3-Clause AND MIT",
}
"""Licenses of packages that do not declare them as SPDX does."""


def of_wheel() -> str:
    """Return the notices of tfpy's wheel: the works in the XNNPACK modules."""
    return _told("tfpy's wheel", _of_modules())


def of_site(wheels: Iterable[Path]) -> str:
    """Return the notices of the site: Pyodide's core, the wheels, and the rest."""
    others = [part for wheel in sorted(wheels) for part in _of_wheel_file(wheel)]
    return _told("tfpy's site", [*_of_modules(), *map(_of, IN_PYODIDE), *others, *_of_pages()])


def _told(what: str, parts: Iterable[Part]) -> str:
    parts = list(parts)
    lines = [f"Works of others in {what}, with their licenses.", ""]
    lines += [f"- {part.name}: {part.license}" for part in parts]
    for part in parts:
        lines += ["", LINE, f"{part.name}: {part.license}", LINE, "", part.text.strip()]
    return "\n".join(lines) + "\n"


def _of_modules() -> list[Part]:
    top = xnnpack.ensure_sources()
    sources = [
        Part(f"{name} {version}", LICENSES_OF_SOURCES[name], _read(top / name / "LICENSE"))
        for name, (version, _) in xnnpack.SOURCES.items()
    ]
    return [*sources, *map(_of, IN_XNNPACK_MODULES)]


def _of_pages() -> list[Part]:
    uplot = Part("uPlot", "MIT", _read(npm.ensure() / "uplot" / "LICENSE"))
    return [uplot, *map(_of, IN_PAGES)]


def _of(linked: Linked) -> Part:
    found = npm.ensure() / "spdx-license-list" / "licenses" / f"{linked.spdx}.json"
    text, filled = OPEN.subn(linked.holders, json.loads(_read(found))["licenseText"])
    if linked.holders and not filled:
        text = f"Copyright (c) {linked.holders}\n\n{text}"
    return Part(linked.name, linked.license, text)


def _of_wheel_file(wheel: Path) -> list[Part]:
    """Return the notice of a wheel that others made, from its metadata."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (about,) = [name for name in names if name.endswith(".dist-info/METADATA")]
        head = BytesHeaderParser().parsebytes(archive.read(about))
        if head["Name"] == DISTRIBUTION:
            return []
        folder = about.removesuffix("METADATA") + "licenses/"
        texts = [
            f"--- {name.removeprefix(folder)}\n\n{archive.read(name).decode()}"
            for name in sorted(names)
            if name.startswith(folder) and not name.endswith("/")
        ]
    license = (
        head["License-Expression"]
        or LICENSES_OF_WHEELS.get(head["Name"])
        or head["License"].splitlines()[0]
    )
    name = f"{head['Name']} {head['Version']}"
    if not texts:
        return [_of(Linked(name, license, license))]
    return [Part(name, license, "\n".join(texts))]


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8")
