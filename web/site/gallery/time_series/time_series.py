"""A recurrent network learns a chaotic series, and goes on by itself where the known part ends."""

import keras
import numpy as np
from gallery import open_page
from keras import layers

import tfpy as tf

UNITS = 32
WINDOW = 64  # values that are learnt from at a time
KNOWN = 1000  # values before the forecast
LEAD = 100  # of them that the network reads before it goes on
AHEAD = 200  # values of the forecast
NEAR = 50  # of them are near
BATCH = 32


def mackey_glass(count, delay=17, substeps=10):
    """What x' = 0.2 x(t - delay) / (1 + x(t - delay)^10) - 0.1 x gives: it never repeats."""
    x = [1.2] * (delay * substeps + 1)
    for _ in range(count * substeps):
        late = x[-1 - delay * substeps]
        x.append(x[-1] + (0.2 * late / (1 + late**10) - 0.1 * x[-1]) / substeps)
    return np.array(x[-count * substeps :: substeps], np.float32)


class Forecaster:
    """An LSTM that says at each value which one comes next."""

    def __init__(self):
        self.cell, self.head = layers.LSTMCell(UNITS), layers.Dense(1)
        series = keras.Input((WINDOW, 1))
        states = layers.RNN(self.cell, return_sequences=True)(series)
        self.model = keras.Model(series, self.head(states))
        rate = keras.optimizers.schedules.ExponentialDecay(0.01, KNOWN // BATCH, 0.8)
        self.model.compile(keras.optimizers.Adam(rate), "mse")

    async def learn(self, series):
        """Goes once through all windows of a series; gives the mean squared error."""
        windows = np.lib.stride_tricks.sliding_window_view(series, WINDOW + 1)[..., None]
        history = await self.model.fit_async(
            windows[:, :-1], windows[:, 1:], batch_size=BATCH, verbose=0
        )
        return history.history["loss"][0]

    @tf.function
    def forecast(self, known):
        """AHEAD values after the known ones [n]: each is made of what was made before it."""
        state = [tf.zeros([1, UNITS])] * 2
        for value in known:
            _, state = self.cell(tf.reshape(value, [1, 1]), state)
        values = tf.TensorArray(tf.float32, AHEAD)
        for i in tf.range(AHEAD):
            value = self.head(state[0])
            values = values.write(i, value[0, 0])
            _, state = self.cell(value, state)
        return values.stack()


series = mackey_glass(KNOWN + AHEAD)
known, truth = np.split(series, [KNOWN])
middle = known.mean()
page = await open_page()
while True:
    keras.utils.set_random_seed(1)
    network = Forecaster()
    page.clear("errors")
    async for epoch in page.frames():
        if epoch > 0:
            loss = await network.learn(known - middle)
            page.show(epoch=epoch, loss=loss)
        made = middle + await network.forecast(known[-LEAD:] - middle).data()
        errors = np.abs(made - truth)
        near, far = float(errors[:NEAR].mean()), float(errors.mean())
        page.show(near=near, far=far)
        page.plot("errors", epoch, near, far)
        page.clear("forecast")
        for place, both in enumerate(zip(truth, made, strict=True), start=1):
            page.plot("forecast", place, *both)
