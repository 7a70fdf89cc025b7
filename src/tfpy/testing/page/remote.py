"""Runs inside Pyodide: imports test modules from their source and runs their functions.

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
from tfpy._src.core.scalar_cache import clear_scalars

PYTEST = sys.path[-1]
sources: dict[str, str] = {}


class AssertionLoader(SourceFileLoader):
    """Imports a file with pytest's texts for its assertions."""

    def get_code(self, fullname: str) -> types.CodeType:
        source = self.get_data(self.path)
        tree = ast.parse(source, self.path)
        rewrite_asserts(tree, source, self.path)
        return compile(tree, self.path, "exec", dont_inherit=True)


def load_module(name: str, filename: str, source: str) -> types.ModuleType:
    """The test module of this source, imported from a file of the same path as on the host."""
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
    """What the test could leak, after everything unreachable is gone."""
    clear_scalars()
    gc.collect()
    found = tfpy.memory()
    return {
        "tensors": found["numTensors"],
        "data buffers": found["numDataBuffers"],
        "slots": found["backend"].get("slots", 0),
    }


def more_than(before: dict[str, int]) -> list[str]:
    """What there is more of now, in words."""
    after = memory()
    return [
        f"{after[name] - count} more {name} than before the test"
        for name, count in before.items()
        if after[name] > count
    ]


def trace(error: BaseException) -> str:
    """The traceback's text without this file's frames."""
    shown = traceback.TracebackException.from_exception(error)
    frames = [frame for frame in shown.stack if frame.filename != "remote.py"]
    shown.stack = traceback.StackSummary.from_list(frames)
    return "".join(shown.format())


def to_json(value: Any) -> Any:
    """NumPy values as lists and numbers, for json.dumps."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a test function returned a {type(value).__name__}, which JSON cannot carry")


async def call(request: dict[str, Any]) -> dict[str, Any]:
    """Runs one function; every object that it made is unreachable when this returns."""
    module = load_module(request["module"], request["filename"], request["source"])
    function = inspect.unwrap(getattr(module, request["function"]))
    arguments = pickle.loads(base64.b64decode(request["arguments"]))
    given = {"tf": tfpy, "backend": request["backend"] or tfpy.get_backend()}
    parameters = inspect.signature(function).parameters
    result = function(**arguments, **{n: v for n, v in given.items() if n in parameters})
    if inspect.isawaitable(result):
        result = await result
    return {"outcome": "passed", "result": json.loads(json.dumps(result, default=to_json))}


async def outcome(request: dict[str, Any]) -> dict[str, Any]:
    """What became of one function, as pytest would say it."""
    try:
        return await call(request)
    except pytest.skip.Exception as skip:
        return {"outcome": "skipped", "text": str(skip)}
    except BaseException as error:
        return {"outcome": "failed", "text": trace(error)}


async def run(text: str) -> str:
    """Takes a request and gives an answer, both as JSON."""
    request = json.loads(text)
    if request["backend"]:
        await tfpy.set_backend_async(request["backend"])
    before = memory()
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        answer = await outcome(request)
        answer["leaks"] = more_than(before)
        if answer["leaks"] and answer["outcome"] == "passed":
            # A module's compiled functions keep their constants; what leaks does so each time.
            before = memory()
            await outcome(request)
            answer["leaks"] = more_than(before)
    answer["output"] = output.getvalue()
    return json.dumps(answer)


def compiled_pytest() -> str:
    """The archive of pytest with the bytecode of what is imported of it, as base64."""
    header = MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8)  # its source is not looked at
    archive = io.BytesIO(Path(PYTEST).read_bytes())
    with zipfile.ZipFile(archive, "a", zipfile.ZIP_DEFLATED) as out:
        for name, module in list(sys.modules.items()):
            loader = getattr(module, "__loader__", None)
            if isinstance(loader, zipimporter) and loader.archive == PYTEST:
                file = loader.get_filename(name).removeprefix(f"{PYTEST}/")
                out.writestr(f"{file}c", header + marshal.dumps(loader.get_code(name)))
    return base64.b64encode(archive.getvalue()).decode()


gc.collect()
gc.freeze()  # what is here by now is in no test's garbage
