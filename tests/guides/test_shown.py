"""Tests that excerpts of files and program output in documents are correct."""

from __future__ import annotations

import ast
import asyncio
import gc
import linecache
import re
import threading
import urllib.request
from typing import Any

import pytest
from guides.documents import ROOT, block

import tfpy as tf


def test_a_record() -> None:
    """Check that the record of relu equals the record in its file, apart from comments."""
    shown = ast.parse(block("docs/architecture.md", "py"))
    source = (ROOT / "src/tfpy/_src/compiler/ops/activation.py").read_text(encoding="utf-8")
    statements = [ast.dump(one) for one in ast.parse(source).body]
    assert [ast.dump(one) for one in shown.body if ast.dump(one) not in statements] == []


def test_a_graph() -> None:
    graph = tf.function(tf.nn.relu).get_concrete_function(tf.TensorSpec([8, 4])).traced.graph
    assert block("docs/architecture.md", "text", "graph(") == f"{graph}\n"


def test_the_head_of_a_notebook() -> None:
    notebook = ROOT / "examples/notebooks/train_marimo.py"
    assert notebook.read_text(encoding="utf-8").startswith(
        block("docs/notebooks.md", "py", "/// script")
    )


def model(number: int, *lines: str) -> dict[str, Any]:
    """Run lines as a file model.py that begin at a line number, and return the names."""
    text = "\n" * (number - 1) + "\n".join(lines)
    linecache.cache["model.py"] = (len(text), None, text.splitlines(keepends=True), "model.py")
    names: dict[str, Any] = {"tf": tf}
    exec(compile(text, "model.py", "exec"), names)
    return names


def test_the_error_of_the_first_nan() -> None:
    shown = block("docs/debugging.md", "text", "1 NaN")
    loss = model(11, "def loss(p):", "    return -tf.reduce_mean(tf.math.log(p))")["loss"]
    tf.enable_debug_mode()
    try:
        with pytest.raises(tf.errors.InvalidArgumentError) as raised:
            loss(tf.constant([[-2.0, 0.0], [2.0, 4.0]]))
    finally:
        tf.env().set("DEBUG", False)
    assert f"InvalidArgumentError: {raised.value}\n" == shown


def test_where_a_compiled_function_fails() -> None:
    shown = block("docs/debugging.md", "text", "gather")
    program = "@tf.function", "def pick(rows, chosen):", "    return tf.gather(rows, chosen)"
    pick = model(29, *program)["pick"]
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        pick(tf.zeros([2]), tf.constant(5))
    notes = "\n".join(raised.value.__notes__)
    assert f"InvalidArgumentError: {raised.value}\n{notes}\n" == shown


def test_the_server_that_isolates_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that the server sends both headers with a file of its folder."""
    monkeypatch.chdir(ROOT)
    shown = block("docs/install.md", "py", "serve.py")
    classes, _, last = shown.partition("\nThreading")
    made = last.removesuffix(".serve_forever()\n").replace("8000", "0")
    names: dict[str, Any] = {}
    exec(f"{classes}\nserver = Threading{made}", names)
    with names["server"] as server:
        threading.Thread(target=server.handle_request).start()
        with urllib.request.urlopen(f"http://localhost:{server.server_port}/LICENSE") as answer:
            assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"
            assert answer.headers["Cross-Origin-Embedder-Policy"] == "require-corp"


NUMBER = re.compile(r"[\d,]*\d(?:\.\d+)?")


def test_the_table_of_a_profile() -> None:
    """Check the words and columns of the table. Numbers and kernels may differ."""
    shown = block("docs/debugging.md", "text", "on the clock").replace("on wasm", "on cpu")
    gc.collect()  # otherwise freed tensors of other tests would reduce the number of new ones
    table = str(asyncio.run(tf.profile_async(lambda: tf.function(tf.nn.relu)(tf.ones([4])))))
    (*head, names), (*wanted, columns) = (
        NUMBER.sub("#", text).splitlines()[:5] for text in (table, shown)
    )
    assert head == wanted
    assert names.split() == columns.split()
    row = re.compile(r"^[\w+]+ +\d+ +[\d.]+ +[\d.]+ +[\d,]+$", re.M)
    assert row.search(table)
    assert len(row.findall(shown)) == 2
