"""The WebGL2 runtime by itself: variants that small op tests do not reach, refusals, context loss.

The page imports ``web/webgl.mjs`` without Pyodide; Programs are lowered here.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tfpy import ops
from tfpy.dtypes import as_dtype, float32
from tfpy.ir import expr as ex
from tfpy.ir.graph import Aval, single_equation
from tfpy.lower import webgl_kernels
from tfpy.lower.program import Program
from tfpy.lower.webgl import lower
from tfpy.ops.op import KernelCall, Op
from tfpy.testing import Environment, SiteServer
from tfpy.testing.drivers import ChromiumDriver
from tfpy.testing.environments import BROWSERS

Array = np.ndarray[Any, Any]
Evaluate = Callable[..., Any]

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def evaluate() -> Iterator[Evaluate]:
    """Calls a function of ``webgl_runtime.mjs`` in a page of Chromium."""
    executable = BROWSERS["chromium"].executable()
    assert executable is not None, "no Chromium on PATH"
    blank = {"/blank.html": lambda: b""}
    with (
        asyncio.Runner() as runner,
        SiteServer(ROOT / "web", mounts={"e2e": ROOT / "e2e"}, made=blank) as server,
    ):
        driver = runner.run(ChromiumDriver.start(executable, Environment()))
        page = runner.run(driver.open(f"{server.url}index.html"))

        def call(function: str, *args: Any) -> Any:
            module = f"import({json.dumps(server.url + 'e2e/webgl_runtime.mjs')})"
            return runner.run(page.evaluate(f"{module}.then(m => m.{function}(...{json.dumps(args)}))"))

        yield call
        runner.run(driver.close())
