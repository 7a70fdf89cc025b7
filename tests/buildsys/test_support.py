"""docs/support.md names the versions that are pinned and tested."""

from __future__ import annotations

import json
import re
import tomllib

from buildsys import side_modules
from buildsys.paths import ROOT
from tfpy._src.base.version import VERSION_OF_TENSORFLOW

TABLE = re.findall(
    r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$",
    (ROOT / "docs" / "support.md").read_text(encoding="utf-8"),
    re.M,
)
SUPPORTED = {name.partition(",")[0]: supported for name, supported, _ in TABLE}
TESTED = {name.partition(",")[0]: tested for name, _, tested in TABLE}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def locked(name: str) -> str:
    """Return the version of a package in the environment of the tests."""
    text = (ROOT / "requirements" / "test.txt").read_text(encoding="utf-8")
    (found,) = re.findall(rf"^{name}==(\S+)", text, re.M)
    return str(found)


def test_python() -> None:
    assert PROJECT["requires-python"] == f">={SUPPORTED['Python on your machine'].split()[0]}"
    ci = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    versions = re.findall(r'python: "(.*)"', ci)
    assert re.findall(r"\d+\.\d+", TESTED["Python on your machine"]) == versions
    assert SUPPORTED["Python in pages"] == side_modules.PYTHON


def test_pyodide() -> None:
    package = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))
    found = package["dependencies"]["pyodide"], package["devDependencies"]["pyodide-314.0.0"]
    assert tuple(re.findall(r"\d+\.\d+\.\d+", TESTED["Pyodide"])) == (
        found[0],
        found[1].removeprefix("npm:pyodide@"),
    )
    assert all(version.startswith(f"{SUPPORTED['Pyodide']}.") for version in (found[0],))


def test_packages() -> None:
    extras = PROJECT["optional-dependencies"]
    assert f"keras=={SUPPORTED['Keras']}.*" in extras["keras"]
    first, last = SUPPORTED["JAX"].split(" to ")
    assert extras["jax"] == [f"jax>={first},<0.{int(last.split('.')[1]) + 1}"]
    for name, package in (("NumPy", "numpy"), ("Keras", "keras"), ("JAX", "jax")):
        assert TESTED[name].partition(";")[0] == locked(package)
    assert TESTED["TensorFlow"].partition(";")[0] == VERSION_OF_TENSORFLOW
    assert locked("tensorflow-cpu") == VERSION_OF_TENSORFLOW
