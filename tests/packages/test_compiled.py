"""h5py and ml_dtypes of the site in Pyodide under node, compared with CPython, and tfpy there."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from guides.documents import block

from packages import hdf5_files, small_floats

HERE = Path(__file__).parent
SITE = HERE.parents[1] / "build" / "site"
CORE = SITE / "pyodide"


@pytest.fixture(autouse=True)
def _needs_site() -> None:
    if shutil.which("node") is None:
        pytest.skip("needs node")
    if not (CORE / "pyodide.mjs").is_file():
        pytest.skip("needs the site: python build.py demo")


def run(packages: str, code: str, shared: Path, host: Sequence[str] = ("node",)) -> None:
    # tfpy installs an importer of the packages that the site has packed.
    words = [f"tfpy-web,{packages}", f"import tfpy\n{code}"]
    command = [*host, HERE / "pyodide.mjs", CORE, HERE, shared, *words]
    env = {**os.environ, "TFPY_FLAGS": "WEBGPU_SOFTWARE_ENABLED:true"}
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stdout + done.stderr


def test_files_cross_both_ways(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for folder in (ours, theirs):
        folder.mkdir()
    hdf5_files.write_files(theirs)
    code = """
from pathlib import Path
import hdf5_files
hdf5_files.check_files(Path("/shared/theirs"))
hdf5_files.write_files(Path("/shared/ours"))
hdf5_files.check_files(Path("/shared/ours"))
hdf5_files.check_broken_files(Path("/shared/theirs"))
"""
    run("h5py", code, tmp_path)
    hdf5_files.check_files(ours)


@pytest.mark.filterwarnings("ignore:.*encountered in")
def test_small_floats(tmp_path: Path) -> None:
    code = """
from pathlib import Path
import small_floats
small_floats.write(Path("/shared/ours"))
"""
    run("ml-dtypes", code, tmp_path)
    small_floats.write(tmp_path / "theirs")
    ours, theirs = (
        (tmp_path / name).read_text(encoding="utf-8").splitlines() for name in ("ours", "theirs")
    )
    assert ours == theirs


@pytest.mark.parametrize("host", [["node"], ["bun"], ["deno", "run", "-A"]], ids=lambda h: h[0])
def test_tfpy_without_a_page(tmp_path: Path, host: list[str]) -> None:
    if shutil.which(host[0]) is None:
        pytest.skip(f"needs {host[0]}")
    run("numpy", "import in_node\nawait in_node.check({'wasm', 'cpu'})", tmp_path, host)


def test_the_recipe(tmp_path: Path) -> None:
    """Run the code of docs/install.md in the folder of the site."""
    recipe = block("docs/install.md", "js", "run.mjs")
    assert "./tfpy.mjs" in recipe
    script = tmp_path / "run.mjs"
    script.write_text(recipe.replace("./tfpy.mjs", f"{SITE.as_uri()}/tfpy.mjs"))
    done = subprocess.run(["node", script], capture_output=True, text=True)
    assert "[0.09003057 0.24472848 0.66524094]" in done.stdout, done.stdout + done.stderr
    assert done.stdout.endswith(" wasm\n")


def test_keras_by_the_pyodide_of_the_site(tmp_path: Path) -> None:
    program = block("docs/install.md", "js", "loadPyodide")
    script = tmp_path / "keras.mjs"
    script.write_text(
        program.replace("/tfpy-site-0.1.0", SITE.as_uri())
        + 'console.log(pyodide.runPython("import tfpy; tfpy.keras.layers.Dense(1).name"));'
    )
    done = subprocess.run(["node", script], capture_output=True, text=True)
    assert done.stdout.endswith("dense\n"), done.stdout + done.stderr
