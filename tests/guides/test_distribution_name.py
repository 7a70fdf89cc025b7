"""Files install tfpy as `tfpy-web`. The package `tfpy` on PyPI belongs to another project."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from guides.documents import ROOT

from buildsys.project import DISTRIBUTION

FOLDERS = (".github", "bench", "buildsys", "docs", "e2e", "examples", "src", "tests", "web")
SUFFIXES = {
    *(".html", ".ipynb", ".js", ".json", ".md", ".mjs", ".mts", ".py", ".toml", ".ts", ".yml"),
}
FILES = [
    *ROOT.glob("*.md"),
    *ROOT.glob("*.toml"),
    *(file for name in FOLDERS for file in (ROOT / name).rglob("*") if file.suffix in SUFFIXES),
]
OTHER_PROJECT = re.compile(
    r"""
    \b(?:pip3?|piplite|micropip|uv|npm|pnpm|yarn|bun)[ .](?:install|add)\b[ (]*
        (?:-[\w-]+[ ])*  # options
        ["'`]?tfpy(?![-_]web)\b
    | \bnpx[ ](?:-[\w-]+[ ])*tfpy(?!-web)\b
    | \b(?:from|import)[ (]*["']tfpy(?!-web)(?:/\w+)?["']
    | \bloadPackage\(\[?["']tfpy(?!-web)["']
    | \bmetadata\.version\(["']tfpy["']
    """,
    re.VERBOSE,
)
"""Instructions that install the other project, and imports of npm's package under its name."""


@pytest.mark.parametrize(
    "text",
    [
        *("pip install NAME", '%pip install "NAME[keras]"', "python -m pip install --upgrade NAME"),
        *("npm install NAME", "uv add NAME", "npx NAME public/tfpy", 'micropip.install("NAME")'),
        *('import { loadTfpy } from "NAME";', "import tfpy from 'NAME/vite'", 'import("NAME/run")'),
        *('pyodide.loadPackage("NAME")', 'importlib.metadata.version("NAME")'),
    ],
)
def test_the_pattern(text: str) -> None:
    assert OTHER_PROJECT.search(text.replace("NAME", "tfpy"))
    assert not OTHER_PROJECT.search(text.replace("NAME", DISTRIBUTION))


def test_no_file_installs_the_other_project() -> None:
    assert len(FILES) > 1000
    found = [
        f"{file.relative_to(ROOT)}: {match[0]}"
        for file in FILES
        if file != Path(__file__)
        for match in OTHER_PROJECT.finditer(file.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_the_loader_loads_the_distribution() -> None:
    loader = (ROOT / "web" / "site" / "tfpy.mjs").read_text(encoding="utf-8")
    assert f'wheel ?? "{DISTRIBUTION}"' in loader
