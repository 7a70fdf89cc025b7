"""The functions that programs pass to other functions are converted where TensorFlow does so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import tensorflow as tf
from api.same import compare

import tfpy

BOTH = (tfpy, tf)


def _signed(x: Any, *others: Any) -> Any:
    if x > 0:
        return x * 2.0
    else:
        return x * 3.0


def _added(total: Any, x: Any) -> Any:
    if x > 0:
        total += x
    else:
        total -= x
    return total


def _mapped(lib: Any, x: Any) -> Any:
    return lib.map_fn(_signed, x)


def _mapped_pairs(lib: Any, x: Any) -> Any:
    return lib.map_fn(lambda row: (_signed(row[0]), row[1]), (x, x))


def _run_by_strategy(lib: Any, x: Any) -> Any:
    return lib.distribute.get_strategy().run(_signed, (x[0],))


def _scanned(lib: Any, x: Any) -> Any:
    return lib.scan(_added, x)


def _folded(lib: Any, x: Any) -> Any:
    return lib.foldl(_added, x)


def _repeated(lib: Any, x: Any) -> Any:
    return lib.while_loop(lambda y: y < 100.0, _signed, [x[0]])


def _branched(lib: Any, x: Any) -> Any:
    return lib.cond(x[0] > 1.0, lambda: x[0], lambda: _signed(x[0]))


def _of_dataset(lib: Any, x: Any) -> Any:
    total = x[0]
    for y in lib.data.Dataset.from_tensor_slices([1.0, -2.0]).map(_signed):
        total += y
    return total


PROGRAMS = [_mapped, _mapped_pairs, _run_by_strategy, _scanned, _folded, _repeated, _branched]
PROGRAMS += [_of_dataset]


def _result(lib: Any, program: Callable[..., Any], autograph: bool) -> Any:
    compiled = lib.function(program, autograph=autograph)
    try:
        return compiled(lib, lib.constant([1.0, -2.0, 3.0]))
    except lib.errors.OperatorNotAllowedInGraphError as error:
        return type(error).__name__


@pytest.mark.filterwarnings("ignore:.*runs op by op:UserWarning")  # loops over datasets
@pytest.mark.parametrize("autograph", [True, False])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_functions(program: Callable[..., Any], autograph: bool) -> None:
    mine, wanted = (_result(lib, program, autograph) for lib in BOTH)
    compare(mine, wanted, 1e-6, program.__name__)


def _excluded(lib: Any) -> str:
    @lib.autograph.experimental.do_not_convert
    def mapped(x: Any) -> Any:
        return lib.map_fn(_signed, x)

    try:
        lib.function(mapped)(lib.constant([1.0]))
    except lib.errors.OperatorNotAllowedInGraphError as error:
        return type(error).__name__
    return "converted"


def test_functions_within_functions_that_are_not_converted() -> None:
    assert _excluded(tfpy) == _excluded(tf) == "OperatorNotAllowedInGraphError"
