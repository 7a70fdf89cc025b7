"""The HTTP server for the site: that of tfpy.testing.

It is loaded by its path, since importing the package needs NumPy, and build.py runs without.
"""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

from .paths import ROOT

if TYPE_CHECKING:
    from tfpy.testing.server import SiteServer
else:
    _spec = importlib.util.spec_from_file_location(
        "tfpy_testing_server", ROOT / "src" / "tfpy" / "testing" / "server.py"
    )
    _module = importlib.util.module_from_spec(_spec)
    _spec.loader.exec_module(_module)
    SiteServer = _module.SiteServer

__all__ = ["SiteServer"]
