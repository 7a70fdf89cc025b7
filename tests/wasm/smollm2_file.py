"""Write the file of SmolLM2 for wasm, and Python's answer to a question.

This program runs in the environment that has KerasHub::

    python -m wasm.smollm2_file MODEL.gguf FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import tfpy

tfpy.as_tensorflow(replace=True)

import tfpy as tf  # noqa: E402

LENGTH = 96
QUESTION = "What is the capital of France?"


def main(source: str, folder: str) -> None:
    """Write smollm2.tfpy and smollm2.json."""
    model = tf.models.load(source)
    path = Path(folder, "smollm2.tfpy")
    options = {"max_length": LENGTH, "prefill_lengths": [32]}
    tf.export(model, path, backends=["wasm"], **options)
    messages = [{"role": "user", "content": QUESTION}]
    prompt = model.preprocessor.tokenizer.apply_chat_template(messages)
    model.compile(sampler="greedy")
    answer = model.generate(prompt, max_length=LENGTH, strip_prompt=True)
    facts = {"messages": messages, "answer": answer}
    path.with_suffix(".json").write_text(json.dumps(facts), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
