"""Fine-tune SmolLM2 with LoRA: a few small matrices learn, and the model's weights stay fixed."""

import keras
import keras_hub  # noqa: F401  tf.models.load_async needs it
import numpy as np
from gallery import open_page

import tfpy as tf

MODEL = "../models/smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
RANK = 8
LENGTH = 64  # tokens of an example
EPOCHS = 4  # passes over the examples between answers


async def load():
    """Load the model, and add trainable matrices of a low rank to the attention's weights."""
    model = await tf.models.load_async(MODEL, progress=lambda part: page.show(loaded=part))
    model.backbone.enable_lora(RANK)
    model.preprocessor.sequence_length = LENGTH
    trained = sum(int(np.prod(w.shape)) for w in model.trainable_weights)
    page.show(weights=f"{trained:,}", frozen=f"{model.count_params() - trained:,}")
    return model


def conversation(line, tokenizer):
    """Return the text of an example: question and answer in the format of the model."""
    question, _, answer = (part.strip() for part in line.partition("|"))
    messages = [
        {"role": "user", "content": question},
        {"role": "assistant", "content": answer},
    ]
    return tokenizer.apply_chat_template(messages, add_generation_prompt=False)


async def answer(model):
    """Show the model's answer to the question while it is generated."""
    messages = [{"role": "user", "content": page.values["question"]}]
    prompt, written = model.preprocessor.tokenizer.apply_chat_template(messages), ""
    async for part in model.generate_stream(prompt, max_length=LENGTH):
        written += part
        page.show(written=written)


class Progress(keras.callbacks.Callback):
    """Shows each step, and ends the training when the page stops."""

    count = 0

    def on_train_batch_end(self, batch, logs):
        self.count += 1
        page.show(step=self.count, loss=logs["loss"])
        page.plot("losses", self.count, logs["loss"])
        self.model.stop_training = not page.values["run"]


page = await open_page()
model, progress = None, Progress()
async for _ in page.events():
    if not page.values["run"]:
        continue
    if model is None:
        model = await load()
        model.compile("adam", sampler="greedy")
        await answer(model)
    while page.values["run"]:
        model.optimizer.learning_rate = 10 ** page.values["rate"]
        tokenizer = model.preprocessor.tokenizer
        lines = page.values["texts"].strip().splitlines()
        texts = [conversation(line, tokenizer) for line in lines]
        await model.fit_async(texts, batch_size=4, epochs=EPOCHS, verbose=0, callbacks=[progress])
        await answer(model)
