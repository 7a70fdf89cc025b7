"""The page loader: as a script tag's companion and as a function."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tfpy.testing import run_in_browser
from tfpy.testing.sessions import OpenPage

BLANK = "tfpy-testing/blank.html"
LOAD_SECONDS = 120.0

RUN_SCRIPTS = """async (scripts) => {
  const events = [];
  const ended = new Promise((resolve) => {
    const count = (event) => {
      events.push(event.type);
      if (event.type === "tfpy-error" || events.length === scripts.length) resolve();
    };
    addEventListener("tfpy-result", count);
    addEventListener("tfpy-error", count);
  });
  for (const text of scripts) {
    const script = document.createElement("script");
    script.type = "text/tfpy";
    script.textContent = text;
    document.body.append(script);
  }
  await import("/tfpy.mjs");
  await ended;
  const texts = (selector) => [...document.querySelectorAll(selector)].map(
    (shown) => ({ text: shown.textContent, after: shown.previousElementSibling.tagName }));
  return { events, output: texts(".tfpy-output"), error: texts(".tfpy-error") };
}"""

OpenPageFixture = Callable[..., OpenPage]


def run_module(page: OpenPage, body: str) -> Any:
    """The value that an async function with this body, which sees the loader, returns."""
    function = f"import('/tfpy.mjs').then(async ({{ loadTfpy }}) => {{ {body} }})"
    return page.evaluate(function, LOAD_SECONDS)


def run_scripts(page: OpenPage, *scripts: str) -> dict[str, Any]:
    """What a page shows that has these Python scripts and the loader."""
    text = json.dumps(list(scripts))
    found: dict[str, Any] = page.evaluate(f"({RUN_SCRIPTS})({text})", LOAD_SECONDS)
    return found


def test_load_and_run(tfpy_page: OpenPageFixture) -> None:
    page = tfpy_page(BLANK)
    found = run_module(
        page,
        """const stages = [], lines = [];
        const tfpy = await loadTfpy({
          onProgress: ({ stage, fraction }) => stages.push([stage, fraction]),
          stdout: (line) => lines.push(line),
        });
        const value = await tfpy.run("print('hello')\\nimport tfpy as tf\\n"
          + "float(await tf.reduce_sum(tf.constant([1.0, x])).data())", { x: 41 });
        return { stages, lines, value, backend: tfpy.backend(), name: tfpy.tf.__name__ };""",
    )
    assert found["value"] == 42
    assert found["lines"] == ["hello"]
    assert found["backend"] == "wasm"
    assert found["name"] == "tfpy"
    stages, fractions = zip(*found["stages"], strict=True)
    assert list(stages) == ["pyodide", "packages", "backend", "ready"]
    assert sorted(fractions) == list(fractions)
    assert fractions[-1] == 1
    assert page.problems == []


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


def test_python_errors_reject(tfpy_page: OpenPageFixture) -> None:
    text = run_module(
        tfpy_page(BLANK),
        """const tfpy = await loadTfpy({ backend: "cpu" });
        return tfpy.run("import tfpy as tf; tf.reshape(tf.zeros([2, 3]), [4])")
          .then(() => "", (error) => error.message);""",
    )
    assert "reshape" in text
    assert "[2, 3]" in text


def test_script_tags(tfpy_page: OpenPageFixture) -> None:
    page = tfpy_page(BLANK)
    found = run_scripts(
        page,
        "\n    import tfpy as tf\n    x = tf.constant([1, 2]) + 1\n    print(x.numpy())\n",
        "print(int(tf.reduce_sum(x).numpy()))",
    )
    assert found["events"] == ["tfpy-result", "tfpy-result"]
    assert [shown["text"] for shown in found["output"]] == ["[2 3]\n", "5\n"]
    assert found["error"] == []
    assert page.problems == []


def test_script_errors_are_shown(tfpy_page: OpenPageFixture) -> None:
    page = tfpy_page(BLANK)
    found = run_scripts(page, "1 / 0", "print('not reached')")
    assert found["events"] == ["tfpy-error"]
    assert "ZeroDivisionError" in found["error"][0]["text"]
    assert found["error"][0]["after"] == "SCRIPT"
    assert found["output"] == []
    assert any("ZeroDivisionError" in problem for problem in page.problems)


def test_example_page(tfpy_page: OpenPageFixture) -> None:
    page = tfpy_page("examples/script_tag.html")
    text = page.evaluate(
        """new Promise((resolve) => addEventListener("tfpy-result",
          () => resolve(document.querySelector(".tfpy-output").textContent)))""",
        LOAD_SECONDS,
    )
    slope, offset = (float(word) for word in text.split()[-2:])
    assert abs(slope - 3.0) < 0.05
    assert abs(offset - 1.0) < 0.05
    assert page.problems == []


def test_strict_content_security_policy(tfpy_page: OpenPageFixture) -> None:
    """Without 'unsafe-eval' and blob: the loader hands the runtime over as a module."""
    page = tfpy_page("tfpy-testing/strict.html")
    found = run_module(
        page,
        """const tfpy = await loadTfpy({
          backend: "webgl", flags: { SOFTWARE_WEBGL_ENABLED: true } });
        return tfpy.run("import tfpy as tf; (tf.constant([1, 2]) * 2).numpy().sum().item()");""",
    )
    assert found == 6


@run_in_browser(backends=["cpu"])
def test_the_wheel_has_bytecode(tf: Any) -> None:
    """It has no columns, unlike what Python compiles when it imports."""
    functions = [tf.constant, tf.matmul, tf.function]
    places = [place for f in functions for place in f.__code__.co_positions()]
    assert {column for _, _, column, _ in places} == {None}
