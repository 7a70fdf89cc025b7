"""The engine. What a user may import stands in the modules of ``tfpy`` itself."""

import os
import sys

from tfpy._src.loader import lazy_imports, packed_packages

if sys.platform == "emscripten":
    _folder = os.path.join(os.path.abspath(f"{__file__}/../../.."), "packed")
    packed_packages.install(_folder)
    lazy_imports.install()
    if os.path.exists(f"{_folder}/tfpy.bytecode"):  # the site's wheel
        __path__.insert(0, f"{_folder}/tfpy.zip/tfpy/_src")
        sys.modules["tfpy"].__path__.insert(0, f"{_folder}/tfpy.zip/tfpy")
