"""The programs in README.md and docs/functions.md run as they stand there."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import inspect
import io
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def blocks(document: str, language: str) -> list[str]:
    """The programs of a document in a language."""
    text = (ROOT / document).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def run(program: str, names: dict[str, Any]) -> str:
    """What a program prints; it may await, as in a page."""
    code = compile(program, "document", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        pending = eval(code, names)
        if inspect.iscoroutine(pending):
            asyncio.run(pending)
    return printed.getvalue()


def test_the_readme_under_both() -> None:
    both, only = blocks("README.md", "python")
    names: dict[str, Any] = {}
    mine = run(both, names)
    assert mine == run(both.replace("import tfpy as tf", "import tensorflow as tf"), {})
    assert mine == "[[2.0], [-3.0]] [0.5]\n"
    assert run(only, names).startswith("cpu [[ 2.")


def test_the_script_tag_of_the_readme() -> None:
    _, page = blocks("README.md", "html")  # the first has Keras: it runs in a browser
    (program,) = re.findall(r'<script type="text/tfpy">\n(.*?)</script>', page, re.S)
    assert run(program, {}).endswith(", shape=(3,), dtype=float32) cpu\n")


def test_the_functions_page() -> None:
    names: dict[str, Any] = {}
    printed = "".join(run(program, names) for program in blocks("docs/functions.md", "python"))
    assert "100% compiled" in printed
    tf = names["tf"]
    images, labels = tf.fill([3, 784], 0.05), tf.one_hot([1, 2, 3], 10)
    losses = [float(names["step"](images, labels)) for _ in range(3)]
    assert losses[2] < losses[0]
    assert names["model"](tf.ones([1, 28, 28])).shape == (1, 10)
    assert names["predict"](images).shape == (3, 10)
