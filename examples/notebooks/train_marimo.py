# /// script
# dependencies = ["marimo", "tfpy-web @ tfpy_web-0.1.0-py3-none-any.whl"]
# ///

import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo

    mo.md("""
    # A small network in the page

    It separates the points of two curved shapes, in your browser.
    """)
    return (mo,)


@app.cell
async def _():
    import numpy as np

    import tfpy as tf

    await tf.ready()  # opens the best backend; tf.set_backend("wasm") chooses one
    tf.get_backend()
    return np, tf


@app.cell
def _(mo):
    rate = mo.ui.slider(0.1, 1.0, 0.1, value=0.5, label="learning rate")
    rate
    return (rate,)


@app.cell
def _(np, tf):
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, np.pi, 400)
    upper = rng.integers(0, 2, 400)
    c, s = np.cos(angle), np.sin(angle)
    points = np.where(upper, [c, s], [1 - c, 0.5 - s])
    x = tf.constant((points.T + rng.normal(0, 0.1, [400, 2])).astype("float32"))
    y = tf.constant(upper[:, None].astype("float32"))
    return x, y


@app.cell
async def _(rate, tf, x, y):
    w1 = tf.Variable(tf.random.normal([2, 16], seed=1))
    b1 = tf.Variable(tf.zeros([16]))
    w2 = tf.Variable(tf.random.normal([16, 1], stddev=0.3, seed=2))
    b2 = tf.Variable(tf.zeros([1]))
    weights = [w1, b1, w2, b2]

    def net(x):
        return tf.tanh(x @ w1 + b1) @ w2 + b2

    @tf.function
    def step(rate):
        with tf.GradientTape() as tape:
            errors = tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=net(x))
            loss = tf.reduce_mean(errors)
        for weight, gradient in zip(weights, tape.gradient(loss, weights), strict=True):
            weight.assign_sub(rate * gradient)
        return loss

    plot = tf.notebook.LivePlot()
    for _ in range(300):
        plot.add(loss=await step(rate.value).data())
    plot.show()
    right = tf.reduce_mean(tf.cast((net(x) > 0) == (y > 0.5), tf.float32))
    print(f"right: {float(right):.0%}")
    return


if __name__ == "__main__":
    app.run()
