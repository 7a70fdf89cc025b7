"""Build the wheel of the source in the current directory: build_wheel.py CROSS_FILE OUT_DIR."""

import sys
from pathlib import Path

import mesonpy

cross_file, out = sys.argv[1:]
Path(out).mkdir()
mesonpy.build_wheel(
    out,
    {
        "setup-args": [
            f"--cross-file={cross_file}",
            "-Dallow-noblas=true",
            "-Dblas=none",
            "-Dlapack=none",
        ],
        "install-args": ["--tags=runtime,python-runtime,devel"],
        "build-dir": "build-wasm",
    },
)
