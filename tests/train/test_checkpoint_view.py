"""`tf.train.CheckpointView` compares checkpoints with programs as in TensorFlow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow as reference

import tfpy

LIBRARIES = pytest.mark.parametrize("writer", [tfpy, reference], ids=["tfpy", "tensorflow"])


def module(lib: Any, *, leaf: str = "leaf") -> Any:
    """Return a module with a leaf under a name."""

    class Simple(lib.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.a = lib.Variable(5.0)
            self.b = lib.Variable(4.0)
            self.vars = [lib.Variable(1.0), lib.Variable(2.0)]

    root, inner = Simple(), Simple()
    inner.extra = lib.Variable(6.0)
    setattr(root, leaf, inner)
    return root


def saved(lib: Any, folder: Path) -> str:
    return str(lib.train.Checkpoint(module(lib)).save(str(folder / "model")))


def paths(view: Any) -> dict[str, int]:
    """Return the numbers of all objects, by path."""
    found = {"": 0}
    for path, number in (order := [("", 0)]):
        for name, child in sorted(view.children(number).items()):
            if child not in found.values():
                found[f"{path}.{name}"] = child
                order.append((f"{path}.{name}", child))
    return found


def compared(lib: Any, path: str, leaf: str) -> Any:
    view = lib.train.CheckpointView(path)
    names = {number: name for name, number in paths(view).items()}
    root = module(lib, leaf=leaf)
    matched, only_saved, only_here = view.diff(root)
    assert view.match(root) == matched
    values = {names[n]: getattr(x, "numpy", int)() for n, x in matched.items() if n > 0
              and lib.is_tensor(x)}  # fmt: skip
    lefts = [float(x) for x in only_here if lib.is_tensor(x)]
    return sorted(names[n] for n in matched), values, sorted(names[n] for n in only_saved), lefts


@LIBRARIES
@pytest.mark.parametrize("leaf", ["leaf", "other"])
def test_differences(writer: Any, leaf: str, tmp_path: Path) -> None:
    path = saved(writer, tmp_path)
    mine = compared(tfpy, path, leaf)
    assert mine == compared(reference, path, leaf)
    assert (".leaf" in mine[2]) == (leaf == "other")


@LIBRARIES
def test_objects(writer: Any, tmp_path: Path) -> None:
    path = saved(writer, tmp_path)
    mine, wanted = (lib.train.CheckpointView(path) for lib in (tfpy, reference))
    assert mine.descendants() == wanted.descendants()
    assert [mine.children(n) for n in mine.descendants()] == [
        wanted.children(n) for n in wanted.descendants()
    ]


@pytest.mark.parametrize("lib", [tfpy, reference], ids=["tfpy", "tensorflow"])
def test_refusals(lib: Any, tmp_path: Path) -> None:
    view = lib.train.CheckpointView(saved(lib, tmp_path))
    with pytest.raises(ValueError, match="Expected a Trackable"):
        view.match(object())
    with pytest.raises(lib.errors.NotFoundError):
        lib.train.CheckpointView(str(tmp_path / "absent"))
    with lib.Graph().as_default(), lib.compat.v1.Session() as session:
        v = lib.compat.v1.get_variable("v", initializer=1.0)
        session.run(v.initializer)
        path = lib.compat.v1.train.Saver().save(session, str(tmp_path / "named"))
    with pytest.raises(ValueError, match="does not appear to be object-based"):
        lib.train.CheckpointView(path)
