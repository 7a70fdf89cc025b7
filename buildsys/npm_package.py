"""The npm package tfpy-web: the site without its pages, types, Vite's plugin, a command.

package.json, README.md, LICENSE, NOTICE, THIRD_PARTY_NOTICES.txt
vite.mjs, cli.mjs      web/npm/
site/                  build/site, with a .d.mts next to the modules that projects import
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from . import notices, npm, site, wheel
from .console import run_logged
from .paths import BUILD, ROOT, SITE
from .project import DISTRIBUTION, PROJECT

PARTS = ROOT / "web" / "npm"
OWN_PAGES = (
    *("data", "demo", "examples", "gallery", "index.html", "style.css", "front.css", "favicon.ico"),
    *("backends.mjs", "plots.mjs", "uplot", "opened_as_file.js"),
    *("bench", "peers", "benchmark.html", "benchmark.mjs", "benchmark.css", "benchmark.json"),
)
TYPED = (
    *("tfpy.mjs", "functions.mjs", "downloads.mjs"),
    *("worker.mjs", "worker_host.mjs", "script_engine.mjs"),
)
"""Modules with types that projects can see."""
PYODIDE = ("pyodide.d.ts", "ffi.d.ts")
EXPORTS = {
    ".": {"types": "./site/tfpy.d.mts", "default": "./site/tfpy.mjs"},
    "./worker": {"types": "./site/worker.d.mts", "default": "./site/worker.mjs"},
    "./run": {"types": "./site/run/tfpy-run.d.mts", "default": "./site/run/tfpy-run.mjs"},
    "./vite": {"types": "./vite.d.mts", "default": "./vite.mjs"},
    "./site/*": "./site/*",
    "./package.json": "./package.json",
}


def ensure(into: Path) -> Path:
    """Return the archive of the package in the folder `into`, made from the built site."""
    folder = BUILD / "npm-package"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(PARTS, folder)
    shutil.copytree(SITE, folder / "site", ignore=_own_pages)
    for name in ("LICENSE", "NOTICE", notices.NAME):
        (folder / "site" / name).rename(folder / name)
    _add_types(folder / "site")
    text = json.dumps(_description(), indent=2) + "\n"
    (folder / "package.json").write_text(text, encoding="utf-8")
    run_logged(["npm", "pack", "--pack-destination", into, folder], "npm-pack")
    return into / f"{DISTRIBUTION}-{wheel.version()}.tgz"


def _own_pages(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name in OWN_PAGES] if Path(folder) == SITE else []


def _add_types(folder: Path) -> None:
    """Add declarations: from the JSDoc of the modules by tsc, from Pyodide and the runner."""
    made = BUILD / "npm-types"
    shutil.rmtree(made, ignore_errors=True)
    options = ["--allowJs", "--declaration", "--emitDeclarationOnly", "--skipLibCheck"]
    target = ["--target", "ES2024", "--module", "ESNext", "--moduleResolution", "Bundler"]
    sources = [site.PAGES / name for name in TYPED]
    run_logged(
        [npm.tool("tsc"), "--ignoreConfig", *options, *target, "--outDir", made, *sources],
        "npm-types",
    )
    for name in TYPED:
        file = made / name.replace(".mjs", ".d.mts")
        text = file.read_text(encoding="utf-8")
        text = text.replace('import("pyodide")', 'import("./pyodide/pyodide.js")')
        (folder / file.name).write_text(text, encoding="utf-8")
    for name in PYODIDE:
        shutil.copy(npm.ensure() / "pyodide" / name, folder / "pyodide")
    runner = folder / "run" / "tfpy-run.d.ts"
    runner.rename(runner.with_suffix("").with_suffix(".d.mts"))


def _description() -> dict[str, Any]:
    """Return package.json, made from pyproject.toml."""
    return {
        "name": DISTRIBUTION,
        "version": wheel.version(),
        "description": PROJECT["description"],
        "license": PROJECT["license"],
        "homepage": PROJECT["urls"]["Homepage"],
        "bugs": PROJECT["urls"]["Issues"],
        "repository": {"type": "git", "url": f"git+{PROJECT['urls']['Homepage']}.git"},
        "keywords": ["machine learning", "tensorflow", "keras", "python", "pyodide", "webgpu"],
        "type": "module",
        "exports": EXPORTS,
        "bin": {DISTRIBUTION: "./cli.mjs"},
        "sideEffects": ["./site/tfpy.mjs"],
    }
