"""The npm package, installed from its archive into a project with Vite and one without."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from guides.documents import block

import tfpy
from buildsys import npm, npm_package
from tfpy.testing.environments import ENVIRONMENTS
from tfpy.testing.server import SiteServer
from tfpy.testing.sessions import OpenPage, Sessions

SOURCES = Path(__file__).parent / "npm_project"
LOAD_SECONDS = 120.0
THIRD = 0.333

FOUND = """new Promise((resolve) => {
  const look = () => document.body.dataset.found ? resolve(document.body.dataset.found)
    : setTimeout(look, 50);
  look();
})"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project folder with the installed archive.

    Its README.md configures Vite.
    """
    folder = tmp_path_factory.mktemp("npm")
    archive = npm_package.ensure(folder)
    project = folder / "project"
    shutil.copytree(SOURCES, project)
    (project / "package.json").write_text('{"type": "module"}')
    run("npm", "install", "--offline", "--no-audit", "--no-fund", archive, cwd=project)
    (project / "node_modules" / "vite").symlink_to(npm.ensure() / "vite")
    config = block("web/npm/README.md", "js", "vite.config.js")
    assert config == block("docs/install.md", "js", "vite.config.js")
    (project / "vite.config.js").write_text(config)
    return project


def run(*argv: object, cwd: Path) -> str:
    done = subprocess.run([str(word) for word in argv], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def check_page(sessions: Sessions, url: str) -> OpenPage:
    page = sessions.browsers.open("chromium", ENVIRONMENTS["default"], url)
    for values in json.loads(page.evaluate(FOUND, LOAD_SECONDS)):
        assert [round(v, 3) for v in values] == [THIRD] * 3
    assert page.problems == []
    return page


TYPED = """
import { loadTfpy, type LoadOptions } from "tfpy-web";
import { loadProgram } from "tfpy-web/run";
import { startWorker } from "tfpy-web/worker";

const names: LoadOptions["backend"][] = ["webgpu", "webgl", "wasm", "cpu", undefined];
const tfpy = await loadTfpy({ backend: names[0] });
const { softmax, fit } = await tfpy.import("softmax.py");
const found = await softmax([1, 2, 3]);
const sizes: number[] = found.shape;
const values: ArrayLike<number | bigint | string> = found.data;
if (found.dtype === "int64") console.log(found.data[0] + 1n);
const { losses } = await fit(); // a dict
const { count } = await tfpy.import<{ count: (x: number[]) => number }>("count.py");
const half: number = (await count([1, 2])) / 2;
const worker = await (await startWorker()).import<{ count: () => number }>("count.py");
const moved: number = await worker.count.transfer();
interface Counting { count: (x: number[]) => number }
const declared: number = await (await tfpy.import<Counting>("count.py")).count([1]);
const program = await loadProgram("digits.tfpy", { backend: "webgpu" });
const by: ArrayLike<number> = (await program.run([1, 2])).y.data;
console.log(declared, sizes, values, losses, half, moved, by);
console.log(await program.run([x(), { data: [1] }]));
function x(): ImageData { return new ImageData(1, 1); }
"""
WRONG = {
    'loadTfpy({ backend: "webgp" })': '"webgp"\' is not assignable',
    'loadTfpy({ backand: "wasm" })': "backand",
    'loadProgram("x", { backend: "cpu" })': '"cpu"\' is not assignable',
    'tfpy.import<{ a: number }>("a.py")': "does not satisfy the constraint '{ a: Signature; }'",
    "count(1)": "not assignable to parameter of type 'number[]'",
    "(await count([1])).data": "'data' does not exist on type 'number'",
    'const data: Float32Array = (await softmax("x")).data': "not assignable",
}


def test_types(project: Path) -> None:
    options = ["--noEmit", "--strict", "--skipLibCheck", "--target", "ES2022"]
    modules = ["--module", "ESNext", "--moduleResolution", "Bundler"]
    argv = [npm.tool("tsc"), "--ignoreConfig", *options, *modules]
    (project / "typed.ts").write_text(TYPED)
    loading = 'import { loadTfpy } from "tfpy-web";\nconst tfpy = await loadTfpy();\n'
    (project / "documented.ts").write_text(loading + block("web/npm/README.md", "ts"))
    run(*argv, "main.ts", "own_worker.ts", "typed.ts", "documented.ts", cwd=project)
    (project / "wrong.ts").write_text(TYPED + ";\n".join(WRONG))
    done = subprocess.run(
        [*map(str, argv), "wrong.ts"], cwd=project, capture_output=True, text=True
    )
    said = [line for line in done.stdout.splitlines() if line.startswith("wrong.ts")]
    assert len(said) == len(WRONG)
    for line, text in zip(said, WRONG.values(), strict=True):
        assert text in line


def test_built_by_vite(project: Path, tfpy_sessions: Sessions) -> None:
    """Check that the built page works below a base address."""
    run(npm.tool("vite"), "build", "--base", "/below/", cwd=project)
    with SiteServer(project, mounts={"below": project / "dist"}) as server:
        check_page(tfpy_sessions, f"{server.url}below/index.html").close()
    assert not list((project / "dist").rglob("*.d.*ts"))


ONLY_RUN = """
import { loadProgram } from "tfpy-web/run";
const { y } = await (await loadProgram("softmax.tfpy", { backend: "wasm" })).run([0, 0, 0]);
document.body.dataset.found = JSON.stringify([[...y.data]]);
"""


def test_programs_without_python(project: Path, tfpy_sessions: Sessions) -> None:
    """Check that a build that imports only tfpy-web/run runs, and has no files of Python."""
    folder = project / "run_only"
    (folder / "public").mkdir(parents=True)
    (folder / "main.js").write_text(ONLY_RUN)
    page = (project / "index.html").read_text().replace("main.ts", "main.js")
    (folder / "index.html").write_text(page)
    program = folder / "public" / "softmax.tfpy"
    tfpy.export(lambda x: {"y": tfpy.nn.softmax(x)}, program, tfpy.TensorSpec([3]))
    run(npm.tool("vite"), "build", "--config", "vite.config.js", folder, cwd=project)
    files = {str(file.relative_to(folder / "dist")) for file in (folder / "dist").rglob("*.*")}
    assert {name.partition("/")[0] for name in files} == {
        *("assets", "index.html", "softmax.tfpy", "tfpy")
    }
    copied = {name for name in files if name.startswith("tfpy/")}
    assert {"tfpy/run/tfpy-run.mjs", "tfpy/run/xnnpack-simd.wasm"} <= copied
    assert all(name.startswith("tfpy/run/") for name in copied)
    with SiteServer(folder / "dist") as server:
        check_page(tfpy_sessions, f"{server.url}index.html").close()


SHOWN = """
document.body.dataset.{} = JSON.stringify([[...{}]]);
"""


def test_served_by_vite(project: Path, tfpy_sessions: Sessions) -> None:
    """Run README.md's code for the page's thread and for programs without Python in a page."""
    scripts = [
        block("docs/install.md", "js", "src/main.js") + SHOWN.format("installed", "[[1]]"),
        block("web/npm/README.md", "js", "def softmax") + SHOWN.format("softmax", "data"),
        block("web/npm/README.md", "js", "loadProgram")
        + SHOWN.format("made", "probabilities.data"),
    ]
    modules = "".join(f'<script type="module">{script}</script>' for script in scripts)
    (project / "readme.html").write_text(f'<link rel="icon" href="data:,"><body>{modules}')
    (project / "public").mkdir()
    specs = {"image": tfpy.TensorSpec([64])}
    tfpy.export(probabilities, project / "public" / "digits.tfpy", specs)
    with vite(project, "--config", "isolated.config.mjs") as url:
        page = check_page(tfpy_sessions, url)
        assert page.evaluate("crossOriginIsolated")
        page.close()
        page = tfpy_sessions.browsers.open("chromium", ENVIRONMENTS["default"], f"{url}readme.html")
        installed, softmax, made = (
            json.loads(page.evaluate(FOUND.replace("found", name), LOAD_SECONDS))[0]
            for name in ("installed", "softmax", "made")
        )
        assert installed == [[1]]
        assert [round(value, 3) for value in softmax] == [0.09, 0.245, 0.665]
        assert made == [0.015625] * 64
        assert page.problems == []
        page.close()


def probabilities(image: Any) -> dict[str, Any]:
    return {"probabilities": tfpy.nn.softmax(image)}


LEARNT = "; document.body.dataset.learnt = [w.data[0], b.data[0]]"
PRINTED = """new Promise((resolve) => {
  const printed = () => document.querySelector(".tfpy-output")?.textContent ?? "";
  const look = () => printed().endsWith("\\n") ? resolve(printed()) : setTimeout(look, 50);
  look();
})"""


def test_copied_for_a_page_without_a_bundler(project: Path, tfpy_sessions: Sessions) -> None:
    """Run README.md's command, page and worker."""
    npx, *words = block("web/npm/README.md", "sh").split()
    shown = run(npx, "--offline", *words, cwd=project)
    page = block("web/npm/README.md", "html")
    assert shown.strip() == tag("/tfpy/tfpy.mjs")
    assert shown in page
    shown = run(npx, "--offline", "tfpy-web", "web/tfpy/", cwd=project)
    assert shown.strip() == tag("web/tfpy/tfpy.mjs")
    (project / "public" / "train.py").write_text(block("web/npm/README.md", "py"))
    script = block("web/npm/README.md", "js", "train.py")
    script = script.replace("tfpy-web/worker", "/tfpy/worker.mjs") + LEARNT
    plain = f'{page}<script type="module">{script}</script>'
    (project / "public" / "plain.html").write_text(plain)
    with SiteServer(project / "public") as server:
        url = f"{server.url}plain.html"
        opened = tfpy_sessions.browsers.open("chromium", ENVIRONMENTS["default"], url)
        printed = opened.evaluate(PRINTED, LOAD_SECONDS)
        assert printed.startswith("tf.Tensor([0.09003057 0.24472848 0.66524094]")
        learnt = opened.evaluate(FOUND.replace("found", "learnt"), LOAD_SECONDS)
        w, b = map(float, learnt.split(","))
        assert abs(w - 3.0) < 0.01
        assert abs(b - 1.0) < 0.01
        assert opened.problems == []
        opened.close()


def tag(address: str) -> str:
    return f'<script type="module" src="{address}"></script>'


@contextmanager
def vite(project: Path, *options: str) -> Iterator[str]:
    """Start Vite's server of a project and yield its address."""
    argv = [str(npm.tool("vite")), "--port", "0", "--host", "127.0.0.1", "--clearScreen", "false"]
    argv += options
    with subprocess.Popen(argv, cwd=project, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                found = re.search(r"http://127.0.0.1:\d+/", re.sub(r"\x1b\[\d*m", "", line))
                if found:
                    yield found[0]
                    break
            else:
                raise AssertionError("Vite has ended")
        finally:
            process.terminate()
