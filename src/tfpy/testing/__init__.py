"""Tests of tfpy code in real browsers: a pytest plugin.

A decorated test runs inside Pyodide in a headless browser, once per backend; its arguments ``tf``
and ``backend`` are given there, any other comes from pytest and crosses by pickle::

    from tfpy.testing import run_in_browser

    @run_in_browser(backends=("wasm", "webgl"))
    async def test_add(tf, backend):
        x = tf.constant([1.0, 2.0]) + 1.0
        assert (await x.data()).tolist() == [2.0, 3.0]

The plugin needs the packages of the wheel's extra ``testing`` and a folder with the page loader,
Pyodide and the wheel (``--tfpy-site``), as ``python build.py wheel`` makes it.
"""

from __future__ import annotations

from tfpy.testing.environments import BACKENDS, ENVIRONMENTS, Environment
from tfpy.testing.mark import run_in_browser
from tfpy.testing.server import SiteServer

__all__ = ["BACKENDS", "ENVIRONMENTS", "Environment", "SiteServer", "run_in_browser"]
