"""The site in build/site: the pages of web/site, and everything that they load, in one folder.

*.html, *.css, *.mjs, *.js web/site/; the pages contain hints for their modules (hints.py)
icon.svg, favicon.ico     the icon of the pages, and the icon that browsers request by default
sizes.json                bytes of the files that a start downloads, by name, for the progress bar
tfpy-runtime.mjs          the JavaScript runtime as a module, for pages that forbid run_js
run/                      the runner of exported programs for pages without Python
bench/, peers/            the works of the benchmark, and TensorFlow.js, for benchmark.html
benchmark.json            the recorded results that benchmark.html shows
pyodide/                  Pyodide's core, wheels (tfpy, NumPy, Keras, dm-tree, dependencies),
                          and a pyodide-lock.json that names the wheels; core-digests.json has the
                          SHA-256 of the core's files; late/ has files that are downloaded on first
                          import; distribution.json lists the packages that the site does not have
uplot/                    the plotting library
examples/                 examples/: its pages and notebooks
gallery/models/           the networks that the gallery's pages load
gallery/pictures/         docs/gallery/: images of the gallery's pages, for its index
data/digits.json          handwritten digits
LICENSE, NOTICE, THIRD_PARTY_NOTICES.txt
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from . import (
    assets,
    distribution,
    dm_tree_wheel,
    gallery_models,
    h5py_wheel,
    hints,
    hub_wheels,
    icon,
    late,
    ml_dtypes_wheel,
    notices,
    npm,
    numpy_wheel,
    package_wheels,
    peers,
    pyenv,
    speed,
    stdlib,
    wheel,
)
from .cache import entry, file_hash, lock
from .console import building, run_logged, step
from .paths import ASSETS, DATA, ROOT, SITE

PAGES = ROOT / "web" / "site"
EXAMPLES = ROOT / "examples"
PICTURES = ROOT / "docs" / "gallery"
PYODIDE_CORE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")
BENCH_NETWORKS = ("digits", "lstm", "mobilenet_v1", "mobilenet_v2", "transformer")
BENCH = (
    *("page/index.html", "page/bench.mjs", "page/onnx.mjs", "page/tfjs.mjs"),
    *("page/tfjs_works.mjs", "fits.py", "works.py", "networks/__init__.py"),
    *(f"networks/{name}.py" for name in BENCH_NETWORKS),
)
"""The files of the benchmark that the site's page uses."""
UPLOT = ("uPlot.esm.js", "uPlot.min.css")
DIGESTS = "pyodide/core-digests.json"
MADE_IN_PLACE = (
    *("sizes.json", "benchmark.json", "tfpy-runtime.mjs", "pyodide/pyodide-lock.json"),
    *(DIGESTS, distribution.NAME, notices.NAME),
)


def ensure() -> Path:
    """Return the folder of the site, brought up to date."""
    building("the site")
    return publish(demo_files() | other_files())


def demo_files() -> dict[str, Path]:
    """Return the files of the pages and of what the demo loads, by their names in the site."""
    core = npm.ensure() / "pyodide"
    uplot = npm.ensure() / "uplot" / "dist"
    tfpy = package_wheels.with_packed_engine(wheel.ensure())
    numpy = package_wheels.numpy(numpy_wheel.ensure())
    ml_dtypes = package_wheels.compiled(ml_dtypes_wheel.ensure())
    wanted = _with_late([tfpy, numpy, ml_dtypes, *package_wheels.keras(), dm_tree_wheel.ensure()])
    wanted[f"pyodide/{stdlib.late_name()}"] = stdlib.original()
    wanted |= {f"pyodide/{name}": core / name for name in PYODIDE_CORE}
    wanted |= _with_late([stdlib.ensure()])
    wanted |= icon.ensure()
    wanted |= {f"uplot/{name}": uplot / name for name in UPLOT}
    wanted["data/digits.json"] = _digits()
    wanted |= {name: ROOT / name for name in ("LICENSE", "NOTICE")}
    for pattern in ("tfpy-run.*", "xnnpack-*.wasm"):
        wanted |= {f"run/{file.name}": file for file in ASSETS.glob(pattern)}
    for file in PAGES.rglob("*"):
        if file.is_file() and not file.name.endswith((".d.ts", hints.INCLUDED)):
            wanted[file.relative_to(PAGES).as_posix()] = file
    wanted |= {f"gallery/pictures/{file.name}": file for file in PICTURES.glob("*.webp")}
    wanted |= peers.ensure() | _bench()
    wanted |= hints.ensure(wanted)
    shown = (*EXAMPLES.glob("*.html"), *EXAMPLES.glob("notebooks/*.*"))
    wanted |= {f"examples/{file.relative_to(EXAMPLES).as_posix()}": file for file in shown}
    wanted["examples/notebooks/fruit.csv"] = ROOT / "docs/figures/fruit.csv"
    return wanted


def _bench() -> dict[str, Path]:
    """Return the files of the benchmark by their names in the site."""
    return {f"bench/{name}": ROOT / "bench" / name for name in BENCH}


def other_files() -> dict[str, Path]:
    """Return the other files: h5py, which Keras imports late, KerasHub, the gallery's networks."""
    wheels = [package_wheels.compiled(h5py_wheel.ensure()), *hub_wheels.ensure()]
    return _with_late(wheels) | gallery_models.ensure()


def _with_late(wheels: Iterable[Path]) -> dict[str, Path]:
    """Return wheels and their late files, by their names in the site."""
    wanted = {f"pyodide/{file.name}": file for file in wheels}
    for file in (file for made in tuple(wanted.values()) for file in late.files(made)):
        wanted[f"pyodide/{late.FOLDER}/{file.name}"] = file
    return wanted


def publish(wanted: Mapping[str, Path]) -> Path:
    """Write these files, and the files made from them, to the folder of the site. Return it."""
    core = npm.ensure() / "pyodide"
    wheels = [file for file in wanted.values() if file.suffix == ".whl"]
    with lock("site"), step(f"site in {SITE}"):
        _mirror(wanted, SITE)
        assets.write_atomically(SITE / "tfpy-runtime.mjs", assets.bundle(assets.RUNTIME, "esm"))
        assets.write_atomically(SITE / notices.NAME, notices.of_site(wheels).encode())
        assets.write_atomically(SITE / "sizes.json", _sizes().encode())
        assets.write_atomically(SITE / "benchmark.json", speed.listed().encode())
        assets.write_atomically(SITE / DIGESTS, _core_digests().encode())
        assets.write_atomically(SITE / distribution.NAME, distribution.listed().encode())
        make_lock = [pyenv.ensure("build"), DATA / "make_lock.py"]
        run_logged([*make_lock, core, SITE / "pyodide"], "pyodide-lock")
    return SITE


def _mirror(wanted: Mapping[str, Path], top: Path) -> None:
    """Make `top` contain the wanted files only. Do not touch files that are current."""
    for path in top.rglob("*"):
        if path.is_file() and path.relative_to(top).as_posix() not in {*wanted, *MADE_IN_PLACE}:
            path.unlink()
    for name, source in wanted.items():
        target = top / name
        if not target.is_file() or file_hash(target) != file_hash(source):
            target.parent.mkdir(parents=True, exist_ok=True)
            temporary = target.with_name(f"{target.name}.{os.getpid()}.tmp")
            shutil.copy(source, temporary)
            temporary.replace(target)


def _sizes() -> str:
    files = sorted((SITE / "pyodide").glob("*.[wz]*"))  # modules, wheels and the library
    return json.dumps({f"pyodide/{file.name}": file.stat().st_size for file in files})


def _core_digests() -> str:
    """Return the digests of the core's files, so pages can detect wrong files."""
    names = (*PYODIDE_CORE, stdlib.NAME)
    return json.dumps({name: file_hash(SITE / "pyodide" / name) for name in names})


def _digits() -> Path:
    script = DATA / "export_digits.py"
    python = pyenv.ensure("build")
    inputs = {"script": file_hash(script), "environment": python.parent.parent.name}

    def make(into: Path) -> None:
        run_logged([python, script, into / "digits.json"], "digits")

    return entry("digits", inputs, "handwritten digits", make) / "digits.json"
