"""Sentences, and the vectors that all-MiniLM-L6-v2 has for them with TensorFlow.

Run as a script in the environment of requirements/hub_tests.txt, with the folder of the model, it
writes VECTORS. The package tokenizers makes the tokens.
"""

from __future__ import annotations

import base64
import importlib
import json
import os
import sys
from pathlib import Path

import numpy as np

VECTORS = Path(__file__).with_suffix(".json")
"""The bytes of the vectors: float32 [sentences, 384], each of length 1."""
SIZE = 384
LONGEST = 256
"""Number of tokens to which the model shortens a sentence."""
LONG = (
    "In the autumn of 1887, the surveyors crossed the valley on foot, counted every bridge between "
    "the mill and the sea, and wrote the distances (in yards, not metres) into a small green book. "
)
SENTENCES = (
    "A cat sits on the mat.",
    "Ein Kätzchen liegt auf dem Teppich, 東京!",
    "word",
    "Кошка сидит на коврике; собака спит.",
    "قطة تجلس على السجادة",
    "बिल्ली चटाई पर बैठी है।",
    "Η γάτα κάθεται στο χαλάκι — naïve façade, e\u0301",
    "매트 위에 고양이가 앉아 있다. ネコがマットの上に座っています。",
    "💡 don't e-mail me@example.org:\t$12,345.67 (50%)…",
    "no\xa0break, ideographic\u3000space, soft\xadhyphen, zero\u200bwidth",
    "สุนัขตัวใหญ่นอนหลับอยู่ใต้ต้นไม้ใหญ่หน้าบ้าน",
    LONG,
    LONG * 7,
)


def vectors() -> np.ndarray:
    """Return the stored vectors."""
    data = base64.b64decode(json.loads(VECTORS.read_text(encoding="utf-8")))
    return np.frombuffer(data, np.float32).reshape(len(SENTENCES), SIZE)


def normalized(rows: np.ndarray) -> np.ndarray:
    """Divide rows by their lengths."""
    exact = rows.astype(np.float64)
    return (exact / np.linalg.norm(exact, axis=-1, keepdims=True)).astype(np.float32)


def _computed(folder: Path) -> np.ndarray:
    """Compute the vectors with KerasHub on TensorFlow."""
    os.environ["KERAS_BACKEND"] = "tensorflow"
    keras, keras_hub, tokenizers = map(
        importlib.import_module, ("keras", "keras_hub", "tokenizers")
    )
    model = keras_hub.models.TextEmbedder.from_preset(str(folder))
    for layer in model.backbone.layers:  # KerasHub approximates gelu, which the model does not
        if hasattr(layer, "_feedforward_intermediate_dense"):
            layer.activation = keras.activations.gelu
            layer._feedforward_intermediate_dense.activation = keras.activations.gelu
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(LONGEST)
    tokenizer.enable_padding()
    encoded = tokenizer.encode_batch(list(SENTENCES))
    ids = np.array([one.ids for one in encoded], np.int32)
    mask = np.array([one.attention_mask for one in encoded], bool)
    inputs = {"token_ids": ids, "segment_ids": np.zeros_like(ids), "padding_mask": mask}
    return normalized(np.asarray(model(inputs)))


if __name__ == "__main__":
    rows = _computed(Path(sys.argv[1]))
    VECTORS.write_text(json.dumps(base64.b64encode(rows.tobytes()).decode()) + "\n")
