"""Search sentences by meaning: compare the vectors that a sentence encoder computes."""

from time import perf_counter

import keras_hub  # noqa: F401  tf.models.load_async needs it
import numpy as np
from gallery import open_page

import tfpy as tf

MODEL = "../models/minilm/model.safetensors"
COUNT = 5  # sentences that are shown


async def embed(model, texts):
    """Return a vector of length 1 for each text, float32 [texts, 384]."""
    vectors = await model.predict_async(texts, verbose=0)
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


page = await open_page()
model, vectors, known = None, None, []
async for _ in page.events():
    if not page.values["run"]:
        continue
    model = model or await tf.models.load_async(MODEL, progress=lambda part: page.show(loaded=part))
    texts = [line.strip() for line in page.values["texts"].splitlines() if line.strip()]
    if texts != known:
        began = perf_counter()
        vectors, known = await embed(model, texts), texts
        page.show(sentences=len(texts), milliseconds=1000 * (perf_counter() - began))
    (query,) = await embed(model, [page.values["query"]])
    similarities = vectors @ query
    best = np.argsort(-similarities)[:COUNT]
    page.show(written="\n".join(f"{similarities[i]:.2f}  {texts[i]}" for i in best))
    page.show(similarity=similarities[best[0]])
    page.stop()
