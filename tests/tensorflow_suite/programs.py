"""``build.py program-tests``: programs for TensorFlow, statement by statement, on tfpy."""

from __future__ import annotations

import argparse
import ast
import json
import os
import pickle
import re
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from .describing import difference, text_difference

MAGIC = re.compile(r"^\s*[%!?].*$", re.MULTILINE)
CLASSES = ("equal", "random", "dtype", "missing name", "cascade", "error", "text", "value", "hang")


def statements(file: Path) -> list[str]:
    """Return the top-level statements of a script, or of the cells of a notebook."""
    text = file.read_text(errors="replace")
    cells = [text]
    if file.suffix == ".ipynb":
        found = json.loads(text).get("cells", ())
        cells = ["".join(c["source"]) for c in found if c["cell_type"] == "code"]
    made = []
    for cell in cells:
        code = MAGIC.sub("", cell)
        try:
            nodes = ast.parse(code).body
        except SyntaxError:
            continue
        future = any(isinstance(n, ast.ImportFrom) and n.module == "__future__" for n in nodes)
        if not future or len(nodes) > 1:
            made += [_source(code, n) for n in nodes if getattr(n, "module", "") != "__future__"]
    return made


def _source(code: str, node: ast.stmt) -> str:
    """Return the lines of a statement with its decorators."""
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(d.lineno for d in decorators)])
    if node.col_offset:  # after a semicolon
        return ast.unparse(node)
    return "\n".join(code.splitlines()[first - 1 : node.end_lineno])


def run(library: str, parts: list[str], folder: Path, times: int = 1) -> list[list[dict[str, Any]]]:
    """Return the results of each run of a program: those of the statements that it reached."""
    source = folder / "program.json"
    source.write_text(json.dumps(parts))
    results = [folder / f"results{i}.pickle" for i in range(times)]
    for file in results:
        file.unlink(missing_ok=True)
    argv = [sys.executable, "-m", f"{__package__}.program_worker", library, source, *results]
    env = os.environ | {"CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    with (folder / "log").open("w") as log:
        subprocess.run(argv, env=env, stdout=log, stderr=log)
    return [_read(file) for file in results]


def _read(file: Path) -> list[dict[str, Any]]:
    """Return the results in a file, which may end early."""
    made = []
    if file.exists():
        with file.open("rb") as stream, suppress(EOFError, pickle.UnpicklingError):
            while True:
                made.append(pickle.load(stream))
    return made


def judge(one: dict[str, Any], two: dict[str, Any], actual: dict[str, Any] | None) -> str:
    """Return the class of a statement that ran twice under TensorFlow without an error."""
    if actual is None or actual["hang"]:
        return "hang"
    if actual["missing"]:
        return "missing name"
    if actual["error"]:
        return "cascade" if actual["error"].startswith("NameError") else "error"
    if _differences(one, two) - {""}:
        return "random"
    found = _differences(one, actual)
    return next((kind for kind in ("value", "text", "dtype") if kind in found), "equal")


def _differences(one: dict[str, Any], two: dict[str, Any]) -> set[str]:
    found = {text_difference(one["output"], two["output"])}
    for name, value in one["values"].items():
        other = two["values"].get(name)
        found.add("value" if other is None else difference(value, other))
    return found


def check(file: Path, folder: Path) -> tuple[Counter[str], list[str]]:
    """Run a program, and return the numbers of its statements per class, and the failures."""
    parts = statements(file)
    one, two = run("tensorflow", parts, folder, 2)
    (actual,) = run("tfpy", parts, folder)
    counts: Counter[str] = Counter()
    failures = []
    for i, (first, second) in enumerate(zip(one, two, strict=False)):
        if first["error"] or second["error"] or first["hang"] or second["hang"]:
            continue
        result = actual[i] if i < len(actual) else None
        kind = judge(first, second, result)
        counts[kind] += 1
        if kind not in ("equal", "random", "cascade"):
            note = result and (result["missing"] or result["error"])
            if not note and result:
                note = _shown(first, result)
            failures.append(f"{kind}: {parts[i][:300]}\n    {note}")
    return counts, failures


def _shown(one: dict[str, Any], two: dict[str, Any]) -> str:
    """Return what differs between the results of a statement."""
    if text_difference(one["output"], two["output"]):
        return f"printed {two['output'][:300]!r} instead of {one['output'][:300]!r}"
    for name, value in one["values"].items():
        other = two["values"].get(name)
        if other is None or difference(value, other):
            return f"{name} is {str(other)[:200]} instead of {str(value)[:200]}"
    return ""


def main() -> int:
    """Run the programs, and return the exit status 1 if a result differs."""
    parser = argparse.ArgumentParser(prog="build.py program-tests")
    parser.add_argument("places", nargs="+", type=Path, metavar="FOLDER",
                        help="with notebooks and scripts, or one such file")  # fmt: skip
    places = parser.parse_args().places
    files = [f for p in places for f in ([p] if p.is_file() else sorted(p.rglob("*")))
             if f.suffix in (".ipynb", ".py") and f.is_file()]  # fmt: skip
    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            counts, failures = check(file.resolve(), Path(folder))
            print(f"--- {file}: {dict(counts)}", *failures, sep="\n", flush=True)
            total += counts
    judged = sum(total.values())
    print("\n" + "\n".join(f"{total[c]:6} {c}" for c in CLASSES))
    good = sum(total[c] for c in ("equal", "random", "dtype"))
    print(f"{good} of {judged} statements ({good / max(judged, 1):.1%}) have the same results")
    return int(good < judged)


if __name__ == "__main__":
    sys.exit(main())
