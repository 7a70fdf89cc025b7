"""The vectors of sentences that MiniLM computes in pages, compared with TensorFlow's."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest
from models import sentence_vectors

from tfpy.testing.sessions import OpenPage

MOST = 1e-6
"""Greatest difference in a number of a vector."""
SECONDS = 600.0
LOAD = """async (code) => {
  const { loadTfpy } = await import("/tfpy.mjs");
  globalThis.tfpy = await loadTfpy({ packages: ["keras-hub"] });
  return JSON.parse(await tfpy.run(code));
}"""
COMPUTE = """
import json
import keras_hub
import tfpy as tf

tf.env().set("WEBGPU_SOFTWARE_ENABLED", True)
await tf.set_backend_async("BACKEND")
encoder = await tf.models.load_async("../gallery/models/minilm/model.safetensors")
*sentences, longest = SENTENCES
vectors = await encoder.predict_async([longest], verbose=0)
encoder.preprocessor.sequence_length = 48  # fewer tokens of padding take less time
vectors = [*await encoder.predict_async(sentences, verbose=0), *vectors]
json.dumps([tf.get_backend(), [vector.tolist() for vector in vectors]])
"""


@pytest.mark.parametrize("backend", ["wasm", "webgpu"])
def test_vectors_of_sentences(tfpy_page: Callable[..., OpenPage], backend: str) -> None:
    """Compare all numbers of vectors of sentences in nine scripts, from one word to 256 tokens."""
    code = COMPUTE.replace("BACKEND", backend)
    code = code.replace("SENTENCES", repr(list(sentence_vectors.SENTENCES)))
    page = tfpy_page("tfpy-testing/blank.html")
    used, vectors = page.evaluate(f"({LOAD})({json.dumps(code)})", SECONDS)
    assert used == backend
    got, wanted = sentence_vectors.normalized(np.array(vectors)), sentence_vectors.vectors()
    np.testing.assert_allclose(got, wanted, rtol=0, atol=MOST)
