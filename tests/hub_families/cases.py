"""The configurations of families, which KerasHub's own tests contain.

A test passes a class and the arguments of its constructor to methods such as `run_backbone_test`.
Here these methods record their arguments instead of running the test.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import keras
import numpy as np
from library_suite.hub import SOURCES

RECORDED = ("run_backbone_test", "run_vision_backbone_test", "run_task_test")
"""Methods of KerasHub's TestCase to which tests pass a configuration."""
GENERATING = ("CausalLM", "Seq2SeqLM")
"""Ends of the names of classes that generate tokens."""
SEED = 1
TOKENS = 5
"""Number of different tokens in inputs. The smallest vocabulary of the tests has ten."""


@dataclass
class Case:
    """A model of a family."""

    family: str
    """Folder of its modules."""
    kind: Any
    """Class of the model."""
    arguments: dict[str, Any]
    """Arguments of its constructor."""
    inputs: Any
    """Inputs, as arrays."""

    @property
    def generates(self) -> bool:
        """Return True if the model generates tokens."""
        return self.kind.__name__.endswith(GENERATING)


def families(folder: Path) -> list[str]:
    """Return the names of the families with tests of a backbone or of a language model."""
    models = folder / SOURCES / "models"
    return sorted({file.parent.name for file in models.glob("*/*_test.py")})


def cases(folder: Path, family: str) -> list[Case]:
    """Return the first backbone of a family, and its first model that generates tokens."""
    place = folder / SOURCES / "models" / family
    files = [*sorted(place.glob("*backbone_test.py")), *sorted(place.glob("*_lm_test.py"))]
    found = [case for file in files for case in _recorded(file, family)]
    backbones = [case for case in found if case.kind.__name__.endswith("Backbone")]
    generating = [case for case in found if case.generates]
    if generating and not backbones:
        backbones = [_backbone(generating[0])]
    return [*backbones[:1], *generating[:1]]


def _backbone(case: Case) -> Case:
    """Return the backbone of a language model."""
    backbone = case.arguments["backbone"]
    return Case(case.family, type(backbone), backbone.get_config(), case.inputs)


def _recorded(file: Path, family: str) -> Iterator[Case]:
    """Yield the configurations of a file of tests."""
    module = importlib.import_module(f"keras_hub.src.models.{family}.{file.stem}")
    for kind in list(vars(module).values()):
        if not isinstance(kind, type) or kind.__module__ != module.__name__:
            continue
        for name in [n for n in dir(kind) if n.startswith("test_") and "_basics" in n]:
            yield from _of_test(kind, name, family)


def _of_test(kind: type[Any], name: str, family: str) -> Iterator[Case]:
    """Yield the configuration of a test."""
    found: list[dict[str, Any]] = []
    recording = {method: lambda self, **given: found.append(given) for method in RECORDED}
    test = type(kind.__name__, (kind,), recording)(name)
    keras.utils.set_random_seed(SEED)
    test.setUp()
    getattr(test, name)()
    for given in found:
        inputs = given.get("input_data", getattr(test, "input_data", None))
        yield Case(family, given["cls"], given["init_kwargs"], _with_tokens(inputs))


def _with_tokens(inputs: Any) -> Any:
    """Replace the tokens of inputs, which are often all the same, by different ones."""
    if not isinstance(inputs, dict):
        return inputs
    changed = {name: value for name, value in inputs.items() if name.endswith("token_ids")}
    return inputs | {
        name: (1 + np.arange(np.size(value)) % TOKENS).reshape(np.shape(value)).astype("int32")
        for name, value in changed.items()
    }
