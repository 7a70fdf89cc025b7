"""Train a recurrent network on a chaotic series, and forecast the values that follow."""

import keras
import numpy as np
from gallery import open_page
from keras import layers

import tfpy as tf

UNITS = 32
WINDOW = 64  # length of a training window
KNOWN = 1000  # number of known values
LEAD = 100  # known values that the network reads before a forecast
AHEAD = 200  # number of forecast values
NEAR = 50  # number of near forecast values
BATCH = 32


def mackey_glass(count, delay=17, substeps=10):
    """Integrate x' = 0.2 x(t - delay) / (1 + x(t - delay)^10) - 0.1 x, which never repeats."""
    x = [1.2] * (delay * substeps + 1)
    for _ in range(count * substeps):
        late = x[-1 - delay * substeps]
        x.append(x[-1] + (0.2 * late / (1 + late**10) - 0.1 * x[-1]) / substeps)
    return np.array(x[-count * substeps :: substeps], np.float32)


class Forecaster:
    """An LSTM that predicts the next value of a series."""

    def __init__(self):
        self.cell, self.head = layers.LSTMCell(UNITS), layers.Dense(1)
        series = keras.Input((WINDOW, 1))
        states = layers.RNN(self.cell, return_sequences=True)(series)
        self.model = keras.Model(series, self.head(states))
        rate = keras.optimizers.schedules.ExponentialDecay(0.01, KNOWN // BATCH, 0.8)
        self.model.compile(keras.optimizers.Adam(rate), "mse")

    async def learn(self, series):
        """Train for one epoch on all windows of a series; return the mean squared error."""
        windows = np.lib.stride_tricks.sliding_window_view(series, WINDOW + 1)[..., None]
        history = await self.model.fit_async(
            windows[:, :-1], windows[:, 1:], batch_size=BATCH, verbose=0
        )
        return history.history["loss"][0]

    @tf.function
    def forecast(self, known):
        """Forecast AHEAD values after the known ones [n], each from the values before it."""
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
