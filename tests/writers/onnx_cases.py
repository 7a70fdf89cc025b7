"""Compare written files in ONNX Runtime and tfpy: ``python -m writers.onnx_cases FOLDER``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from writers.programs import PROGRAMS, results
from writers.samples import RANDOM, ignored

import tfpy as tf
from tfpy._src.compiler.ops import OPS
from tfpy._src.formats.onnx.writer import TABLE


def run(file: Path, arrays: Sequence[Any]) -> dict[str, Any]:
    """Return the outputs by name of a file that passes onnx's checker."""
    onnx.checker.check_model(onnx.load(file), full_check=True)
    session = onnxruntime.InferenceSession(file)
    given = {i.name: np.asarray(x) for i, x in zip(session.get_inputs(), arrays, strict=True)}
    return dict(zip([o.name for o in session.get_outputs()], session.run(None, given), strict=True))


def programs(file: Path) -> int:
    for name, program in PROGRAMS.items():
        tf.save_onnx(program.function, file, program.specs)
        found = run(file, program.inputs)
        for key, wanted in results(program).items():
            np.testing.assert_allclose(found[key], wanted, 1e-4, 1e-5, err_msg=name)
    return len(PROGRAMS)


def primitives(file: Path) -> int:
    count = 0
    for name in TABLE.records:
        op = OPS[name]
        if op.samples is None or name in RANDOM:
            continue
        samples = [
            s
            for s in op.samples(np.random.default_rng(5))
            if not ignored(name, *s) and all(a.dtype.kind != "c" for a in s[0])
        ]
        for arrays, attrs in samples[:6]:
            specs = [tf.TensorSpec(a.shape, a.dtype.name) for a in arrays]
            tf.save_onnx(lambda *xs, op=op, attrs=attrs: op(*xs, **attrs), file, specs)
            wanted = np.asarray(op.ref(*arrays, **attrs))
            (found,) = run(file, arrays).values()
            assert found.shape == wanted.shape, (name, attrs)
            np.testing.assert_allclose(found, wanted, 2e-4, 2e-4, err_msg=f"{name} {attrs}")
            count += 1
    return count


def keras(folder: Path) -> int:
    if not (folder / "x.npy").exists():
        return 0
    (found,) = run(folder / "model.onnx", [np.load(folder / "x.npy")]).values()
    np.testing.assert_allclose(found, np.load(folder / "y.npy"), 1e-4, 1e-5)
    return 1


if __name__ == "__main__":
    onnxruntime.set_default_logger_severity(4)
    where = Path(sys.argv[1])
    print(keras(where), programs(where / "case.onnx"), primitives(where / "case.onnx"))
