"""`tf.compat.v1.train.warm_start` initializes Variables from checkpoints as in TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as reference

import tfpy

LIBRARIES = pytest.mark.parametrize("lib", [tfpy, reference], ids=["tfpy", "tensorflow"])
OLD = np.float32([[0.5, 0.3], [1.0, 0.8], [1.5, 1.2], [2.0, 2.3]])


def halves(shape: Any, dtype: Any) -> list[int]:
    return [2, 1]


def written(folder: Path, name: str, words: list[str]) -> str:
    path = folder / name
    path.write_text("\n".join(words) + "\n")
    return str(path)


def saved(lib: Any, folder: Path, partitioner: Any = None) -> str:
    """Save a matrix and a vector of a model."""
    v1 = lib.compat.v1
    with lib.Graph().as_default(), v1.Session() as session:
        v1.get_variable("weights", shape=[4, 2], partitioner=partitioner,
                        initializer=v1.constant_initializer(OLD) if partitioner is None
                        else v1.ones_initializer())  # fmt: skip
        v1.get_variable("scope/bias", initializer=[1.0, 2.0])
        session.run(v1.global_variables_initializer())
        return str(v1.train.Saver().save(session, str(folder / "model")))


def started(
    lib: Any, make: Callable[[Any], Any], *args: Any, **kwargs: Any
) -> list[np.ndarray[Any, Any]]:
    """Return the initial values of Variables after a warm start."""
    v1 = lib.compat.v1
    with lib.Graph().as_default(), v1.Session() as session:
        made = make(v1)
        v1.train.warm_start(*args, **kwargs)
        session.run(v1.global_variables_initializer())
        return [session.run(lib.convert_to_tensor(v)) for v in made]


def both(make: Callable[[Any], Any], *args: Any, **kwargs: Any) -> list[np.ndarray[Any, Any]]:
    """Return the results of tfpy, which are the same as TensorFlow's."""
    mine, wanted = (
        started(lib, make, *args, **{k: v(lib) if callable(v) else v for k, v in kwargs.items()})
        for lib in (tfpy, reference)
    )
    for one, other in zip(mine, wanted, strict=True):
        np.testing.assert_allclose(one, other)
    return mine


def plain(v1: Any) -> list[Any]:
    return [
        v1.get_variable("weights", shape=[4, 2], initializer=v1.zeros_initializer()),
        v1.get_variable("scope/bias", initializer=[0.0, 0.0]),
    ]


def parts(v1: Any) -> list[Any]:
    initializer = v1.zeros_initializer()
    made = v1.get_variable("weights", [4, 2], initializer=initializer, partitioner=halves)
    return [made, v1.get_variable("scope/bias", initializer=[0.0, 0.0])]


@pytest.mark.parametrize("writer", [tfpy, reference], ids=["tfpy", "tensorflow"])
@pytest.mark.parametrize("make", [plain, parts], ids=["whole", "parts"])
def test_all_variables(writer: Any, make: Any, tmp_path: Path) -> None:
    path = saved(writer, tmp_path)
    weights, bias = both(make, path)
    np.testing.assert_array_equal(weights, OLD)
    assert bias.tolist() == [1.0, 2.0]
    assert both(make, str(tmp_path), vars_to_warm_start=["scope"])[0].sum() == 0
    assert both(make, path, vars_to_warm_start="weights")[1].sum() == 0
    assert both(make, path, vars_to_warm_start=None)[0].sum() == 0


def test_parts_in_the_checkpoint(tmp_path: Path) -> None:
    path = saved(tfpy, tmp_path, halves)
    assert both(plain, path)[0].tolist() == np.ones([4, 2]).tolist()


def renamed(v1: Any) -> list[Any]:
    return [v1.get_variable("other", shape=[4, 2], initializer=v1.zeros_initializer())]


def test_names(tmp_path: Path) -> None:
    path = saved(tfpy, tmp_path)
    [value] = both(renamed, path, var_name_to_prev_var_name={"other": "weights"})
    np.testing.assert_array_equal(value, OLD)


def rows(v1: Any) -> list[Any]:
    initializer = v1.zeros_initializer()
    return [v1.get_variable("weights", shape=[6, 2], initializer=initializer)]


def rows_in_parts(v1: Any) -> list[Any]:
    initializer = v1.zeros_initializer()
    return [v1.get_variable("weights", [6, 2], initializer=initializer, partitioner=halves)]


@pytest.mark.parametrize("size", [-1, 2])
@pytest.mark.parametrize("make", [rows, rows_in_parts])
def test_rows_of_words(make: Any, size: int, tmp_path: Path) -> None:
    path = saved(tfpy, tmp_path)
    old = written(tmp_path, "old", ["apple", "banana", "guava", "orange"])
    new = written(tmp_path, "new", ["orange", "guava", "kiwi", "banana", "apple"])

    def infos(lib: Any) -> dict[str, Any]:
        ones = lib.compat.v1.ones_initializer()
        return {"weights": lib.compat.v1.train.VocabInfo(new, 5, 1, old, size, ones)}

    [value] = both(make, path, var_name_to_vocab_info=infos)
    known = [1, 0] if size == 2 else [3, 2, 1, 0]
    expected = np.ones([6, 2], np.float32)
    expected[[3, 4] if size == 2 else [0, 1, 3, 4]] = OLD[known]
    np.testing.assert_array_equal(value, expected)


def columns(v1: Any) -> list[Any]:
    initializer = v1.zeros_initializer()
    return [v1.get_variable("weights", shape=[4, 4], initializer=initializer)]


def test_columns_of_words(tmp_path: Path) -> None:
    path = saved(tfpy, tmp_path)
    old = written(tmp_path, "old", ["apple", "orange"])
    new = written(tmp_path, "new", ["orange", "kiwi", "apple"])

    def infos(lib: Any) -> dict[str, Any]:
        return {"weights": lib.compat.v1.train.VocabInfo(new, 3, 1, old, axis=1)}

    [value] = both(columns, path, var_name_to_vocab_info=infos)
    np.testing.assert_array_equal(value[:, [0, 2]], OLD[:, ::-1])
    assert not value[:, [1, 3]].any()


@LIBRARIES
def test_refusals(lib: Any, tmp_path: Path) -> None:
    path = saved(lib, tmp_path)
    info = lib.compat.v1.train.VocabInfo("new", 3, 1, "old")
    assert info._asdict()["old_vocab_size"] == -1
    with pytest.raises(ValueError, match="only supported values for the axis"):
        lib.compat.v1.train.VocabInfo("new", 3, 1, "old", axis=2)
    with pytest.raises(ValueError, match="var_name_to_prev_var_name that were not used"):
        started(lib, plain, path, var_name_to_prev_var_name={"absent": "weights"})
    with pytest.raises(ValueError, match="var_name_to_vocab_info that were not used"):
        started(lib, plain, path, var_name_to_vocab_info={"absent": info})
    with pytest.raises(ValueError, match="must be all `Variable` or all `str`"):
        started(lib, plain, path, vars_to_warm_start=["weights", 1])
    with pytest.raises(ValueError, match="must be a `list` or `str`"):
        started(lib, plain, path, vars_to_warm_start=3)
    with pytest.raises(ValueError, match="not found"):
        started(lib, renamed, path)


def of_objects(v1: Any) -> list[Any]:
    return [v1.get_variable("w", initializer=[0.0, 0.0])]


@pytest.mark.parametrize("writer", [tfpy, reference], ids=["tfpy", "tensorflow"])
def test_checkpoints_of_objects(writer: Any, tmp_path: Path) -> None:
    v = writer.Variable([1.0, 2.0], name="w")
    path = writer.train.Checkpoint(v=v).write(str(tmp_path / "objects"))
    assert both(of_objects, path)[0].tolist() == [1.0, 2.0]
    for lib in (tfpy, reference):
        with pytest.raises(ValueError, match="did not contain values for all variables"):
            started(lib, renamed, path)
