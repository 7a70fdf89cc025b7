"""Write the file of SmolLM2 as in the guide to exports, and Python's answer to a question.

This program runs in the environment that has KerasHub::

    python -m wasm.smollm2_file MODEL.gguf FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import tfpy

tfpy.as_tensorflow(replace=True)

from guides.documents import block  # noqa: E402

import tfpy as tf  # noqa: E402

QUESTION = "What is the capital of France?"
ANSWER_TOKENS = 64


def main(source: str, folder: str) -> None:
    """Write chat.tfpy and chat.json."""
    program = block("docs/export.md", "py", "tf.export(model")
    for name, path in ((Path(source).name, source), ("chat.tfpy", f"{folder}/chat.tfpy")):
        assert f'"{name}"' in program
        program = program.replace(f'"{name}"', repr(path))
    names = {"tf": tf}
    exec(program, names)
    model = names["model"]
    prompt = model.preprocessor.tokenizer.apply_chat_template(
        [{"role": "user", "content": QUESTION}]
    )
    length = len(model.preprocessor.tokenizer(prompt)) + ANSWER_TOKENS
    model.compile(sampler="greedy")
    answer = model.generate(prompt, max_length=length, strip_prompt=True)
    facts = {"question": QUESTION, "answer": answer}
    Path(folder, "chat.json").write_text(json.dumps(facts), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
