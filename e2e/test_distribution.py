"""Packages of Pyodide's distribution, and the messages about packages and names that are missing.

A distribution for these tests consists of small wheels, and the site's list names only them.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from guides.documents import block

from buildsys.cache import file_hash
from buildsys.paths import SITE
from buildsys.side_modules import wheel_text, write_wheel
from tfpy.testing.environments import ENVIRONMENTS
from tfpy.testing.server import SiteServer
from tfpy.testing.sessions import MOUNT, PAGE, OpenPage, Sessions

LOAD_SECONDS = 120.0
VERSION = "314.0.7"
TAG = "py3-none-any"
CDN = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full/"
CONTENTS = {
    "running-sums": "import halved\nimport numpy as np\n\n"
    "def last(x):\n    return float(np.cumsum(halved.half(x))[-1])\n",
    "halved": "def half(x):\n    return [value / 2 for value in x]\n",
    "changed": "",
    "absent": "",
}
DEPENDS = {"running-sums": ["halved", "numpy"]}
FURTHER = {"halved": ["of_two"]}
"""Further modules that the list names."""


def write_distribution(folder: Path) -> str:
    """Write wheels into a folder, and return the list that describes them.

    The wheel `changed` has another digest than in the list, and the wheel `absent` is missing.
    """
    packages = {}
    for name, source in CONTENTS.items():
        module = name.replace("-", "_")
        wheel = folder / f"{module}-1.0-{TAG}.whl"
        metadata = f"Metadata-Version: 2.4\nName: {name}\nVersion: 1.0\n"
        files = {
            f"{module}.py": source.encode(),
            f"{module}-1.0.dist-info/METADATA": metadata.encode(),
            f"{module}-1.0.dist-info/WHEEL": wheel_text(TAG),
        }
        write_wheel(wheel, files)
        packages[name] = {
            "name": name,
            "version": "1.0",
            "file_name": wheel.name,
            "sha256": "0" * 64 if name == "changed" else file_hash(wheel),
            "depends": DEPENDS.get(name, []),
            "imports": [module, *FURTHER.get(name, [])],
            "install_dir": "site",
            "package_type": "package",
        }
    (folder / f"absent-1.0-{TAG}.whl").unlink()
    return json.dumps({"version": VERSION, "packages": packages})


def test_the_packages_of_the_guide_are_listed() -> None:
    """Check the names in a program that needs packages from Pyodide's CDN."""
    text = block("docs/pages.md", "html", "pandas")
    found = re.search(r'packages="(.*)">\n(.*)</script>', text, re.DOTALL)
    assert found is not None
    listed = json.loads((SITE / "pyodide" / "distribution.json").read_text())["packages"]
    packages = [listed[name] for name in found[1].split(", ")]
    modules = {module for package in packages for module in package["imports"]} | {"tfpy"}
    assert set(re.findall(r"^(?:import|from) (\w+)", found[2], re.MULTILINE)) <= modules
    compile(found[2], "guide", "exec")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the site with the list of the test's distribution, which is in the folder wheels."""
    folder = tmp_path_factory.mktemp("wheels")
    listed = write_distribution(folder)
    mounts = {"wheels": folder, MOUNT: PAGE}
    made = {"/pyodide/distribution.json": listed.encode}
    with SiteServer(SITE, mounts=mounts, made=made) as server:
        yield server.url


@pytest.fixture
def blank(address: str, tfpy_sessions: Sessions) -> Iterator[OpenPage]:
    url = f"{address}{MOUNT}/blank.html"
    page = tfpy_sessions.browsers.open("chromium", ENVIRONMENTS["default"], url)
    yield page
    page.close()


LOAD = """async () => {
  const { loadTfpy } = await import("/tfpy.mjs");
  const { startWorker } = await import("/worker.mjs");
  const printed = [];
  const said = (loading) => loading.then(() => "loaded", (error) => error.message);
  const from = (name, distribution = "/wheels") =>
    said(loadTfpy({ packages: [name], distribution, stdout: (line) => printed.push(line) }));
  const found = {
    changed: await from("changed"),
    absent: await from("Absent"),
    unknown: await from("Runing_Sums"),
    version: await from("halved>=2"),
    part: await from("<3"),
    module: await from("of_two"),
    offline: await from("Halved", "http://127.0.0.1:1/full"),
    option: await said(loadTfpy({ backand: "cpu" })),
    ofWorker: await said(startWorker({ stdOut: console.log })),
    text: await said(loadTfpy({ packages: "keras" })),
  };
  const own = fetch, asked = [];
  globalThis.fetch = async (url, options) => {
    if (!String(url).startsWith("https:")) return own(url, options);
    asked.push(String(url));
    throw new TypeError("offline");
  };
  found.printed = printed;
  found.cdn = await said(loadTfpy({ packages: ["halved"] }));
  found.asked = [...new Set(asked)];
  globalThis.fetch = own;

  document.head.append(Object.assign(document.createElement("base"), { href: "/wheels/" }));
  const tfpy = await loadTfpy({ packages: ["Running_Sums"], distribution: ".", backend: "cpu" });
  found.last = await tfpy.run("import running_sums; running_sums.last([2, 4])");
  found.loaded = Object.keys(tfpy.pyodide.loadedPackages).sort();
  for (const name of ["changed", "keras", "tensorflow", "mine", "tfpy.mine", "xml.mine"]) {
    found[`import ${name}`] = await said(tfpy.run(`import ${name}`));
  }
  found.caught = await tfpy.run("try: import mine\\nexcept ImportError as e: text = str(e)\\ntext");
  found.attribute = await said(tfpy.run("import tfpy as tf; tf.data.Dataset.mapp"));
  return found;
}"""


def test_packages_of_the_distribution(blank: OpenPage) -> None:
    """Load packages with their dependencies. Each failure must name its reason and a solution."""
    found: dict[str, Any] = blank.evaluate(f"({LOAD})()", LOAD_SECONDS)
    assert found["last"] == 3.0
    assert found["loaded"] == ["halved", "numpy", "running-sums", "tfpy-web"]
    copy = f"put the files of Pyodide {VERSION} into a folder there (halved-1.0-{TAG}.whl)"
    for name, texts in {
        "changed": ["changed cannot be loaded", "it is a different file", "0" * 64],
        "absent": ["Absent cannot be loaded", f"/wheels/absent-1.0-{TAG}.whl: 404"],
        "unknown": [
            'there is no package "Runing_Sums"',
            "/pyodide/pyodide-lock.json",
            'Did you mean "running-sums"?',
            'await micropip.install("Runing_Sums")',
        ],
        "version": [
            '"halved>=2" is not the name of a package. Write only a name, such as "halved".'
        ],
        "part": ['"<3" is not the name of a package. Write only a name, such as "pandas".'],
        "module": ['Did you mean "halved", which contains the module of_two?'],
        "offline": [
            "http://127.0.0.1:1/full/halved-1.0",
            "no response",
            "The site does not contain Halved.",
            copy,
            'distribution="folder/"',
        ],
        "cdn": [f"{CDN}halved-1.0-{TAG}.whl: no response", copy, "releases"],
        "option": ['loadTfpy has no option "backand". Did you mean "backend"?'],
        "ofWorker": ['startWorker has no option "stdOut". Did you mean "stdout"?'],
        "text": ['must be an array of names, such as ["keras"], not "keras"'],
        "import changed": ['loadTfpy({ packages: ["changed"] })'],
        "import keras": ['loadTfpy({ packages: ["keras"] })'],
        "import tensorflow": ["loadTfpy({ asTensorflow: true })"],
        "import mine": ['await micropip.install("mine")'],
        "import tfpy.mine": ["No module named 'tfpy.mine'"],
        "attribute": ["Did you mean: 'map'?"],
    }.items():
        for text in texts:
            assert text in found[name], (name, found[name])
    assert found["printed"] == [], "each failure is reported once, in the error"
    assert found["offline"].count("Failed to fetch") == 1
    assert found["asked"] == [f"{CDN}halved-1.0-{TAG}.whl"]
    assert "Pyodide" not in found["import keras"].splitlines()[-1]
    assert "micropip" not in found["import tfpy.mine"]
    assert found["caught"] == "No module named 'mine'"


RUN_SCRIPTS = """async (scripts) => {
  const ended = [];
  for (const [attributes, text] of scripts) {
    const script = document.createElement("script");
    script.type = "text/tfpy";
    script.textContent = text;
    for (const [name, value] of Object.entries(attributes)) script.setAttribute(name, value);
    document.body.append(script);
    const end = new Promise((resolve) => {
      script.addEventListener("tfpy-result", ({ detail }) => resolve(detail.result));
      script.addEventListener("tfpy-error", ({ detail }) => resolve(detail.error.message));
    });
    ended.push(end);
  }
  await import("/tfpy.mjs");
  return Promise.all(ended);
}"""


def run_scripts(page: OpenPage, *scripts: tuple[dict[str, str], str]) -> list[Any]:
    """Return the results or errors of scripts with these attributes."""
    found: list[Any] = page.evaluate(f"({RUN_SCRIPTS})({json.dumps(scripts)})", LOAD_SECONDS)
    return found


def test_scripts(blank: OpenPage) -> None:
    """Load packages in a script of the page and in a worker; errors name the attribute to add."""
    asked = {"packages": "running-sums, numpy", "distribution": "../wheels", "backend": "cpu"}
    here, there = run_scripts(
        blank,
        (asked, "import running_sums\nrunning_sums.last([2, 4])"),
        ({**asked, "worker": ""}, "import running_sums, changed"),
    )
    assert here == 3.0
    assert 'Add packages="changed" to the <script type="text/tfpy"> of the page' in there


def test_misspelled_attributes(address: str, tfpy_sessions: Sessions) -> None:
    url = f"{address}{MOUNT}/blank.html"
    for attribute, right in {"package": "packages", "as_tensorflow": "as-tensorflow"}.items():
        page = tfpy_sessions.browsers.open("chromium", ENVIRONMENTS["default"], url)
        (said,) = run_scripts(page, ({attribute: "keras", "id": "mine", "v-pre": ""}, "1"))
        assert f'no attribute "{attribute}". Did you mean "{right}"?' in said
        page.close()


NODE = """
import { loadTfpy } from "./tfpy.mjs";
const load = (name) => loadTfpy({ packages: [name], distribution: process.argv[2] });
const said = await load("changed").then(() => "", (error) => error.message);
const tfpy = await load("running-sums");
const value = await tfpy.run("import running_sums; running_sums.last([2, 4])");
console.log(JSON.stringify([said, value]));
process.exit();
"""


def test_node(address: str, tmp_path: Path) -> None:
    """Check that Node.js also verifies the digests of packages from a server."""
    if shutil.which("node") is None:
        pytest.skip("Node.js is not installed")
    site = tmp_path / "site"
    shutil.copytree(SITE, site, ignore=shutil.ignore_patterns("gallery", "docs", "examples"))
    listed = write_distribution(tmp_path)
    (site / "pyodide" / "distribution.json").write_text(listed)
    (site / "run.mjs").write_text(NODE)
    argv = ["node", "run.mjs", f"{address}wheels/"]
    done = subprocess.run(argv, cwd=site, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said, value = json.loads(done.stdout.splitlines()[-1])
    assert "is a different file: its SHA-256 is" in said
    assert value == 3.0
