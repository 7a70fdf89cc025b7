"""Pages download Keras and KerasHub if they request them, and KerasHub's models run there."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable

import numpy as np
from guides.documents import block, blocks
from models import gguf_files
from models.packed_folders import folder

from tfpy._src.base.version import VERSION_OF_TENSORFLOW, __version__
from tfpy.testing.sessions import OpenPage

HUB_NEEDS = ("jinja2", "markupsafe", "regex", "safetensors", "sentencepiece", "tokenizers")
KERAS_NEEDS = ("absl-py", "h5py", "ml-dtypes", "optree", "packaging", "rich")

LOAD = """async ([asked, code]) => {
  const { loadTfpy } = await import("/tfpy.mjs");
  const tfpy = await loadTfpy({ packages: asked });
  const loaded = Object.keys(tfpy.pyodide.loadedPackages);
  return [loaded.map((name) => name.replace("_", "-")), JSON.parse(await tfpy.run(code))];
}"""
FOUND = """
import gc, importlib.metadata, inspect, js, json, os, sys, traceback
from zipimport import zipimporter
import tfpy
NAMED

def told():
    try:
        keras.layers.Dense(-1)
    except ValueError as error:
        return traceback.format_exc()

loaders = {name: getattr(module, "__loader__", None) for name, module in sys.modules.items()}
archived = {name.split(".")[0] for name, it in loaders.items() if isinstance(it, zipimporter)}
found = {"archived": sorted(archived - {"__future__", "encodings", "importlib"})}
found["engine"] = sorted(os.listdir(os.path.dirname(tfpy._src.__file__)))
fetched = js.performance.getEntriesByType("resource").to_py()
found["late"] = [entry.name for entry in fetched if "/late/" in entry.name]
found["matmul"] = inspect.getsource(tfpy.matmul), inspect.getfile(tfpy.matmul)
"""
OF_KERAS = """
LATER = ("h5py._hl", "ml_dtypes._finfo", "http.client", "html.entities", "multiprocessing.context")
found["later"] = [name for name in LATER if name in sys.modules]
found["packed"] = os.path.exists("/lib/python3.14/site-packages/packed/h5py.zip")
from multiprocessing.pool import ThreadPool
from urllib.request import urlretrieve
from html import escape
found["whole"] = [isinstance(ThreadPool, type), urlretrieve.__module__, escape.__name__]
found["collects"] = gc.isenabled()
import h5py
found["unpacked"] = [h5py.File is h5py._hl.files.File, h5py.__file__, os.path.exists(h5py.__file__)]
found["version"] = [keras.__version__, importlib.metadata.version("keras")]
import tensorflow
found["mine"] = [tfpy.__version__, importlib.metadata.version("tfpy-web"), tensorflow.__version__]
found["source"] = inspect.getsource(keras.layers.Dense.build)
found["told"] = told()
found["licenses"] = [str(f) for f in importlib.metadata.files("h5py") if "licenses" in str(f)]
"""
TOKENS = [[29, 1, 30, 10, 4, 12, 33], [29, 1, 29]]
GENERATED = ["the quick dog dogq", "the thekssssd"]
"""Results of OF_HUB on TensorFlow."""
OF_HUB = """
import time
began = time.perf_counter()
import keras_hub
found["seconds"] = time.perf_counter() - began
HUB_LATER = ("regex._regex_core", "sentencepiece._sentencepiece")
found["hub_later"] = [name for name in HUB_LATER if name in sys.modules]
await tfpy.set_backend_async("wasm")

merges = ["t h", "th e", "q u", "Ġ d", "o g", "Ġd og"]
tokens = ["!", "Ġ", *"abcdefghijklmnopqrstuvwxyz", *(merge.replace(" ", "") for merge in merges)]
tokens.append("<|endoftext|>")
tokenizer = keras_hub.models.GPT2Tokenizer({token: n for n, token in enumerate(tokens)}, merges)
keras.utils.set_random_seed(4)
sizes = {"num_layers": 1, "num_heads": 2, "hidden_dim": 8, "intermediate_dim": 16}
model = keras_hub.models.GPT2CausalLM(
    keras_hub.models.GPT2Backbone(len(tokens), max_sequence_length=48, **sizes),
    keras_hub.models.GPT2CausalLMPreprocessor(tokenizer, sequence_length=12),
)
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(True), sampler="greedy")
texts = ["the quick dog", "the the"]
found["tokens"] = tokenizer(texts)
found["generated"] = model.generate(texts, max_length=10)
dataset = tensorflow.data.Dataset.from_tensor_slices(texts).batch(2)
found["in_dataset"] = [rows.to_list() for rows in dataset.map(tokenizer)]
words = keras_hub.models.BertTokenizer(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "##s"])
found["words"] = [rows.to_list() for rows in dataset.map(words)]
clip = ["t", "h", "e</w>", "th", "the</w>", "<|startoftext|>", "<|endoftext|>"]
clip_rules = ["t h", "th e</w>"]
clip = keras_hub.models.CLIPTokenizer({token: n for n, token in enumerate(clip)}, clip_rules)
found["clip"] = clip(["The the", "the<|endoftext|>"])
labels = tensorflow.data.Dataset.from_tensor_slices(["A ö!", "b"]).batch(2)
found["labels"] = [x.to_list() for x in labels.map(keras_hub.models.PARSeqTokenizer())]
sentences = tensorflow.data.Dataset.from_tensor_slices(["the quick brown fox", "the dog", "a dog"])
proto = keras_hub.tokenizers.compute_sentence_piece_proto(sentences, 24, model_type="bpe")
pieces = keras_hub.tokenizers.SentencePieceTokenizer(proto)
found["round_trip"] = [x.numpy().decode() for x in sentences.map(pieces).map(pieces.detokenize)]

tokenizer.chat_template = (
    "{% for m in messages %}{{ m.role }} {{ m.content }} {% endfor %}"
    "{% if add_generation_prompt %}the{% endif %}"
)
prompt = tokenizer.apply_chat_template([{"role": "user", "content": "the dog"}])
found["prompt"] = prompt
found["streamed"] = {}
tfpy.env().set("WEBGPU_SOFTWARE_ENABLED", True)
for backend in ("wasm", "webgpu"):
    await tfpy.set_backend_async(backend)
    whole = await model.generate_async(prompt, max_length=48, strip_prompt=True)
    stream = model.generate_stream(prompt, max_length=48)
    parts = [part async for part in stream]
    assert [part async for part in stream] == []
    found["streamed"][backend] = [whole, parts]
found["loss"] = (await model.fit_async(texts, batch_size=2, verbose=0)).history["loss"][0]

import base64
loaded = await tfpy.models.load_async(base64.b64decode("GGUF"))
loaded.compile(sampler="greedy")
tokenizer = loaded.preprocessor.tokenizer
found["gguf"] = [tokenizer(["the 12"])[0], tokenizer.chat_template]
found["gguf"].append(loaded.generate("thex", max_length=8))

ids = tensorflow.constant([[2, 29, 5, 7, 9]])
inputs = {"token_ids": ids, "padding_mask": tensorflow.ones_like(ids)}
found["in_blocks"] = {}
sources = {"gguf": base64.b64decode("BLOCKS")}
for name, files in json.loads('FOLDERS').items():
    sources[name] = {file: base64.b64decode(data) for file, data in files.items()}
for backend, name in [(b, n) for b in ("wasm", "webgpu") for n in sources]:
    await tfpy.set_backend_async(backend)
    results = []
    for trainable in (False, True):
        loaded = await tfpy.models.load_async(sources[name], trainable=trainable)
        states = await loaded.backbone.predict_async(inputs, verbose=0)
        keras.utils.set_random_seed(3)
        loaded.backbone.enable_lora(2)
        loaded.preprocessor.sequence_length = 8
        loaded.compile("sgd", weighted_metrics=[])
        past = await loaded.fit_async(["the dog", "a the"], batch_size=2, epochs=3, verbose=0)
        kind = type(loaded.backbone.token_embedding.embeddings.value).__name__
        results.append([kind, states.tolist(), past.history["loss"]])
    found["in_blocks"][f"{backend} {name}"] = results

texts = ["the dog", "the the dog"]
GUIDE
found["similarity"] = round(float((vectors @ tensorflow.transpose(vectors))[0, 1]), 3)
found["trained"] = len(model.trainable_variables)
MODELS
"""
GUIDE = "\n".join(blocks("docs/language_models.md", "py"))
MODELS = block("docs/models.md", "py", "SmolLM2")
FILES = {
    '"SmolLM2-135M-Instruct.Q4_1.gguf", progress=print': 'base64.b64decode("GGUF")',
    '"SmolLM2-135M-Instruct.Q4_1.gguf"': 'base64.b64decode("GGUF")',
    '"all-MiniLM-L6-v2/model.safetensors"': '"../gallery/models/minilm/model.safetensors"',
    'tf.models.load("all-MiniLM-L6-v2")': "encoder",
}
"""Files in the guides, and the files that their programs load in the test."""
SIMILARITY = 0.56
"""Cosine similarity of the guide's sentences."""
PACKED = ("gptq_4_desc_act", "awq_128", "BF16")
"""Folders of Hugging Face with weights that stay packed, or in two bytes."""
OF_GGUF = [[31, 2], "{{ messages }}", "thexx"]
"""Results of transformers for the same file. The tokenizer has no digits."""


def test_packages_come_when_a_page_asks(tfpy_page: Callable[..., OpenPage]) -> None:
    """Check that the modules imported at start are bytecode.

    Keras, which is packed, has sources and versions.
    """
    start = FOUND.replace("NAMED", "")
    assert 'packages="keras-hub"' in block("docs/language_models.md", "html")
    gguf = base64.b64encode(gguf_files.gguf(*gguf_files.llama())).decode()
    of_hub = OF_HUB.replace("GUIDE", GUIDE).replace("MODELS", MODELS)
    metadata, tensors = gguf_files.llama(scale=4)
    in_blocks = gguf_files.gguf(metadata, gguf_files.in_blocks(tensors, "Q8_0", 8))
    packed = {
        name: {file: base64.b64encode(data).decode() for file, data in folder(name).items()}
        for name in PACKED
    }
    given = {"GGUF": gguf, "BLOCKS": base64.b64encode(in_blocks).decode()}
    given["FOLDERS"] = json.dumps(packed)
    for name, source in {**FILES, **given}.items():
        of_hub = of_hub.replace(name, source)
    with_keras = FOUND.replace("NAMED", "import keras") + OF_KERAS + of_hub
    page = tfpy_page("tfpy-testing/blank.html")
    asked = json.dumps([[], f"{start}json.dumps(found)"])
    loaded, found = page.evaluate(f"({LOAD})({asked})", 300.0)
    assert set(loaded) == {"numpy", "tfpy-web"}
    assert found["archived"] == ["_bytecode", "sitecustomize"]
    assert found["late"] == []
    finds = ["__init__.pyc", "core", "loader"]
    assert found["engine"] == finds
    assert "def matmul(" in found["matmul"][0]
    assert found["matmul"][1].startswith("/lib/python3.14/site-packages/tfpy/_src/")

    page = tfpy_page("tfpy-testing/blank.html")
    asked = json.dumps([["keras-hub"], f"{with_keras}json.dumps(found)"])
    loaded, found = page.evaluate(f"({LOAD})({asked})", 300.0)
    names = {name.lower() for name in loaded}
    assert names == {"numpy", "tfpy-web", "keras", "keras-hub", *KERAS_NEEDS, *HUB_NEEDS}
    assert found["archived"] == ["_bytecode", "sitecustomize"]
    assert found["late"] == []
    assert found["later"] == []
    assert found["packed"]
    assert found["whole"] == [True, "urllib.request", "escape"]
    assert found["collects"]
    assert found["unpacked"] == [True, "/lib/python3.14/site-packages/h5py/__init__.py", True]
    assert found["version"][0].startswith("3.15.")
    assert found["version"] == found["version"][:1] * 2
    assert found["mine"] == [__version__, __version__, VERSION_OF_TENSORFLOW]
    assert found["source"].lstrip().startswith("def build(self, input_shape):")
    assert "site-packages/keras/src/layers/core/dense.py" in found["told"]
    assert "raise ValueError(" in found["told"]
    assert any("hdf5" in name for name in found["licenses"])

    assert found["seconds"] < 3
    assert found["hub_later"] == []
    assert found["tokens"] == found["in_dataset"][0] == TOKENS
    assert found["generated"] == GENERATED
    assert found["words"] == [[[5, 1, 1], [5, 5]]]
    assert found["clip"] == [[4, 4], [4, 6]]
    assert found["labels"] == [[[37, 25, 63], [12]]]
    assert found["round_trip"] == ["the quick brown fox", "the dog", "a dog"]
    assert found["prompt"] == "user the dog the"
    (whole, parts), on_webgpu = found["streamed"].values()
    assert on_webgpu == [whole, parts]
    assert whole == "".join(parts)
    assert len(parts) > 5
    assert 1 < found["loss"] < 4
    assert found["gguf"] == OF_GGUF
    assert len(found["in_blocks"]) == 2 * (1 + len(PACKED))
    for (kept, *of_blocks), (changed, *of_floats) in found["in_blocks"].values():
        assert [kept, changed] == ["BlockWeights", "Variable"]
        for got, wanted in zip(of_blocks, of_floats, strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-3, atol=1e-3)
        assert of_floats[1][-1] < of_floats[1][0]
    assert found["similarity"] == SIMILARITY
    assert found["trained"] == 4
