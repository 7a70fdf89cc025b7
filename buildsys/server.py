"""The HTTP server for the site, which is the server of tfpy.testing.

The module is loaded by its path: importing the package needs NumPy, which build.py does not have.
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
