"""The documentation: docs/ and the reference, made of the docstrings, as pages in build/docs.

They stand in the folder docs/ of the site: their examples run by its loader.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from . import pyenv
from .cache import lock
from .console import run_logged, step
from .paths import BUILD, ROOT

PAGES = ROOT / "docs"
DOCS = BUILD / "docs"


def ensure() -> Path:
    """The folder of the pages, made anew of what changed; a warning is an error."""
    sources = BUILD / "docs-sources"
    python = pyenv.ensure("docs")
    with lock("docs"), step(f"documentation in {DOCS}"):
        shutil.rmtree(sources, ignore_errors=True)
        shutil.copytree(PAGES, sources, ignore=shutil.ignore_patterns("site"))
        shutil.copytree(PAGES / "site", sources, dirs_exist_ok=True)
        (sources / "api").mkdir()
        env = pyenv.importing("src", ".")
        run_logged([python, "-m", "buildsys.api_pages", sources / "api"], "docs-api", env=env)
        build = [python, "-m", "sphinx", "--builder", "html", "--fail-on-warning", "--keep-going"]
        run_logged([*build, "-d", BUILD / "docs-doctrees", sources, DOCS], "docs", env=env)
    return DOCS
