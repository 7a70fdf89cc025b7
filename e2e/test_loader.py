"""The page loader as a function. test_scripts.py tests Python in script tags."""

from __future__ import annotations

import gzip
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tfpy.testing import ENVIRONMENTS, run_in_browser
from tfpy.testing.environments import BROWSERS
from tfpy.testing.server import SiteServer
from tfpy.testing.sessions import OpenPage, Sessions

SITE = Path(__file__).parents[1] / "build" / "site"
MOST_BYTES = 7_935_000
"""Bytes that a page may fetch until its first result, compressed by gzip.

Brotli needs 11 % less.
"""
PACKED = (".whl", ".zip")
BLANK = "tfpy-testing/blank.html"
LOAD_SECONDS = 120.0
EVERY_BROWSER = tuple(BROWSERS)

OpenPageFixture = Callable[..., OpenPage]


def run_module(page: OpenPage, body: str) -> Any:
    """Return the result of an async function with this body, in which `loadTfpy` is defined."""
    function = f"import('/tfpy.mjs').then(async ({{ loadTfpy }}) => {{ {body} }})"
    return page.evaluate(function, LOAD_SECONDS)


def test_load_and_run(tfpy_page: OpenPageFixture) -> None:
    page = tfpy_page(BLANK)
    found = run_module(
        page,
        """const stages = [], lines = [];
        const tfpy = await loadTfpy({
          onProgress: ({ stage, fraction, bytes }) => stages.push([stage, fraction, bytes]),
          stdout: (line) => lines.push(line),
        });
        const value = await tfpy.run("print('hello')\\nimport tfpy as tf\\n"
          + "float(await tf.reduce_sum(tf.constant([1.0, x])).data())", { x: 41 });
        const urls = performance.getEntriesByType("resource").map(({ name }) => name);
        const raw = await tfpy.run("import tfpy as tf\\n"
          + "float(await tf.raw_ops.AddV2(x=1.0, y=2.0).data())");
        const { __name__: name } = tfpy.tf;
        return { stages, lines, value, raw, urls, backend: tfpy.backend(), name };""",
    )
    assert found["value"] == 42
    assert found["raw"] == 3
    assert found["lines"] == ["hello"]
    assert found["backend"] == "wasm"
    assert found["name"] == "tfpy"
    stages, fractions, _ = zip(*found["stages"], strict=True)
    assert list(dict.fromkeys(stages)) == ["pyodide", "packages", "backend", "ready"]
    assert sorted(fractions) == list(fractions)
    assert fractions[-1] == 1
    check_bytes(found["stages"])
    files = {SITE / urlsplit(url).path.lstrip("/") for url in found["urls"]}
    assert sum(map(compressed_bytes, files)) < MOST_BYTES
    assert page.problems == []


def compressed_bytes(file: Path) -> int:
    """Return the number of bytes that a server sends for a file."""
    data = file.read_bytes()
    return len(data if file.suffix in PACKED else gzip.compress(data))


def check_bytes(events: list[list[Any]]) -> None:
    """Check that the reported bytes increase in many steps up to the sizes of the site's files."""
    heard = [bytes_ for _, _, bytes_ in events if bytes_]
    (total,) = {bytes_["total"] for bytes_ in heard}
    loaded = [bytes_["loaded"] for bytes_ in heard]
    assert loaded == sorted(loaded)
    assert loaded[-1] == total == sum(files_of_a_start().values())
    assert len({10 * n // total for n in loaded}) > 5, "it is heard of often"


def files_of_a_start() -> dict[str, int]:
    """Return the names of the site's files that progress counts, with their sizes."""
    folder = SITE / "pyodide"
    names = ["pyodide.asm.wasm", "python_stdlib.zip", "numpy-*.whl", "tfpy_web-*.whl"]
    files = [file for name in names for file in folder.glob(name)]
    return {file.name: file.stat().st_size for file in files}


def test_progress_of_packed_files(tmp_path: Path, tfpy_sessions: Sessions) -> None:
    """Check that progress counts bytes even if a compressing server sends no length."""
    (tmp_path / "pyodide").mkdir()
    for file in [*SITE.glob("*.*"), *SITE.glob("pyodide/pyodide*")]:
        packed = tmp_path / file.relative_to(SITE)
        packed.write_bytes(gzip.compress(file.read_bytes(), 1))
    for name in files_of_a_start():
        packed = tmp_path / "pyodide" / name
        packed.write_bytes(gzip.compress((SITE / "pyodide" / name).read_bytes(), 1))
    (tmp_path / "blank.html").write_bytes(gzip.compress(b"<link rel=icon href='data:,'>"))
    with SiteServer(tmp_path, headers={"Content-Encoding": "gzip"}) as server:
        url = f"{server.url}blank.html"
        page = tfpy_sessions.browsers.open("chromium", ENVIRONMENTS["default"], url)
        events = run_module(
            page,
            """const events = [];
            await loadTfpy({
              backend: "cpu", onProgress: (e) => events.push([e.stage, e.fraction, e.bytes]) });
            return events;""",
        )
        page.close()
    check_bytes(events)


def test_backend_and_flags(tfpy_page: OpenPageFixture) -> None:
    found = run_module(
        tfpy_page(BLANK),
        """const tfpy = await loadTfpy({
          backend: "webgl", flags: { SOFTWARE_WEBGL_ENABLED: true, WEBGL_FORCE_F16_TEXTURES: true },
        });
        const report = tfpy.tf.backend_report().toJs();
        return [tfpy.backend(), report.get?.("webgl").get("variant") ?? report.webgl.variant];""",
    )
    assert found == ["webgl", "webgl2-float16"]


def test_a_backend_that_cannot_be_had(tfpy_page: OpenPageFixture) -> None:
    text = run_module(
        tfpy_page(BLANK, environment="no-webgl"),
        "return loadTfpy({ backend: 'webgl' }).then(() => '', (error) => error.message);",
    )
    assert "webgl" in text
    assert "cannot be used here" in text


FAILING_LOADS = """
const said = (options) => loadTfpy(options).then(() => "loaded", (error) => error.message);
const found = {
  core: await said({ indexURL: "/nowhere/" }),
  lock: await said({ lockFileURL: "/nowhere/lock.json" }),
  page: await said({ lockFileURL: "/index.html" }),
};
found.wheel = await said({ wheel: "/nowhere/tfpy_web-9-py3-none-any.whl" });
found.threads = await said({ flags: { TFPY_WASM_THREADS_COUNT: -3 } });
found.flag = await said({ flags: { WASM_SPEED: true } });
return found;
"""


def test_what_cannot_be_loaded_is_named(tfpy_page: OpenPageFixture) -> None:
    """Check that errors name missing files of options.

    test_loading_faults.py covers faults of servers.
    """
    found = run_module(tfpy_page(BLANK), FAILING_LOADS)
    for name, texts in {
        "core": ["Python did not start", "/nowhere/pyodide.mjs: 404"],
        "lock": ["there is no file at", "/nowhere/lock.json: 404"],
        "page": ["the file is not JSON", "/index.html: 200"],
        "wheel": ["cannot be loaded", "/nowhere/tfpy_web-9-py3-none-any.whl: 404"],
        "threads": [
            "tfpy: ValueError: Flag TFPY_WASM_THREADS_COUNT must be an integer of at least 0, "
            "not -3"
        ],
        "flag": ["tfpy: ValueError: Unknown flag 'WASM_SPEED'. docs/"],
    }.items():
        for text in texts:
            assert text in found[name], (name, found[name])
    assert "\n" not in found["threads"]


HALVE = """
import tfpy as tf

@tf.function
def halve(x):
    while x > 1.0:
        x /= 2.0
    return x
"""


def test_what_runs_has_lines(tfpy_page: OpenPageFixture) -> None:
    """Check that errors show source lines and that AutoGraph reads them.

    This includes the lines of earlier programs.
    """
    values, text = run_module(
        tfpy_page(BLANK),
        f"""const tfpy = await loadTfpy({{ backend: "cpu" }});
        await tfpy.run(`{HALVE}`);
        const {{ halve }} = await tfpy.import(`{HALVE}`);
        const failing = tfpy.run("import tfpy as tf\\n\\ntf.reshape(tf.zeros([2, 3]), [4])");
        const text = await failing.then(() => "", (error) => error.message);
        const value = await tfpy.run("float(halve(tf.constant(3.0)))");
        return [[value, (await halve(5)).data[0]], text];""",
    )
    assert values == [0.75, 0.625]
    assert 'File "run of the page", line 3, in <module>\n    tf.reshape(tf.zer' in text
    assert "[2, 3]" in text


def test_strict_content_security_policy(tfpy_page: OpenPageFixture) -> None:
    """Check that the loader passes the runtime as a module without 'unsafe-eval' and blob:."""
    page = tfpy_page("tfpy-testing/strict.html")
    found = run_module(
        page,
        """const tfpy = await loadTfpy({
          backend: "webgl", flags: { SOFTWARE_WEBGL_ENABLED: true } });
        const late = await tfpy.run("import unittest.mock; unittest.mock.Mock.__name__");
        return [late, await tfpy.run(
          "import tfpy as tf; (tf.constant([1, 2]) * 2).numpy().sum().item()")];""",
    )
    assert found == ["Mock", 6]


@run_in_browser(backends=["cpu"])
def test_the_wheel_has_bytecode(tf: Any) -> None:
    """Check that the bytecode of the wheel has no columns.

    Code that Python compiles on import has them.
    """
    functions = [tf.constant, tf.matmul, tf.function]
    places = [place for f in functions for place in f.__code__.co_positions()]
    assert {column for _, _, column, _ in places} == {None}


def check_late_parts() -> None:
    import statistics
    import xml.etree.ElementTree
    import zoneinfo

    import numpy as np

    np.testing.assert_array_equal(np.fft.fft(np.ma.array([1.0, 2.0]).filled()), [3, -1])
    assert np.random.default_rng(3).random() == 0.08564916714362436
    assert xml.etree.ElementTree.fromstring("<a b='c'/>").get("b") == "c"
    assert statistics.mean([1, 2]) == 1.5
    assert zoneinfo.ZoneInfo.__name__ == "ZoneInfo"
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'xml\.nothing'"):
        importlib.import_module("xml.nothing")


@run_in_browser(backends=["cpu"], environment="not-isolated", browsers=EVERY_BROWSER)
def test_rare_parts_come_when_they_are_imported() -> None:
    """Check modules of the standard library and of NumPy."""
    check_late_parts()


@run_in_browser(backends=["cpu"], environment="worker", browsers=EVERY_BROWSER)
def test_rare_parts_come_in_workers() -> None:
    check_late_parts()
