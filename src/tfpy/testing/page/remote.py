"""The part of the test harness that runs inside Pyodide: it imports test modules and runs tests.

The page's agent calls :func:`run`.
"""

import ast
import base64
import contextlib
import gc
import inspect
import io
import json
import linecache
import marshal
import operator
import pickle
import sys
import traceback
import types
import zipfile
from importlib.machinery import SourceFileLoader
from importlib.util import MAGIC_NUMBER, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any
from zipimport import zipimporter

sys.path.append("/tmp/pytest.zip")

import pytest
from _pytest.assertion.rewrite import rewrite_asserts

import tfpy
from tfpy._src.backends.javascript.missing_modules import add_note
from tfpy._src.base import missing_packages
from tfpy._src.core.scalar_cache import clear_scalars

missing_packages.place = missing_packages.PythonPlace.BROWSER_TEST
PYTEST = sys.path[-1]
sources: dict[str, str] = {}


class AssertionLoader(SourceFileLoader):
    """A loader that rewrites assertions so that pytest can explain them."""

    def get_code(self, fullname: str) -> types.CodeType:
        source = self.get_data(self.path)
        tree = ast.parse(source, self.path)
        rewrite_asserts(tree, source, self.path)
        return compile(tree, self.path, "exec", dont_inherit=True)


def load_module(name: str, filename: str, source: str) -> types.ModuleType:
    """Import a test module from its source, under the same path as on the host."""
    if sources.get(name) != source:
        path = Path(filename)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
        spec = spec_from_file_location(name, filename, loader=AssertionLoader(name, filename))
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        sources[name] = source
        linecache.checkcache(filename)
    return sys.modules[name]


def memory() -> dict[str, int]:
    """Return the numbers of objects that a test can leak, after a garbage collection."""
    clear_scalars()
    gc.collect()
    found = tfpy.memory()
    return {
        "tensors": found["numTensors"],
        "data buffers": found["numDataBuffers"],
        "slots": found["backend"].get("slots", 0),
    }


def more_than(before: dict[str, int]) -> list[str]:
    """Return messages for the kinds of objects that have increased."""
    after = memory()
    return [
        f"{after[name] - count} more {name} than before the test"
        for name, count in before.items()
        if after[name] > count
    ]


def trace(error: BaseException) -> str:
    """Return the traceback as text, without the frames of this file.

    An error for a missing package names the way to get it.
    """
    if isinstance(error, ModuleNotFoundError):
        add_note(error)
    shown = traceback.TracebackException.from_exception(error)
    frames = [frame for frame in shown.stack if frame.filename != "remote.py"]
    shown.stack = traceback.StackSummary.from_list(frames)
    return "".join(shown.format())


def to_json(value: Any) -> Any:
    """Convert a NumPy value to lists and numbers, for `json.dumps`."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(
        f"a test function returned a {type(value).__name__}, which cannot be converted to JSON"
    )


def function_of(module: types.ModuleType, name: str) -> Any:
    """Return a test function without its decorators, or a test method of a new instance."""
    owner, _, method = name.rpartition(".")
    if not owner:
        return inspect.unwrap(getattr(module, name))
    test_class = operator.attrgetter(owner)(module)
    return types.MethodType(inspect.unwrap(getattr(test_class, method)), test_class())


async def call(request: dict[str, Any]) -> dict[str, Any]:
    """Run a function. All objects that it made are unreachable afterwards."""
    module = load_module(request["module"], request["filename"], request["source"])
    function = function_of(module, request["function"])
    arguments = pickle.loads(base64.b64decode(request["arguments"]))
    given = {"tf": tfpy, "backend": request["backend"] or tfpy.get_backend()}
    parameters = inspect.signature(function).parameters
    result = function(**arguments, **{n: v for n, v in given.items() if n in parameters})
    if inspect.isawaitable(result):
        result = await result
    return {"outcome": "passed", "result": json.loads(json.dumps(result, default=to_json))}


async def outcome(request: dict[str, Any]) -> dict[str, Any]:
    """Return the outcome of a function in pytest's terms."""
    try:
        return await call(request)
    except pytest.skip.Exception as skip:
        return {"outcome": "skipped", "text": str(skip)}
    except BaseException as error:
        return {"outcome": "failed", "text": trace(error)}


async def run(text: str) -> str:
    """Handle a request and return the response. Both are JSON."""
    request = json.loads(text)
    if request["backend"]:
        await tfpy.set_backend_async(request["backend"])
    before = memory()
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        answer = await outcome(request)
        answer["leaks"] = more_than(before)
        if answer["leaks"] and request["check_leaks"] and answer["outcome"] == "passed":
            # Compiled functions of a module keep constants. A real leak occurs in every run.
            before = memory()
            await outcome(request)
            answer["leaks"] = more_than(before)
    answer["output"] = output.getvalue()
    return json.dumps(answer)


def compiled_pytest() -> str:
    """Return the pytest archive with the bytecode of its imported modules, as base64."""
    header = MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8)  # does not depend on the source
    archive = io.BytesIO(Path(PYTEST).read_bytes())
    with zipfile.ZipFile(archive, "a", zipfile.ZIP_DEFLATED) as out:
        for name, module in list(sys.modules.items()):
            loader = getattr(module, "__loader__", None)
            if isinstance(loader, zipimporter) and loader.archive == PYTEST:
                file = loader.get_filename(name).removeprefix(f"{PYTEST}/")
                out.writestr(f"{file}c", header + marshal.dumps(loader.get_code(name)))
    return base64.b64encode(archive.getvalue()).decode()


gc.collect()
gc.freeze()  # existing objects do not belong to any test
