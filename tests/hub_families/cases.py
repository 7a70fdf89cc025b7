"""The configurations of families, which KerasHub's own tests contain.

A test passes a class and the arguments of its constructor to methods such as `run_backbone_test`.
Here these methods record their arguments instead of running the test. A language model without such
a test is made from the backbone of its family.
"""

from __future__ import annotations

import contextlib
import importlib
import unittest
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import keras
import keras_hub
import numpy as np
from library_suite.hub import SOURCES

RECORDED = (
    *("run_backbone_test", "run_vision_backbone_test", "run_task_test"),
    "run_model_saving_test",
)
"""Methods of KerasHub's TestCase to which tests pass a configuration."""
TESTS = ("_basics", "test_saved_model")
"""Parts of the names of tests that pass a configuration."""
FILES = ("*backb*_test.py", "*_causal_lm_test.py", "*seq*lm_test.py", "*audio_to_text_test.py")
"""Files with these tests. The name of one of them is misspelled."""
GENERATING = ("CausalLM", "Seq2SeqLM", "AudioToText")
"""Ends of the names of classes that generate tokens."""
FROM_BACKBONES = ("parseq", "rwkv7", "sam3")
"""Families with tests of other models that need tensorflow_text, which TensorFlow lacks here."""
SEED = 1
TOKENS = 5
"""Number of different tokens in inputs. The smallest vocabulary of the tests has ten."""
COPIES = {"rwkv7": {"predict_token_ids": "token_ids", "input_padding_mask": "padding_mask"}}
"""Inputs of language models that are made from a backbone, and its inputs that they copy."""
PREPROCESSOR = SimpleNamespace(tokenizer=SimpleNamespace(pad_token_id=0))
"""The part of a preprocessor that constructors of language models read."""


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


def cases(folder: Path, family: str) -> list[Case]:
    """Return the first backbone of a family, and its first model that generates tokens."""
    found = list(_in_tests(folder / SOURCES / "models" / family, family))
    generating = [case for case in found if case.generates and case.inputs is not None]
    backbones = [case for case in found if case.kind.__name__.endswith("Backbone")]
    backbones += [_backbone(case) for case in found if "backbone" in case.arguments]
    if not generating and backbones:
        generating = _language_models(backbones[0])
    return [*backbones[:1], *generating[:1]]


def _in_tests(place: Path, family: str) -> Iterator[Case]:
    """Yield the configurations in the tests of a family."""
    for pattern in FILES:
        for file in sorted(place.glob(pattern)):
            if "backb" in file.stem or family not in FROM_BACKBONES:
                yield from _recorded(file, family)


def _backbone(case: Case) -> Case:
    """Return the backbone of another model."""
    backbone = case.arguments["backbone"]
    return Case(case.family, type(backbone), backbone.get_config(), case.inputs)


def _language_models(case: Case) -> list[Case]:
    """Return the language models of a family, which consist of a backbone and a sampler."""
    module = f"keras_hub.src.models.{case.family}."
    kinds = [
        kind
        for name, kind in vars(keras_hub.models).items()
        if name.endswith(GENERATING) and kind.__module__.startswith(module)
    ]
    if not kinds:
        return []
    arguments = {"backbone": case.kind(**case.arguments), "preprocessor": PREPROCESSOR}
    copies = COPIES.get(case.family, {})
    inputs = case.inputs | {name: case.inputs[source] for name, source in copies.items()}
    return [Case(case.family, kind, arguments, inputs) for kind in kinds]


def _recorded(file: Path, family: str) -> Iterator[Case]:
    """Yield the configurations of a file of tests."""
    module = importlib.import_module(f"keras_hub.src.models.{family}.{file.stem}")
    for kind in list(vars(module).values()):
        if not isinstance(kind, type) or kind.__module__ != module.__name__:
            continue
        tests = [name for name in dir(kind) if name.startswith("test_")]
        for name in [name for part in TESTS for name in tests if part in name]:
            yield from _of_test(kind, name, family)


def _of_test(kind: type[Any], name: str, family: str) -> Iterator[Case]:
    """Yield the configuration of a test."""
    found: list[dict[str, Any]] = []
    recording = {method: lambda self, **given: found.append(given) for method in RECORDED}
    test = type(kind.__name__, (kind,), recording)(name)
    keras.utils.set_random_seed(SEED)
    test.setUp()
    with contextlib.suppress(unittest.SkipTest):
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
