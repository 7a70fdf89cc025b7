"""Construction of KerasHub's models from configurations and weights of Hugging Face.

KerasHub has a converter for each architecture. It maps the configuration to the arguments of the
model, and the names of the weights to the variables of the layers.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import itertools
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tfpy._src.base.missing_packages import remedy
from tfpy._src.formats.pretrained import phi3
from tfpy._src.formats.pretrained.blank_variables import without_values
from tfpy._src.formats.pretrained.block_weights import (
    BlockFile,
    BlockWeights,
    Move,
    placed,
    supports_blocks,
)
from tfpy._src.formats.pretrained.origins import remember
from tfpy._src.formats.pretrained.pre_tokenizers import set_pre_tokenizer
from tfpy._src.formats.pretrained.source import (
    ACCENTS,
    POOLING,
    SENTENCE_PIECES,
    Pretrained,
    TokenizerFacts,
    Unconverted,
)
from tfpy._src.formats.pretrained.word_pieces import set_word_pieces
from tfpy._src.formats.weight_file import WeightFile
from tfpy._src.keras_support.keras import namespace
from tfpy._src.library.io.checked_json import ModelFileError

PACKAGE = "keras_hub"
TASKS = {
    "ForCausalLM": "CausalLM",
    "LMHeadModel": "CausalLM",
    "Model": "Backbone",
}
"""Classes of KerasHub by the ends of the names of architectures of Hugging Face."""
LAYERS = ("num_hidden_layers", "n_layer", "num_layers", "encoder_layers", "decoder_layers")
"""Keys of configurations for numbers of layers."""
SLACK = 1 << 20
"""Number of weights that a model may have in addition to twice the weights in its file."""
KERNEL = "kernel"
"""Name of variables by which layers multiply."""
EPSILON = "layer_norm_epsilon"
_OF_CONVERTERS = (ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError)
"""Errors that KerasHub's converters raise for configurations and files that they do not expect."""


def build(source: Pretrained, trainable: bool, progress: Callable[[float], None] | None) -> Any:
    """Build a model and load its weights.

    Args:
        source: The model.
        trainable: True if all weights become float32.
        progress: Function that receives the fraction of the weights that is loaded, or None.

    Raises:
        ModelFileError: If KerasHub does not have the architecture, or if weights are missing or
            have another shape.
        ModuleNotFoundError: If Keras or KerasHub is not installed.
    """
    namespace("keras")  # raises an error with instructions if Keras is missing
    if importlib.util.find_spec(PACKAGE) is None:
        raise ModuleNotFoundError(
            "Language models are loaded with the package keras-hub, which is not installed. "
            f"{remedy('keras-hub')}",
            name=PACKAGE,
        )
    try:
        return _built(source, trainable, progress)
    except ModelFileError:
        raise
    except _OF_CONVERTERS as error:
        kind = str(source.config.get("model_type"))[:80]
        text = f"KerasHub cannot load this model of the type {kind!r}"
        raise ModelFileError(f"{text}: {type(error).__name__}: {error}") from error


def _built(source: Pretrained, trainable: bool, progress: Callable[[float], None] | None) -> Any:
    _check_layers(source)
    models = importlib.import_module(f"{PACKAGE}.models")
    presets = importlib.import_module(f"{PACKAGE}.src.utils.preset_utils")
    loaders = importlib.import_module(f"{PACKAGE}.src.utils.transformers.preset_loader")
    loader = _loader(models, loaders.TransformersPresetLoader, source)
    plain, plain_tokenizer = loader.load_backbone, loader.load_tokenizer

    def load_backbone(cls: Any, load_weights: bool, **kwargs: Any) -> Any:
        """Create the layers as KerasHub does, and read the weights from `source`."""
        with without_values(2 * source.weights.size + SLACK):
            backbone = plain(cls, False, **_epsilon(cls, source.config), **kwargs)
            weights = HubWeights(source.weights, progress, not trainable and supports_blocks())
            loader.converter.convert_weights(backbone, weights, source.config)
        if source.config.get("hidden_act") == "gelu":
            _compute_exact_gelu(backbone)
        if source.config["model_type"] == "phi3" and source.config.get("sliding_window"):
            phi3.set_window(backbone, int(source.config["sliding_window"]))
        return backbone

    def load_tokenizer(cls: Any, *args: Any, **kwargs: Any) -> Any:
        return plain_tokenizer(cls, *args, **{**source.tokenizer.arguments, **kwargs})

    loader.load_backbone, loader.load_tokenizer = load_backbone, load_tokenizer
    name = _task(source)
    if name == "Backbone":
        return loader.load_backbone(loader.check_backbone_class(), True)
    task = presets.find_subclass(
        str(source.folder), getattr(models, name), loader.converter.backbone_cls
    )
    model = loader.load_task(task, True, False)
    _set_tokenizer(model.preprocessor, source.tokenizer)
    remember(model, source)
    return model


def _check_layers(source: Pretrained) -> None:
    """Check the number of layers, which KerasHub creates before their weights.

    Raises:
        ModelFileError: If there are more layers than weights.
    """
    parts = [source.config, *(part for part in source.config.values() if isinstance(part, dict))]
    for key, part in itertools.product(LAYERS, parts):
        count = part.get(key, 0)
        if not isinstance(count, int) or count > len(source.weights.names):
            raise ModelFileError(
                f"{key} is {str(count)[:80]}, but there are {len(source.weights.names)} weights"
            )


def _loader(models: Any, cls: Any, source: Pretrained) -> Any:
    """Return KerasHub's loader for a model, with a converter."""
    folder, kind = str(source.folder), source.config["model_type"]
    if kind == "phi3":
        loader = cls(folder, {**source.config, "model_type": "llama"})
        loader.config = source.config
        own = {**vars(phi3), "backbone_cls": phi3.backbone_class()}
        loader.converter = types.SimpleNamespace(**own)
        return loader
    loader = cls(folder, source.config)
    if kind == "llama" and (source.folder / SENTENCE_PIECES).exists():
        loader.converter = _llama2(models, loader.converter)
    return loader


def _llama2(models: Any, llama3: Any) -> Any:
    """Return a converter for Llama 2, which KerasHub does not have.

    It differs from Llama 3 in the tokenizer.
    """

    def convert_tokenizer(cls: Any, preset: str, **kwargs: Any) -> Any:
        return cls(str(Path(preset) / SENTENCE_PIECES), **kwargs)

    own = {"backbone_cls": models.LlamaBackbone, "convert_tokenizer": convert_tokenizer}
    return types.SimpleNamespace(**{**vars(llama3), **own})


def _compute_exact_gelu(backbone: Any) -> None:
    """Let encoders compute gelu as their files specify. Some of KerasHub approximate it."""
    gelu = importlib.import_module("keras.activations").gelu
    for layer in backbone.layers:
        dense = getattr(layer, "_feedforward_intermediate_dense", None)
        if dense is not None and hasattr(layer, "activation"):
            layer.activation = dense.activation = gelu


def _epsilon(cls: Any, config: dict[str, Any]) -> dict[str, Any]:
    """Return the epsilon of a configuration, which some converters replace by a default."""
    value = config.get("rms_norm_eps")
    is_taken = EPSILON in inspect.signature(cls.__init__).parameters
    return {EPSILON: value} if is_taken and value is not None else {}


def _task(source: Pretrained) -> str:
    """Return the name of a model's class in KerasHub.

    Raises:
        ModelFileError: If KerasHub does not convert the weights of the architecture's head.
    """
    (architecture,) = source.config.get("architectures") or ("",)
    for end, name in TASKS.items():
        if str(architecture).endswith(end):
            has_pooling = name == "Backbone" and (source.folder / POOLING).exists()
            return "TextEmbedder" if has_pooling else name
    raise ModelFileError(
        f"models of the architecture {architecture!r} are not supported. Architectures that end "
        f"with {', '.join(TASKS)} are"
    )


def _set_tokenizer(preprocessor: Any, facts: TokenizerFacts) -> None:
    """Set what KerasHub does not read from the files of a tokenizer."""
    tokenizer = preprocessor.tokenizer
    tokenizer.chat_template = facts.chat_template
    if facts.pre_tokenizer is not None:
        set_pre_tokenizer(tokenizer, facts.pre_tokenizer)
    if ACCENTS in facts.arguments:
        set_word_pieces(tokenizer)
    for name, value in (("start", facts.adds_start), ("end", facts.adds_end)):
        if value is not None and hasattr(preprocessor, f"add_{name}_token"):
            setattr(preprocessor, f"add_{name}_token", value)
    if facts.adds_start is False and hasattr(preprocessor, "add_start_token"):
        preprocessor.build(None)
        preprocessor.packer.start_value = None  # `generate` would add it in any case


class HubWeights:
    """Weights with the methods that KerasHub's converters call.

    Args:
        weights: The weights.
        progress: Function that receives the fraction of the weights that is loaded, or None.
        keeps_blocks: True if matrices stay in the blocks of their file.
    """

    def __init__(
        self,
        weights: WeightFile,
        progress: Callable[[float], None] | None = None,
        keeps_blocks: bool = False,
    ) -> None:
        self._weights, self._progress = weights, progress
        self._file = weights if keeps_blocks and isinstance(weights, BlockFile) else None
        self._count = 0

    def get_tensor(self, name: str) -> Any:
        """Return a weight as float32.

        Raises:
            ModelFileError: If there is no weight with this name.
        """
        found = self._weights.read(self._full_name(name))
        return found if found.dtype == np.float16 else found.astype(np.float32, copy=False)

    def port_weight(
        self,
        keras_variable: Any,
        hf_weight_key: str,
        hook_fn: Callable[[Any, list[int]], Any] | None = None,
    ) -> None:
        """Assign a weight to a variable.

        Args:
            keras_variable: Variable of Keras.
            hf_weight_key: Name of the weight.
            hook_fn: Function of the weight and the variable's shape that returns the value.
        """
        shape, moves = list(keras_variable.shape), list[Move]()
        if hook_fn is not None:
            moves.append(lambda array: np.asarray(hook_fn(array.view(Unconverted), shape)))
        if not self._keep_blocks(keras_variable, self._full_name(hf_weight_key), moves):
            value = self.get_tensor(hf_weight_key)
            for move in moves:
                value = move(value)
            keras_variable.assign(value)
        self._count += 1
        if self._progress is not None:
            self._progress(min(self._count / len(self._weights.names), 1.0))

    def _keep_blocks(self, variable: Any, name: str, moves: Sequence[Move]) -> bool:
        """Let a variable read a weight in its blocks. Return False if this is not possible."""
        matrix = None if self._file is None else self._file.matrix(name)
        if self._file is None or matrix is None:
            return False
        found = placed(matrix, [*self._file.moves(name), *moves], variable.name == KERNEL)
        if found is None:
            return False
        weights = BlockWeights(*found, variable.name)
        if weights.shape != variable.shape:
            return False  # `assign` raises the error
        variable._value = weights
        variable.trainable = False
        return True

    def _full_name(self, name: str) -> str:
        """Return the name in the file, which may have a prefix such as `bert.`."""
        if name in self._weights.names:
            return name
        found = [full for full in self._weights.names if full.endswith(f".{name}")]
        if len(found) != 1:
            raise ModelFileError(f"the weights {found or name!r} are missing or not unique")
        return found[0]
