"""Copy the files of the benchmark pages to one folder, to carry it to another machine.

    python build.py wheel && python bench/pack.py build/site FOLDER

ONNX Runtime Web and its models are not copied, because the other machine is for GPUs. Serve the
folder with headers for cross-origin isolation, and open
``bench/page/index.html?backend=webgpu&post=1`` there. See bench/README.md.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SITE_FILES = ("*.mjs", "peers/*", "pyodide/*", "pyodide/late/*", "run/*")
ROOT_FILES = (
    "bench/page/*",
    "bench/attention.py",
    "bench/fit_steps.py",
    "bench/fits.py",
    "bench/language_side.py",
    "bench/loads.py",
    "bench/models.py",
    "bench/profiles.py",
    "bench/quantized.py",
    "bench/tasks.py",
    "bench/throughput.py",
    "bench/works.py",
    "bench/networks/*.py",
    "node_modules/@tensorflow/tfjs/dist/tf.es2017.min.js",
    "node_modules/@tensorflow/tfjs-backend-wasm/dist/tf-backend-wasm.es2017.min.js",
    "node_modules/@tensorflow/tfjs-backend-wasm/dist/*.wasm",
    "node_modules/@tensorflow/tfjs-backend-webgpu/dist/tf-backend-webgpu.es2017.min.js",
)


def pack(site: Path, folder: Path) -> int:
    """Fill ``folder``, which must not exist yet, and return the number of bytes copied.

    Raises:
        FileNotFoundError: If a file is missing.
    """
    folder.mkdir(parents=True)
    total = 0
    for top, patterns in ((site, SITE_FILES), (ROOT, ROOT_FILES)):
        for pattern in patterns:
            found = sorted(path for path in top.glob(pattern) if path.is_file())
            if not found:
                raise FileNotFoundError(f"{top / pattern} is missing. Run build.py wheel first.")
            for source in found:
                target = folder / source.relative_to(top)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)
                total += target.stat().st_size
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("site", type=Path, help="folder of the site")
    parser.add_argument("folder", type=Path, help="folder to create")
    options = parser.parse_args()
    total = pack(options.site, options.folder)
    print(f"{options.folder}: {total / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
