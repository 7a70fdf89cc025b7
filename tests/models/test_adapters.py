"""Adapters in the files of PEFT, which KerasHub's decoders load and save."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from models import decoders

import tfpy as tf
from tfpy._src.formats.pretrained.adapter_config import read_config, written_config
from tfpy._src.formats.pretrained.backbones import described
from tfpy._src.formats.pretrained.block_weights import BlockWeights
from tfpy._src.formats.pretrained.correspondence import linked
from tfpy._src.library.io.checked_json import ModelFileError

MAKERS = {"llama": decoders.LlamaBackbone, "phi3": decoders.Phi3Backbone}
ALL = ("query", "key", "value", "output", "gate", "up", "down")
CONFIG, MATRICES = "adapter_config.json", "adapter_model.safetensors"
OTHER = "base_model.model.x.lora_A.weight"
QUERY = "base_model.model.model.layers.0.self_attn.q_proj"
MADE = json.loads(decoders.PEFT.read_text())


@pytest.fixture(autouse=True)
def converter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Llama be converted without KerasHub."""
    monkeypatch.setitem(sys.modules, decoders.CONVERTER, decoders.LLAMA)  # type: ignore[arg-type]


@pytest.mark.parametrize("is_tied", [True, False])
def test_tied_embeddings_are_described(is_tied: bool) -> None:
    """Check an attribute that is not in the configuration of KerasHub's Llama."""
    model = decoders.LlamaBackbone()
    assert not described(model).config["tie_word_embeddings"]
    model.tie_word_embeddings = is_tied
    assert described(model).config["tie_word_embeddings"] is is_tied


def written(model: Any, folder: Path) -> dict[str, bytes]:
    tf.models.save_adapter(model, folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("names", [("query", "value"), ALL], ids=["heads", "all"])
def test_adapters_come_back(kind: str, names: tuple[str, ...], tmp_path: Path) -> None:
    """Check that a loaded adapter has the same matrices, and a merged one the same kernels."""
    model = MAKERS[kind]()
    plain = model.kernels()
    model.adapt(*names)
    files = written(model, tmp_path)
    assert sorted(files) == [CONFIG, MATRICES]
    expected = model.kernels()
    loaded, merged = MAKERS[kind](), MAKERS[kind]()
    loaded.generate_function = merged.generate_function = len
    tf.models.load_adapter(loaded, tmp_path)
    tf.models.load_adapter(merged, files, merge=True)
    assert loaded.generate_function is merged.generate_function is None
    for layer, other in zip(model._flatten_layers(), loaded._flatten_layers(), strict=True):
        assert other.lora_enabled == layer.lora_enabled == layer.path.endswith(names)
        assert other.trainable == (layer.lora_enabled or not layer.path)
        if layer.lora_enabled:
            np.testing.assert_array_equal(other.lora_kernel_a, layer.lora_kernel_a)
            close(other.lora_kernel_b.value, layer.lora_kernel_b.value * (3 / 2))
    for name, value in expected.items():
        close(loaded.kernels()[name], value)
        close(merged.kernels()[name], value)
        assert np.array_equal(value, plain[name]) != name.endswith(names)
    assert not any(layer.lora_enabled for layer in merged._flatten_layers())
    assert loaded._lora_rank == 2


@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize("kind", MAKERS)
def test_adapters_of_peft(kind: str, merge: bool) -> None:
    """Check that the weights change as in the package peft, with the smallest rank."""
    files = {n: base64.b64decode(data) for n, data in MADE[kind]["files"].items()}
    model = MAKERS[kind]()
    before = {name: weight.read() for name, weight in linked(model).weights.items()}
    tf.models.load_adapter(model, files, merge=merge)
    after = {name: weight.read() for name, weight in linked(model).weights.items()}
    deltas = MADE[kind]["deltas"]
    assert len(deltas) == 8
    for name, value in after.items():
        close(value - before[name], np.array(deltas.get(name, 0.0)))
    ranks = {x.path: x.lora_rank for x in model._flatten_layers() if x.lora_enabled}
    if not merge:
        heads = {name.rpartition("/")[2]: rank for name, rank in ranks.items()}
        assert heads["query"] == decoders.SIZE
        assert (heads["output"], heads["up"]) == (3, 2)


def test_rank_of_a_model() -> None:
    """Check that a smaller adapter is filled with zeros, and that a larger one is refused."""
    files = {n: base64.b64decode(data) for n, data in MADE["llama"]["files"].items()}
    model = decoders.LlamaBackbone()
    model.adapt("query", "value", "output", "up", rank=4)
    before = model.kernels()
    tf.models.load_adapter(model, files)
    loaded = decoders.LlamaBackbone()
    tf.models.load_adapter(loaded, files)
    for name, value in loaded.kernels().items():
        close(model.kernels()[name], value)
    assert not np.array_equal(before["layer_0/up"], model.kernels()["layer_0/up"])
    small = decoders.LlamaBackbone()
    small.adapt("up", rank=1)
    with pytest.raises(ValueError, match=r"needs rank 2 for the layer 'layer_0/up'"):
        tf.models.load_adapter(small, files)
    assert not small.parts[1][0].attention.query_dense.lora_enabled


def test_weights_in_blocks_are_not_merged() -> None:
    files = {n: base64.b64decode(data) for n, data in MADE["llama"]["files"].items()}
    model = decoders.LlamaBackbone()
    before = model.kernels()
    kernel: Any = model.parts[1][1].attention.value_dense._kernel
    kernel._value = BlockWeights.__new__(BlockWeights)
    with pytest.raises(
        ValueError, match=r"'layer_1/value/kernel' are in a block format.*trainable"
    ):
        tf.models.load_adapter(model, files, merge=True)
    for name, value in model.kernels().items():
        np.testing.assert_array_equal(value, before[name])


def test_configuration() -> None:
    """Check that modules are named by their ends as far as these belong to no other module."""
    ranks = {"a.0.mlp.c_proj": 2, "a.1.mlp.c_proj": 2, "a.0.q": 8, "a.1.q": 8, "a.0.v": 4}
    scales = {**dict.fromkeys(ranks, 1.5), "a.0.v": 0.25}
    found = written_config(ranks, scales, ["a.0.attn.c_proj", "a.1.v"])
    assert found["target_modules"] == ["0.v", "mlp.c_proj", "q"]
    assert found["rank_pattern"] == {"q": 8, "0.v": 4}
    assert found["alpha_pattern"] == {"q": 12, "0.v": 1}
    settings = read_config(found)
    assert {name: settings.scale(name) for name in ranks} == scales
    patterns = {"rank_pattern": {"^a\\.q": 9}, "use_rslora": True}
    rooted = read_config({"peft_type": "LORA", "r": 4, "lora_alpha": 6, **patterns})
    assert (rooted.scale("model.a.q"), rooted.scale("b.q")) == (2, 3)


def test_models_without_adapters(tmp_path: Path) -> None:
    model = decoders.LlamaBackbone()
    with pytest.raises(ValueError, match="enable_lora"):
        tf.models.save_adapter(model, tmp_path)
    model.token_embedding.lora_enabled = True
    with pytest.raises(ValueError, match="LoRA of the layer 'table'"):
        tf.models.save_adapter(model, tmp_path)
    model.token_embedding.quantization_mode = "int8"
    with pytest.raises(ValueError, match="before you quantize"):
        tf.models.save_adapter(model, tmp_path)
    with pytest.raises(ValueError, match="models of the class Held are not supported"):
        tf.models.save_adapter(decoders.Held(""), tmp_path)


def changed(**entries: Any) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    return lambda config, header: config.update(entries)


def without(name: str) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    def remove(config: dict[str, Any], header: dict[str, Any]) -> None:
        header.pop(name)

    return remove


def renamed(name: str, into: str) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    def rename(config: dict[str, Any], header: dict[str, Any]) -> None:
        header[into] = header.pop(name)

    return rename


def reshaped(config: dict[str, Any], header: dict[str, Any]) -> None:
    header[f"{QUERY}.lora_A.weight"]["shape"].reverse()


def emptied(config: dict[str, Any], header: dict[str, Any]) -> None:
    header.clear()


DAMAGED: dict[str, Callable[[dict[str, Any], dict[str, Any]], None]] = {
    "kind 'IA3'": changed(peft_type="IA3"),
    "use_dora": changed(use_dora=True),
    "modules_to_save": changed(modules_to_save=["lm_head"]),
    "trained biases": changed(bias="all"),
    "init_lora_weights is 'pissa'": changed(init_lora_weights="pissa"),
    "r must be an integer from 1": changed(r=0),
    "lora_alpha": changed(lora_alpha="3"),
    "rank_pattern must be": changed(rank_pattern={"q_proj": 1.5}),
    "end of a name": changed(alpha_pattern={"(a+)+$": 3}),
    "no matrices for it": changed(target_modules=["lm_head"]),
    "target_modules": changed(target_modules={"q_proj": 1}),
    "one of two matrices": without(f"{QUERY}.lora_B.weight"),
    "only lora_A and lora_B": renamed(f"{QUERY}.lora_A.weight", f"{QUERY}.lora_embedding_A"),
    "which the model does not have": renamed(f"{QUERY}.lora_A.weight", OTHER),
    "have the shapes": reshaped,
    "contains no matrices": emptied,
}


def test_matrices_that_are_not_finite() -> None:
    for alpha in (float("1e300"), float("1e38")):
        files = {n: base64.b64decode(data) for n, data in MADE["llama"]["files"].items()}
        files[CONFIG] = json.dumps(json.loads(files[CONFIG]) | {"lora_alpha": alpha}).encode()
        with pytest.raises(ModelFileError, match="infinite or too large"):
            tf.models.load_adapter(decoders.LlamaBackbone(), files)


@pytest.mark.parametrize("error", DAMAGED)
def test_damaged_adapters(error: str) -> None:
    """Check that a damaged adapter is refused before the model changes."""
    made = {n: base64.b64decode(data) for n, data in MADE["llama"]["files"].items()}
    config, data = json.loads(made[CONFIG]), made[MATRICES]
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    DAMAGED[error](config, header)
    if error.startswith("which"):
        del header[f"{QUERY}.lora_B.weight"]
        other = header[OTHER]
        header[OTHER.replace("_A", "_B")] = dict(other, shape=[0], data_offsets=[0, 0])
        config["target_modules"] = None
    text = json.dumps(header).encode()
    files = {
        CONFIG: json.dumps(config).encode(),
        MATRICES: len(text).to_bytes(8, "little") + text + data[8 + length :],
    }
    model = decoders.LlamaBackbone()
    before = model.kernels()
    with pytest.raises(ModelFileError, match=error):
        tf.models.load_adapter(model, files)
    for name, value in model.kernels().items():
        np.testing.assert_array_equal(value, before[name])
