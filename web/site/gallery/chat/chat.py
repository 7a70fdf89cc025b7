"""Chat with SmolLM2, a language model of 135 million parameters."""

from time import perf_counter

import keras_hub
from gallery import open_page

import tfpy as tf

MODEL = "../models/smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
LENGTH = 1024  # tokens of the conversation
ROOM = 256  # tokens that are left for an answer
NAMES = {"user": "You", "assistant": "SmolLM2"}
SYSTEM = {"role": "system", "content": "You are a helpful AI assistant."}


async def load():
    """Load the model, with eight bits for each weight."""
    model = await tf.models.load_async(MODEL, progress=lambda part: page.show(loaded=part))
    model.backbone.quantize("int8")
    model.compile(sampler=keras_hub.samplers.TopPSampler(p=0.9, temperature=0.2))
    return model


def prompt_of(messages, tokenizer):
    """Return the text that the model continues. Remove old messages if it is too long."""
    while True:
        prompt = tokenizer.apply_chat_template(messages)
        if len(tokenizer(prompt)) <= LENGTH - ROOM or len(messages) <= 2:
            return prompt
        del messages[1:3]


def shown(messages):
    return "\n\n".join(f"{NAMES[m['role']]}: {m['content']}" for m in messages[1:])


async def answer(model, messages):
    """Add the model's answer to the messages, and show it while it is generated."""
    tokenizer = model.preprocessor.tokenizer
    prompt = prompt_of(messages, tokenizer)
    messages.append({"role": "assistant", "content": ""})
    began, first = perf_counter(), None
    stream = model.generate_stream(prompt, max_length=LENGTH)
    async for part in stream:
        first = first or perf_counter()
        messages[-1]["content"] += part
        count = len(tokenizer(messages[-1]["content"]))
        rate = (count - 1) / max(perf_counter() - first, 1e-3)
        page.show(written=shown(messages), tokens=count, first=first - began, speed=rate)
        if not page.values["run"]:
            break
    await stream.close()


page = await open_page()
model, messages = None, [SYSTEM]
async for name in page.events():
    if name == "restart":
        messages = [SYSTEM]
        page.show(written="")
    if not page.values["run"]:
        continue
    messages.append({"role": "user", "content": page.values["question"]})
    page.show(written=shown(messages))
    model = model or await load()
    await answer(model, messages)
    page.stop()
