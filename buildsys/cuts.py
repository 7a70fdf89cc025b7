"""The parts of the site's wheels that are left out, and the parts that pages download late."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

RECIPE = Path(__file__)  # an input of every build that uses this module


@dataclass(frozen=True)
class Cut:
    """The changes to a wheel: files that are left out, by patterns, and requirements, by names."""

    files: tuple[str, ...] = ()
    requirements: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    """Packages that are imported but not required."""
    late: tuple[str, ...] = ()
    """Files that pages download on first import."""


NUMPY_LATE = (
    "char", "core", "ctypeslib", "doc", "fft", "ma", "polynomial", "random", "rec", "strings",
    "testing", "typing",
)  # fmt: skip
CUTS = {
    "absl_py": Cut(files=("absl/testing/*", "*.pyi")),
    "jinja2": Cut(),
    "keras": Cut(
        files=(
            "*_test.py",
            "keras/src/testing/*",
            "keras/src/backend/tests/*",
            # Backends for packages that Pyodide does not have. The NumPy backend needs JAX.
            "keras/src/backend/jax/*",
            "keras/src/backend/numpy/*",
            "keras/src/backend/openvino/*",
            "keras/src/backend/torch/*",
        ),
        requirements=("namex",),  # a tool for Keras's own build
    ),
    "keras_hub": Cut(
        files=("*_test.py", "keras_hub/src/tests/*"),
        # Pages cannot download presets from Kaggle. tfpy does without TensorFlow Text.
        requirements=("kagglehub", "kagglesdk", "tensorflow-text"),
        needs=("jinja2", "safetensors"),
    ),
    "numpy": Cut(
        files=(
            # Files for compilers and type checkers only.
            *("numpy/f2py/*", "numpy/_core/include/*", "numpy/_core/lib/*", "numpy/py.typed"),
            *(f"numpy/*.{kind}" for kind in ("a", "c", "h", "pxd", "pyi", "pyx")),
        ),
        late=(
            *(f"numpy/{name}/*" for name in NUMPY_LATE),
            *("numpy/_pyinstaller/*", "numpy/_core/defchararray.*", "numpy/_core/strings.*"),
            *("numpy/_utils/_pep440.*", "numpy/_configtool.*", "numpy/conftest.*"),
            *("numpy/lib/recfunctions.*", "numpy/lib/_user_array_impl.*"),
            "numpy/linalg/lapack_lite.*",
            "numpy/matlib.*",
        ),
    ),
    "packaging": Cut(),
    # Keras prints no Markdown and no highlighted source code.
    "rich": Cut(requirements=("markdown-it-py", "pygments")),
}
