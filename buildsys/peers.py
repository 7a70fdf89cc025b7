"""TensorFlow.js in the folder peers/ of the site, for the benchmark's page.

npm checks the packages against package-lock.json. The page names the digests of the scripts, so
that a browser runs only these.
"""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

from . import npm
from .console import BuildError
from .paths import ROOT

FOLDER = "peers"
PAGE = ROOT / "bench" / "page" / "index.html"
FILES = (
    "tfjs/dist/tf.es2017.min.js",
    "tfjs-backend-wasm/dist/tf-backend-wasm.es2017.min.js",
    "tfjs-backend-wasm/dist/tfjs-backend-wasm.wasm",
    "tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm",
    "tfjs-backend-wasm/dist/tfjs-backend-wasm-threaded-simd.wasm",
    "tfjs-backend-webgpu/dist/tf-backend-webgpu.es2017.min.js",
)
SCRIPT = re.compile(r'src="\.\./\.\./peers/([^"]+)"\s+integrity="([^"]+)"')


def ensure() -> dict[str, Path]:
    """Return the files by their names in the site.

    Raises:
        BuildError: If the benchmark's page names another digest of a script.
    """
    folder = npm.ensure() / "@tensorflow"
    files = {Path(name).name: folder / name for name in FILES}
    for name, digest in digests().items():
        found = digest_of(files[name])
        if found != digest:
            raise BuildError(f'The digest of {name} differs from {PAGE}. Write "{found}" there.')
    return {f"{FOLDER}/{name}": file for name, file in files.items()}


def digests() -> dict[str, str]:
    """Return the digests in the page, by the names of the scripts."""
    return dict(SCRIPT.findall(PAGE.read_text("utf-8")))


def digest_of(file: Path) -> str:
    """Return the digest of a file in the form of the attribute `integrity`."""
    found = base64.b64encode(hashlib.sha384(file.read_bytes()).digest())
    return f"sha384-{found.decode()}"
