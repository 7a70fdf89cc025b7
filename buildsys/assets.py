"""The files of the wheel in src/tfpy/assets that are not Python.

runtime.js                   web/common/runtime.mjs and its imports, as the text of one
                             classic-script expression; its value is the API object
tfpy-run.mjs, tfpy-run.d.ts  web/player/run.mjs as one minified module, and its types: it runs
                             exported programs in pages without Python, with the XNNPACK modules
glsl/, wgsl/                 the kernel templates and their library
xnnpack-<variant>.wasm       the XNNPACK modules
xnnpack.json                 the digests of the modules, for pages that fetch them from elsewhere
THIRD_PARTY_NOTICES.txt      the licenses of the software that is compiled in
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
from pathlib import Path

from . import glue, model_json, notices, npm
from .cache import lock
from .console import BuildError, announce
from .paths import ASSETS, CACHE, ROOT

RUNTIME = ROOT / "web" / "common" / "runtime.mjs"
RUNNER = ROOT / "web" / "player" / "run.mjs"
RUNNER_TYPES = RUNNER.with_name("tfpy-run.d.ts")
SHADERS = ROOT / "shaders"
GLOBAL_NAME = "tfpyRuntime"


def ensure() -> None:
    """Make src/tfpy/assets contain exactly the assets of the present sources."""
    wanted = _wanted()
    with lock("assets"):
        present = {path for path in ASSETS.rglob("*") if path.is_file()}
        for path in present - wanted.keys():
            path.unlink()
        changed = [
            path
            for path, data in wanted.items()
            if path not in present or path.read_bytes() != data
        ]
        for path in changed:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, wanted[path])
    if changed:
        announce(f"wheel assets: {len(changed)} of {len(wanted)} files written")


def _wanted() -> dict[Path, bytes]:
    files = {
        ASSETS / "runtime.js": bundle(RUNTIME, "iife"),
        ASSETS / "tfpy-run.mjs": bundle(RUNNER, "esm", "--minify-identifiers"),
        ASSETS / "tfpy-run.d.ts": RUNNER_TYPES.read_bytes(),
    }
    files[ASSETS / notices.NAME] = notices.of_wheel().encode()
    for language in ("glsl", "wgsl"):
        for shader in SHADERS.rglob(f"*.{language}"):
            files[ASSETS / shader.relative_to(SHADERS)] = shader.read_bytes()
    modules = [glue.ensure(variant)[1] for variant in glue.VARIANTS]
    files |= {ASSETS / module.name: module.read_bytes() for module in modules}
    digests = {module.name: integrity(module.read_bytes()) for module in modules}
    files[ASSETS / "xnnpack.json"] = json.dumps(digests, indent=1).encode()
    return files


def integrity(data: bytes) -> str:
    """Return the digest of a file, in the format of the attribute ``integrity`` of pages."""
    return f"sha384-{base64.b64encode(hashlib.sha384(data).digest()).decode()}"


def bundle(entry: Path, form: str, *options: str) -> bytes:
    """Bundle a module and its imports into one file: 'esm' makes a module, 'iife' an expression."""
    argv = [
        str(npm.tool("esbuild")),
        str(entry),
        *options,
        "--bundle",
        f"--format={form}",
        "--target=es2022",
        f"--alias:xnnpack={_glue_script('relaxed')}",
        f"--alias:xnnpack-threads={_glue_script('relaxed-threads')}",
        f"--alias:model-json={model_json.ensure()}",
        "--loader:.wasm=binary",
    ]
    argv += ["--minify-whitespace", "--minify-syntax", "--legal-comments=none", "--charset=utf8"]
    if form == "iife":
        argv += [f"--global-name={GLOBAL_NAME}", "--banner:js=(()=>{"]
        argv += [f"--footer:js=return {GLOBAL_NAME}}})()"]
    # The bundle contains the names of modules relative to the working directory.
    done = subprocess.run(argv, capture_output=True, cwd=CACHE)
    if done.returncode:
        raise BuildError(f"esbuild could not bundle {entry}:\n{done.stderr.decode()}")
    return done.stdout


def _glue_script(variant: str) -> Path:
    """Return Emscripten's JavaScript of a variant: the same text for simd and relaxed."""
    return glue.ensure(variant)[0]


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file atomically: a reader sees either the old or the new contents."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    temporary.write_bytes(data)
    temporary.replace(path)
