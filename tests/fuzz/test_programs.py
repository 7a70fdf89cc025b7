"""Random programs of fixed seeds compared with TensorFlow, and tests of the fuzzer's parts."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from wasm.conftest import require_assets

import tfpy

from . import campaign
from .cases import CASES
from .generate import Generator
from .left_open import left_open
from .minimize import minimized
from .oracle import Oracle, differs
from .programs import Call, Given, Program, Ref

FIRST = 1_000_000
PROGRAMS = {"cpu": 30, "wasm": 50, "wasm-code": 20}


@pytest.mark.parametrize("backend", PROGRAMS)
def test_random_programs(backend: str, capsys: pytest.CaptureFixture[str]) -> None:
    if backend != "cpu":
        require_assets("relaxed")
        require_assets("simd")
    report = campaign.run(backend, FIRST, PROGRAMS[backend])
    assert (report.cases, report.programs) == (len(CASES), PROGRAMS[backend])
    assert not report.findings, f"{capsys.readouterr().out}\n{report}"


@pytest.fixture(scope="module")
def generator() -> Generator:
    return Generator(tf)


def test_a_seed_is_a_program(generator: Generator) -> None:
    texts = [str(generator.program(seed)) for seed in (1, 2, 1)]
    assert texts[0] == texts[2] != texts[1]


def test_a_new_function_changes_no_other_program(generator: Generator) -> None:
    fewer = Generator(tf, lambda name: name != "reduce_sum")
    program = str(generator.program(6))
    assert "reduce_sum" not in program
    assert str(fewer.program(6)) == program


@pytest.mark.parametrize("seed", range(1, 6))
def test_programs_are_python(generator: Generator, seed: int) -> None:
    """Check that the printed text is a complete program and prints the same with both libraries."""
    text = str(generator.program(seed))
    shown = []
    for lib in (tfpy, tf):
        code = text.replace("import tfpy as tf", f"import {lib.__name__} as tf")
        out = io.StringIO()
        with contextlib.redirect_stdout(out), np.errstate(all="ignore"):
            exec(code, {})
        shown.append(out.getvalue().count("\n"))
    assert shown[0] == shown[1]


@pytest.mark.parametrize(
    ("name", "text", "operands", "same_text", "others"),
    [
        ("guarded math.erfinv", "guarded(f, x0)", [np.float32([1.0000001])], None, [np.ones(1)]),
        (
            "assigned compat.v1.losses.log_loss",
            "assigned(f, x0, x1)",
            [np.ones(1), np.float32([0.9999])],
            "tf.compat.v1.losses.log_loss(x0, x1)",
            [np.ones(1), np.float32([0.9])],
        ),
        ("assigned sparse.softmax", "assigned(f, x0)", [np.zeros((3, 0))], None, [np.ones(2)]),
        (
            "sparse.cross_hashed",
            "tf.sparse.cross_hashed([$0], 0)",
            [np.ones((1, 1))],
            "tf.sparse.cross_hashed([$0], 10)",
            None,
        ),
        (
            "nn.max_pool2d",
            "tf.nn.max_pool2d($0.numpy(), 2, 2, 'SAME')",
            [np.uint8([[[[1]]]])],
            "tf.nn.max_pool2d($0, 2, 2, 'SAME')",
            [np.float32([[[[1]]]])],
        ),
        (
            "linalg.eigh_tridiagonal",
            "tf.linalg.eigh_tridiagonal($0, $1)",
            [np.ones((3, 3)), np.ones(2)],
            None,
            [np.ones(3), np.ones(2)],
        ),
        (
            "vectorized nn.avg_pool3d",
            "vectorized(lambda x0: tf.nn.avg_pool3d(x0, 3, 9, 'SAME'), $0)",
            [np.ones((2, 1, 6, 6, 6, 1))],
            "vectorized(lambda x0: tf.nn.avg_pool3d(x0, 9, 9, 'SAME'), $0)",
            [np.ones((2, 1, 3, 3, 3, 1))],
        ),
        (
            "vectorized nn.conv3d",
            "vectorized(lambda x0, x1: tf.nn.conv3d(x0, x1, [1, 4, 4, 4, 1], 'SAME'), $0, $1)",
            [np.ones((2, 1, 3, 3, 8, 1)), np.ones((2, 2, 2, 1, 1))],
            None,
            [np.ones((2, 1, 6, 6, 6, 1)), np.ones((2, 2, 2, 1, 1))],
        ),
        ("reverse", "tf.reverse($0, [2])", [np.ones((0, 3))], None, [np.ones((1, 3))]),
        ("reverse", "tf.reverse($0, [1, -1])", [np.ones((0, 3))], "tf.reverse($0, [1, 0])", None),
        ("assigned linalg.qr", "assigned(f, x0)", [np.ones((2, 3))], None, [np.eye(2, 3)]),
        (
            "assigned signal.inverse_stft",
            "assigned(lambda x0: tf.signal.inverse_stft(x0, 8, 4), $0)",
            [np.ones((2, 6))],
            None,
            [np.ones((2, 5))],
        ),
        (
            "opened boolean_mask",
            "opened(lambda x0: tf.boolean_mask(x0, tf.constant([True, False])), $0)",
            [np.ones((3, 2))],
            "mapped(lambda x0: tf.boolean_mask(x0, tf.constant([True, False])), $0)",
            [np.ones((2, 2))],
        ),
        (
            "opened ragged.stack_dynamic_partitions",
            "opened(lambda x0: tf.ragged.stack_dynamic_partitions(x0, tf.constant([0, 1]), 2), $0)",
            [np.ones(9)],
            None,
            [np.ones(2)],
        ),
        (
            "opened nn.atrous_conv2d",
            "opened(lambda x0, x1: tf.nn.atrous_conv2d(x0, x1, 2, 'SAME'), $0, $1)",
            [np.ones((1, 2, 2, 1))] * 2,
            "opened(lambda x0, x1: tf.nn.atrous_conv2d(x0, x1, 2, 'VALID'), $0, $1)",
            None,
        ),
        (
            "guarded divide",
            "guarded(lambda x0: x0 / 0, $0)",
            [np.ones(2, np.complex64)],
            "guarded(lambda x0: x0 / 2, $0)",
            [np.ones(2, np.float32)],
        ),
        (
            "argmin",
            "tf.argmin($0.numpy().tolist(), 1)",
            [np.uint32([[2**32 - 1, 1]])],
            "tf.argmin($0, 1)",
            [np.uint32([[2**31 - 1, 1]])],
        ),
    ],
)
def test_calls_are_left_open(
    name: str, text: str, operands: Any, same_text: str | None, others: Any
) -> None:
    """Check that the rule excludes the call, but no other calls of the function."""
    assert left_open(name, text, operands)
    if same_text is not None:
        assert not left_open(name, same_text, operands)
    if others is not None:
        assert not left_open(name, text, others)


def program_of(*calls: str) -> Program:
    """Return a program of calls. Each call reads the previous one."""
    given = Given(np.arange(6, dtype=np.float32).reshape(2, 3) - 2)
    made = (Call("case", text, (Ref(i),)) for i, text in enumerate(calls))
    return Program((given, *made))


CHAIN = program_of("tf.exp($0)", "tf.nn.relu($0)", "tf.reduce_sum($0, 1)")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda x: np.maximum(x, 0) + 1e-3, "values: 6 of 6"),
        (lambda x: np.maximum(x, 0).astype(np.int32), "dtype: int32 for float32"),
        (lambda x: np.maximum(x, 0)[:1], "shape: (1, 3) for (2, 3)"),
        (lambda x: 1 / 0, "refuses what TensorFlow computes: ZeroDivisionError"),
    ],
)
def test_differences_are_found(wrong: Any, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    oracle = Oracle(tf, tfpy)
    assert oracle.check(CHAIN) is None
    monkeypatch.setattr(tfpy.nn, "relu", lambda x: tfpy.constant(wrong(x.numpy())))
    found = oracle.check(CHAIN)
    assert found is not None
    assert found.difference.startswith(said)
    small = minimized(found.program, lambda p: oracle.check(p) is not None)
    alone = found.alone()
    assert alone is not None
    assert len(small.statements) == 3, "relu reads what exp has made"
    assert len(minimized(alone, lambda p: oracle.check(p) is not None).statements) == 2


def test_refusals_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    oracle, wrong = Oracle(tf, tfpy), program_of("tf.reshape($0, [4, 2])")
    assert oracle.check(wrong) is None, "both refuse"
    monkeypatch.setattr(tfpy, "reshape", lambda x, shape: x)
    found = oracle.check(wrong)
    assert found is not None
    assert found.difference.startswith("computes what TensorFlow refuses: InvalidArgumentError")


def test_truncated_integers_are_as_far_off_as_floats() -> None:
    """Check the bound of integers that are truncated from large numbers.

    Differences between numbers larger than the result have the rounding of these numbers.
    """
    call = Call("image.adjust_contrast", "tf.image.adjust_contrast($0, 1.5)", (Ref(0),))
    images, wanted = np.int32([[[2_000_000_000]]]), np.int32([[[-124_655_488]]])
    assert not differs(call, [images], wanted - 128, wanted, None)
    assert differs(call, [images], wanted - 10_000, wanted, None)
    assert differs(call, [images // 1000], wanted - 500, wanted, None)


def test_the_truth_of_lists_has_64_bits() -> None:
    """Check that erfinv of a small number in a list is accepted.

    TensorFlow's erfinv loses digits of small numbers, including Python floats.
    """
    call = Call("math.erfinv", "tf.math.erfinv($0.numpy().tolist())", (Ref(0),))
    small = Program((Given(np.float32([-0.0004940181970596313])), call))
    assert Oracle(tf, tfpy).check(small) is None
