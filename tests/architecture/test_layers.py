"""Rules that `.importlinter` cannot express: few import cycles and few late imports."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[2]
ENGINE = ROOT / "src" / "tfpy" / "_src"

LATE_IMPORTS = {
    "backends/javascript/digests.py": "hashlib takes a while to load, and is seldom wanted",
    "backends/jax/detection.py": "JAX loads where it may compute",
    "backends/registry.py": "the lowerings of devices, and JAX, load when one is opened",
    "compiler/regex/characters.py": "unicodedata is large, and seldom wanted",
    "core/tensor.py": "pictures of arrays load when a notebook shows one",
    "display/report.py": "tables load when one is shown",
    "formats/exported/api.py": "the lowerings of devices load when something is exported",
    "functions/control/tensor_array.py": "a class makes values of its subclass",
    "functions/tf_function/text.py": "tables load when a notebook shows something",
    "keras_support/versions.py": "importlib.metadata is slow to load, and only an error uses it",
    "loader/bytecode.py": "what only Pyodide's Python has",
    "loader/lazy_imports.py": "what only Pyodide has, and what few pages use",
}
"""Files that import inside functions, with the reasons."""


def circles(graph: grimp.ImportGraph) -> list[set[str]]:
    """Return sets of modules that all import each other, directly or indirectly."""
    modules = [m for m in graph.modules if m.startswith("tfpy._src.")]
    above = {m: graph.find_upstream_modules(m) for m in modules}
    found = [{m, *(n for n in above[m] if m in above.get(n, ()))} for m in modules]
    return [circle for circle in found if len(circle) > 1]


def test_circles_are_small_and_inside_a_folder() -> None:
    found = circles(grimp.build_graph("tfpy", cache_dir=None))
    assert {"tfpy._src.core.operand", "tfpy._src.core.tensor"} in found, "circles are found"
    for circle in found:
        assert len(circle) <= 3, circle
        assert len({m.rpartition(".")[0] for m in circle}) == 1, circle


class LateImports(ast.NodeVisitor):
    """A visitor that detects imports inside functions."""

    def __init__(self) -> None:
        self.functions = 0
        self.found = False

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.functions += 1
        self.generic_visit(node)
        self.functions -= 1

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        self.found = self.found or self.functions > 0

    visit_ImportFrom = visit_Import  # noqa: N815


SAME_CLASSES = {
    "Constant": "an initializer of TensorFlow 1, and one of TensorFlow 2",
    "Feature": "the base of configurations of features, and the parts of AutoGraph",
    "Finish": "the end of a shader, for each language",
    "Graph": "the intermediate representation, and tf.Graph",
    "Initializer": "the base of initializers of TensorFlow 1, and of TensorFlow 2",
    "MultiWorkerMirroredStrategy": "a former name",
    "Node": "a node of a model; the class of pydot",
    "Nodes": "the nodes of a file, for each format",
    "Ones": "an initializer of TensorFlow 1, and one of TensorFlow 2",
    "Operation": "a record of an operation, for each format, and tf.Operation",
    "RandomNormal": "an initializer of TensorFlow 1, and one of TensorFlow 2",
    "RandomUniform": "an initializer of TensorFlow 1, and one of TensorFlow 2",
    "ResizeMethod": "interpolation methods of TensorFlow 1, and of TensorFlow 2",
    "RunOptions": "options of a session's run, and of a strategy's run",
    "Source": "the text of a shader, for each language",
    "TFRecordWriter": "a writer of records, and one of datasets",
    "TPUStrategy": "a former name",
    "Trace": "a public class of the profiler",
    "Variable": "a Variable, and one of TensorFlow 1",
    "Zeros": "an initializer of TensorFlow 1, and one of TensorFlow 2",
    "name_scope": "a scope of TensorFlow 1, and one of TensorFlow 2",
}
"""Class names that several modules define, with the reasons."""


def test_a_class_has_a_name_of_its_own() -> None:
    files: dict[str, set[Path]] = {}
    for file in ENGINE.rglob("*.py"):
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                files.setdefault(node.name, set()).add(file)
    shared = {name for name, found in files.items() if len(found) > 1}
    assert shared == SAME_CLASSES.keys()


def imports_late(file: Path) -> bool:
    visitor = LateImports()
    visitor.visit(ast.parse(file.read_text()))
    return visitor.found


def test_imports_stand_at_the_head_of_files() -> None:
    late = {f.relative_to(ENGINE).as_posix() for f in ENGINE.rglob("*.py") if imports_late(f)}
    assert late == LATE_IMPORTS.keys()


def test_importing_loads_no_more_of_numpy_than_it_uses() -> None:
    """Check that importing tfpy does not import numpy.random.

    A page would have to download and link the dozen compiled modules of numpy.random.
    """
    code = "import sys, tfpy; print('numpy.random' in sys.modules)"
    environment = {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE)
    assert done.stdout == b"False\n"
