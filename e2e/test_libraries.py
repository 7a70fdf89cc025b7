"""Libraries for TensorFlow compute in a page, where they import tfpy under the name tensorflow."""

from __future__ import annotations

import json
import re

from guides.documents import block

from buildsys import library_pages
from buildsys.paths import SITE
from e2e.notebooks.pages import LOAD_SECONDS, opened
from tfpy.testing.sessions import MOUNT, PAGE, Sessions

RUN = """(async (program) => {
  const { loadTfpy } = await import("/tfpy.mjs");
  const tfpy = await loadTfpy({ packages: ["micropip"] });
  return JSON.parse(await tfpy.run(program));
})"""
INSTALL = """
await micropip.install([{others}], deps=False)
"""
SONNET = """
import json
import numpy as np

x = np.linspace(-1, 1, 12, dtype="float32").reshape(4, 3)
linear = snt.Linear(2)
optimizer = snt.optimizers.Adam(0.1)
target = tf.constant([[1.0, 0.0]] * 4)

@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((linear(x) - target) ** 2)
    variables = linear.trainable_variables
    optimizer.apply(tape.gradient(loss, variables), variables)
    return loss

first, *_, last = [float(step(tf.constant(x))) for _ in range(60)]
expected = x @ linear.w.numpy() + linear.b.numpy()
found = {
    "loss": [first, last],
    "linear": bool(np.allclose(linear(tf.constant(x)).numpy(), expected, atol=1e-5)),
    "names": [variable.name for variable in linear.variables],
    "tensorflow": tf.__name__,
}
"""
OTHERS = """
import einops
import opt_einsum

images = np.arange(2 * 4 * 6 * 3, dtype="float32").reshape(2, 4, 6, 3)
pooled = einops.reduce(tf.constant(images), "b (h 2) (w 2) c -> b h w c", "mean")
found["reduce"] = bool(np.allclose(pooled.numpy(), images.reshape(2, 2, 2, 3, 2, 3).mean((2, 4))))
layout = einops.rearrange(tf.constant(images), "b h w c -> (b h) (c w)")
found["rearrange"] = layout.numpy()[1].tolist() == images[0, 1].T.reshape(-1).tolist()

a, b, c = (np.ones(size, "float32") * size[0] for size in ((2, 3), (3, 4), (4, 5)))
product = opt_einsum.contract("ij,jk,kl->il", *map(tf.constant, (a, b, c)))
found["contract"] = [type(product).__module__, product.numpy()[0].tolist()]
json.dumps(found)
"""


def test_three_libraries(tfpy_sessions: Sessions) -> None:
    """Install Sonnet as docs/libraries.md describes, and two more libraries, and compute."""
    wheels = library_pages.ensure()
    addresses = {file.name.split("-")[0]: f"/libraries/{file.name}" for file in wheels.iterdir()}
    mounts = {MOUNT: PAGE, "libraries": wheels}
    with opened(tfpy_sessions, SITE, f"{MOUNT}/blank.html", mounts=mounts) as page:
        origin = page.evaluate("location.origin")

        def address(name: str) -> str:
            """Return the URL of a wheel, or the name of a package that the site has."""
            path = addresses.get(name.replace("-", "_"))
            return json.dumps(origin + path if path else name)

        install = block("docs/libraries.md", "py", "micropip")
        install = re.sub(r'"([\w-]+)"', lambda name: address(name[1]), install)
        others = ", ".join(map(address, ("einops", "opt-einsum")))
        program = block("docs/libraries.md", "py", "import sonnet")
        parts = (install, INSTALL.format(others=others), program, SONNET, OTHERS)
        found = page.evaluate(f"({RUN})({json.dumps(''.join(parts))})", LOAD_SECONDS)
    first, last = found.pop("loss")
    assert last < first / 2
    assert found == {
        "linear": True,
        "names": ["linear/b:0", "linear/w:0"],
        "tensorflow": "tensorflow",
        "reduce": True,
        "rearrange": True,
        "contract": ["tensorflow.python.framework.tensor", [2.0 * 3 * 3 * 4 * 4] * 5],
    }
