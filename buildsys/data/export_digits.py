"""Write scikit-learn's handwritten digits as JSON: export_digits.py OUT.

1797 images of 8 by 8 pixels with values 0 to 16, in a seeded order, the last fifth held out.
"""

import base64
import json
import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

SEED = 20240601
HELD_OUT = 0.2


def encoded(values: np.ndarray) -> str:
    return base64.b64encode(values.astype(np.uint8).tobytes()).decode()


def part(images: np.ndarray, labels: np.ndarray) -> dict[str, object]:
    return {"count": len(images), "images": encoded(images), "labels": encoded(labels)}


digits = load_digits()
order = np.random.default_rng(SEED).permutation(len(digits.images))
images, labels = digits.images[order], digits.target[order]
split = round(len(images) * (1 - HELD_OUT))
Path(sys.argv[1]).write_text(
    json.dumps(
        {
            "shape": [8, 8],
            "max": 16,
            "classes": 10,
            "train": part(images[:split], labels[:split]),
            "test": part(images[split:], labels[split:]),
        }
    ),
    encoding="utf-8",
)
