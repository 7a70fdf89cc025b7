"""A pytest plugin that runs tests of tfpy code in real browsers.

A decorated test runs inside Pyodide in a headless browser, once per backend. Its arguments `tf` and
`backend` are provided in the browser. All other arguments come from pytest and are pickled::

    from tfpy.testing import run_in_browser

    @run_in_browser(backends=("wasm", "webgl"))
    async def test_add(tf, backend):
        x = tf.constant([1.0, 2.0]) + 1.0
        assert (await x.data()).tolist() == [2.0, 3.0]

The plugin requires the packages of the wheel's extra `testing`. It also requires a folder with the
page loader, Pyodide and the wheel (`--tfpy-site`), which `python build.py wheel` creates.
"""

from __future__ import annotations

from tfpy.testing.environments import BACKENDS, ENVIRONMENTS, Environment
from tfpy.testing.mark import run_in_browser
from tfpy.testing.server import SiteServer

__all__ = ["BACKENDS", "ENVIRONMENTS", "Environment", "SiteServer", "run_in_browser"]
