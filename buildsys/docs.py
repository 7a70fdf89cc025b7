"""The documentation: docs/ and the reference, which is generated from the docstrings, as pages.

The pages are in the folder docs/ of the site, so its loader can run their examples.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from . import api_pages, plots, pyenv
from .cache import entry, file_hash, tree_hash
from .console import run_logged
from .paths import PACKAGE, ROOT

PAGES = ROOT / "docs"
NPM = ROOT / "web" / "npm" / "README.md"
"""A page outside of docs/ that is part of the documentation."""


def ensure() -> Path:
    """Return the folder of the pages, built if it is missing. A warning is an error."""
    inputs = {
        "pages": tree_hash(PAGES, NPM),
        "package": tree_hash(PACKAGE, api_pages.TABLE),
        "figures": tree_hash(plots.RESULTS),
        "recipe": [
            file_hash(Path(module)) for module in (__file__, api_pages.__file__, plots.__file__)
        ],
        "lock": file_hash(ROOT / pyenv.LOCKS["docs"]),
    }
    return entry("docs", inputs, "documentation", _make) / "html"


def _make(into: Path) -> None:
    python = pyenv.ensure("docs")
    sources = into / "sources"
    shutil.copytree(PAGES, sources, ignore=shutil.ignore_patterns("site"))
    shutil.copytree(PAGES / "site", sources, dirs_exist_ok=True)
    shutil.copy(NPM, sources / "npm.md")
    benchmarks = sources / "benchmarks.md"
    benchmarks.write_text(plots.with_plots(benchmarks.read_text()))
    (sources / "api").mkdir()
    env = pyenv.importing("src", ".")
    run_logged([python, "-m", "buildsys.api_pages", sources / "api"], "docs-api", env=env)
    build = [python, "-m", "sphinx", "--builder", "html", "--fail-on-warning", "--keep-going"]
    run_logged([*build, "-d", into / "doctrees", sources, into / "html"], "docs", env=env)
    shutil.rmtree(sources)
    shutil.rmtree(into / "doctrees")
