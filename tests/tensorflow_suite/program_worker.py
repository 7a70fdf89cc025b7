"""The process that runs the statements of one program with one of the libraries."""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import json
import multiprocessing
import os
import pickle
import random
import signal
import sys
import tempfile
import types
from collections.abc import Iterator
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import numpy as np

from .describing import Description, describe

SECONDS = 20
"""Time limit of a statement."""
PROGRAM_SECONDS = 240
"""Time limit of a program."""
PICTURES = ("matplotlib", "seaborn", "IPython", "plotly", "graphviz", "pydot", "tqdm")
"""Packages whose calls have no result that matters. Mock objects replace them."""
IMAGES = {"mnist": (28, 28), "fashion_mnist": (28, 28), "cifar10": (32, 32, 3),
          "cifar100": (32, 32, 3)}  # fmt: skip


class TimeLimitError(BaseException):
    """The error of a statement that ran for too long."""


class _Pictures(MetaPathFinder, Loader):
    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        package = fullname.partition(".")[0]
        if package in PICTURES and PathFinder.find_spec(package) is None:
            return ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: ModuleSpec) -> Any:
        made = types.ModuleType(spec.name)
        mock = MagicMock(name=spec.name)
        mock.get_ipython.return_value = None
        for owner in (mock, mock.pyplot):
            owner.subplots.return_value = (MagicMock(), MagicMock())
        mock.tqdm.side_effect = mock.trange.side_effect = lambda items, **options: items
        vars(made).update(__getattr__=lambda name: getattr(mock, name), __path__=[])
        return made

    def exec_module(self, module: types.ModuleType) -> None:
        """Do nothing: the names of the module are mock objects."""


def _data(sizes: tuple[int, ...]) -> Any:
    """Return a function in place of one that downloads images."""

    def load_data(*args: Any, **kwargs: Any) -> Any:
        made = np.random.RandomState(0)
        parts = []
        for count in (256, 64):
            labels = made.randint(0, 10, count).astype(np.uint8)
            images = made.randint(0, 255, (count, *sizes)).astype(np.uint8)
            parts.append((images, labels if len(sizes) == 2 else labels[:, None]))
        return tuple(parts)

    return load_data


def prepare(library: str) -> None:
    """Import a library under the name tensorflow, and replace downloads and pictures."""
    sys.meta_path.append(_Pictures())
    if library == "tfpy":
        import tfpy

        tfpy.as_tensorflow(replace=True)
    importlib.import_module("tensorflow")
    for name, sizes in IMAGES.items():
        importlib.import_module(f"keras.datasets.{name}").load_data = _data(sizes)


@contextlib.contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Raise an error within a context after some seconds."""
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def run(code: str, names: dict[str, Any]) -> dict[str, Any]:
    """Run a statement, and return what it printed and the values that it assigned."""
    before = {k: id(v) for k, v in names.items()}
    result: dict[str, Any] = {"error": "", "missing": "", "hang": False, "values": {}}
    output = io.StringIO()
    shown: list[Any] = []
    try:
        with contextlib.redirect_stdout(output), limited(SECONDS):
            node = ast.parse(code).body[0]
            if isinstance(node, ast.Expr):
                shown.append(eval(compile(code, "<program>", "eval"), names))
            else:
                exec(compile(code, _saved(code), "exec"), names)
            result["values"] = _values(names, before, shown, _assigned(node))
    except TimeLimitError:
        result["hang"] = True
    except BaseException as error:
        result["error"] = f"{type(error).__name__}: {error}"[:600]
        result["missing"] = _missing(error)
    return result | {"output": output.getvalue()[:20000]}


def _saved(code: str) -> str:
    """Return a new file with the code, because AutoGraph reads the source of functions."""
    number, name = tempfile.mkstemp(".py", dir=".", text=True)
    with os.fdopen(number, "w") as file:
        file.write(code)
    return os.path.abspath(name)


def _assigned(node: ast.stmt) -> set[str]:
    """Return the names that an assignment sets, perhaps to the same objects as before."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    return {n.id for t in targets for n in ast.walk(t)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}  # fmt: skip


def _values(
    names: dict[str, Any], before: dict[str, int], shown: list[Any], assigned: set[str]
) -> dict[str, Description]:
    changed = {
        k: v
        for k, v in names.items()
        if (before.get(k) != id(v) or k in assigned) and k[:2] != "__"
    }
    made = {}
    for name, value in [*changed.items(), *(("(shown)", v) for v in shown)]:
        if not isinstance(value, types.ModuleType):
            made[name] = describe(value)
    return made


def _missing(error: BaseException) -> str:
    """Return the name that tfpy does not have."""
    if isinstance(error, AttributeError | ImportError) and error.name:
        owner = getattr(error, "obj", None)
        if isinstance(error, ImportError) or isinstance(owner, types.ModuleType):
            return f"{getattr(owner, '__name__', '')}.{error.name}"
    return ""


def _alarm(number: int, frame: object) -> None:
    raise TimeLimitError


def _run_all(parts: list[str], results: Path) -> None:
    """Run the statements of a program, and write a pickle of each result."""
    signal.signal(signal.SIGALRM, _alarm)
    importlib.import_module("tensorflow").random.set_seed(1)
    np.random.seed(1)
    random.seed(1)  # Keras draws seeds from it
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    with tempfile.TemporaryDirectory() as folder, results.open("wb") as out:
        os.chdir(folder)
        for code in parts:
            out.write(pickle.dumps(run(code, vars(module))))
            out.flush()


def main() -> None:
    """Run the statements in a file of JSON once per file of results, each time in a fork."""
    library, source, *results = sys.argv[1:]
    prepare(library)
    parts = json.loads(Path(source).read_text())
    fork = multiprocessing.get_context("fork")
    processes = [fork.Process(target=_run_all, args=(parts, Path(r))) for r in results]
    for process in processes:
        process.start()
        process.join(PROGRAM_SECONDS)
        process.kill()


if __name__ == "__main__":
    main()
