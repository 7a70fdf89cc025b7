"""Twins with generative networks."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
import tensorflow as tf
from keras import layers, ops
from twins import floats, learnt, twin


@twin
def variational_autoencoder() -> Any:
    class Sampling(layers.Layer):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            self.seeds = keras.random.SeedGenerator(1337)

        def call(self, inputs: Any) -> Any:
            mean, log_var = inputs
            noise = keras.random.normal(ops.shape(mean), seed=self.seeds)
            return mean + ops.exp(0.5 * log_var) * noise

    class VAE(keras.Model):
        def __init__(self, encoder: Any, decoder: Any) -> None:
            super().__init__()
            self.encoder, self.decoder = encoder, decoder
            self.trackers = [keras.metrics.Mean(n) for n in ("total", "reconstruction", "kl")]

        @property
        def metrics(self) -> Any:
            return self.trackers

        def train_step(self, data: Any) -> Any:
            with tf.GradientTape() as tape:
                mean, log_var, z = self.encoder(data)
                out = self.decoder(z)
                errors = keras.losses.binary_crossentropy(data, out)
                reconstruction = tf.reduce_mean(tf.reduce_sum(errors, axis=(1, 2)))
                kl = -0.5 * (1 + log_var - tf.square(mean) - tf.exp(log_var))
                kl = tf.reduce_mean(tf.reduce_sum(kl, axis=1))
                total = reconstruction + kl
            grads = tape.gradient(total, self.trainable_weights)
            self.optimizer.apply_gradients(zip(grads, self.trainable_weights, strict=True))
            for tracker, value in zip(self.trackers, (total, reconstruction, kl), strict=True):
                tracker.update_state(value)
            return {m.name: m.result() for m in self.metrics}

    inputs = keras.Input((8, 8, 1))
    x = layers.Conv2D(4, 3, activation="relu", strides=2, padding="same")(inputs)
    x = layers.Dense(8, activation="relu")(layers.Flatten()(x))
    mean, log_var = layers.Dense(2)(x), layers.Dense(2)(x)
    encoder = keras.Model(inputs, [mean, log_var, Sampling()([mean, log_var])])
    codes = keras.Input((2,))
    x = layers.Reshape((4, 4, 4))(layers.Dense(64, activation="relu")(codes))
    x = layers.Conv2DTranspose(4, 3, activation="relu", strides=2, padding="same")(x)
    decoder = keras.Model(codes, layers.Conv2DTranspose(1, 3, padding="same")(x))
    decoder = keras.Sequential([decoder, layers.Activation("sigmoid")])
    model = VAE(encoder, decoder)
    model.compile(keras.optimizers.Adam())
    x = 1 / (1 + np.exp(-floats(40, 8, 8, 1)))
    history = model.fit(x, epochs=2, batch_size=8, verbose=0).history
    return history, model.get_weights(), decoder.predict(floats(4, 2), verbose=0)


@twin
def adversarial_pair() -> Any:
    class GAN(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.discriminator = keras.Sequential(
                [
                    keras.Input((8, 8, 1)),
                    layers.Conv2D(6, 3, strides=2, padding="same"),
                    layers.LeakyReLU(negative_slope=0.2),
                    layers.GlobalMaxPooling2D(),
                    layers.Dense(1),
                ]
            )
            self.generator = keras.Sequential(
                [
                    keras.Input((5,)),
                    layers.Dense(4 * 4 * 5),
                    layers.LeakyReLU(negative_slope=0.2),
                    layers.Reshape((4, 4, 5)),
                    layers.Conv2DTranspose(6, 4, strides=2, padding="same"),
                    layers.Conv2D(1, 7, padding="same", activation="sigmoid"),
                ]
            )
            self.seeds = keras.random.SeedGenerator(5)
            self.built = True

        def compile(self, d_optimizer: Any, g_optimizer: Any, loss: Any) -> None:
            super().compile()
            self.d_optimizer, self.g_optimizer, self.loss_of = d_optimizer, g_optimizer, loss
            self.d_loss, self.g_loss = keras.metrics.Mean("d_loss"), keras.metrics.Mean("g_loss")

        def train_step(self, real: Any) -> Any:
            size = tf.shape(real)[0]
            fakes = self.generator(keras.random.normal((size, 5), seed=self.seeds))
            both = tf.concat([fakes, real], axis=0)
            labels = tf.concat([tf.ones((size, 1)), tf.zeros((size, 1))], axis=0)
            labels += 0.05 * keras.random.uniform(tf.shape(labels), seed=self.seeds)
            with tf.GradientTape() as tape:
                d_loss = self.loss_of(labels, self.discriminator(both))
            weights = self.discriminator.trainable_weights
            self.d_optimizer.apply(tape.gradient(d_loss, weights), weights)
            noise = keras.random.normal((size, 5), seed=self.seeds)
            with tf.GradientTape() as tape:
                g_loss = self.loss_of(
                    tf.zeros((size, 1)), self.discriminator(self.generator(noise))
                )
            weights = self.generator.trainable_weights
            self.g_optimizer.apply(tape.gradient(g_loss, weights), weights)
            self.d_loss.update_state(d_loss)
            self.g_loss.update_state(g_loss)
            return {"d": self.d_loss.result(), "g": self.g_loss.result()}

    model = GAN()
    model.compile(
        keras.optimizers.Adam(0.0003),
        keras.optimizers.Adam(0.0003, beta_1=0.5),
        keras.losses.BinaryCrossentropy(from_logits=True),
    )
    data = tf.data.Dataset.from_tensor_slices(floats(40, 8, 8, 1))
    data = data.shuffle(40, seed=2).batch(8, drop_remainder=True)
    return model.fit(data, epochs=2, verbose=0).history, model.get_weights()


@twin
def gradient_penalty() -> Any:
    critic = keras.Sequential(
        [keras.Input((6,)), layers.Dense(8, "tanh"), layers.Dense(8, "softplus"), layers.Dense(1)]
    )
    optimizer = keras.optimizers.RMSprop(0.01)
    real = floats(8, 6)
    fake = real[::-1] * 2 + 1

    @tf.function
    def step(mix: Any) -> Any:
        with tf.GradientTape() as outer:
            between = real + mix * (fake - real)
            with tf.GradientTape() as inner:
                inner.watch(between)
                scores = critic(between, training=True)
            slope = inner.gradient(scores, between)
            norm = tf.sqrt(tf.reduce_sum(slope**2, axis=1) + 1e-12)
            penalty = tf.reduce_mean((norm - 1.0) ** 2)
            loss = tf.reduce_mean(critic(fake)) - tf.reduce_mean(critic(real)) + 10 * penalty
        optimizer.apply(outer.gradient(loss, critic.trainable_weights), critic.trainable_weights)
        return loss, penalty

    mixes = np.abs(floats(10, 8, 1)) % 1
    return [[x.numpy() for x in step(tf.constant(m))] for m in mixes], critic.get_weights()


@twin
def denoising_diffusion() -> Any:
    class Diffusion(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            x, time = keras.Input((8,)), keras.Input((1,))
            both = layers.Concatenate()([x, ops.sin(3 * time), ops.cos(3 * time)])
            out = layers.Dense(8)(layers.Dense(16, "swish")(both))
            self.network = keras.Model([x, time], out)
            self.average = keras.models.clone_model(self.network)
            self.average.set_weights(self.network.get_weights())
            self.normal = layers.Normalization()
            self.seeds = keras.random.SeedGenerator(11)

        def schedule(self, times: Any) -> Any:
            low, high = ops.arccos(0.95), ops.arccos(0.02)
            angles = low + times * (high - low)
            return ops.sin(angles), ops.cos(angles)

        def train_step(self, x: Any) -> Any:
            x = self.normal(x)
            noise = keras.random.normal(ops.shape(x), seed=self.seeds)
            times = keras.random.uniform((ops.shape(x)[0], 1), seed=self.seeds)
            noises, signals = self.schedule(times)
            with tf.GradientTape() as tape:
                guess = self.network([signals * x + noises * noise, noises**2], training=True)
                loss = self.compute_loss(y=noise, y_pred=guess)
            grads = tape.gradient(loss, self.network.trainable_weights)
            self.optimizer.apply(grads, self.network.trainable_weights)
            for weight, mean in zip(self.network.weights, self.average.weights, strict=True):
                mean.assign(0.9 * mean + 0.1 * weight)
            return {"loss": loss}

        def generate(self, x: Any, steps: int) -> Any:
            for step in range(steps):
                now = ops.ones((len(x), 1)) * (1 - step / steps)
                noises, signals = self.schedule(now)
                noise = self.average([x, noises**2], training=False)
                clean = (x - noises * noise) / signals
                noises, signals = self.schedule(now - 1 / steps)
                x = signals * clean + noises * noise
            return x

    model = Diffusion()
    x = 2 + 3 * floats(40, 8)
    model.normal.adapt(x)
    model.compile(keras.optimizers.AdamW(0.01), "mean_absolute_error")
    history = model.fit(x, batch_size=8, epochs=2, shuffle=False, verbose=0).history
    return history, model.get_weights(), np.asarray(model.generate(tf.constant(floats(4, 8)), 5))


@twin
def codebook() -> Any:
    class Quantizer(layers.Layer):
        def __init__(self, count: int, size: int) -> None:
            super().__init__()
            self.count, self.size = count, size

        def build(self, _: Any) -> None:
            self.codes = self.add_weight(shape=(self.size, self.count), initializer="uniform")

        def call(self, x: Any) -> Any:
            flat = ops.reshape(x, (-1, self.size))
            far = ops.sum(flat**2, 1, keepdims=True) + ops.sum(self.codes**2, 0)
            picked = ops.argmin(far - 2 * flat @ self.codes, axis=1)
            found = ops.one_hot(picked, self.count) @ ops.transpose(self.codes)
            found = ops.reshape(found, ops.shape(x))
            commitment = ops.mean((ops.stop_gradient(found) - x) ** 2)
            self.add_loss(0.25 * commitment + ops.mean((found - ops.stop_gradient(x)) ** 2))
            return x + ops.stop_gradient(found - x)

    inputs = keras.Input((12,))
    code = layers.Reshape((4, 2))(layers.Dense(8)(inputs))
    x = layers.Dense(12)(layers.Flatten()(Quantizer(6, 2)(code)))
    model = keras.Model(inputs, x)
    model.compile("adam", "mse")
    x = floats(40, 12)
    return learnt(model, x, x)


@twin
def real_valued_flow() -> Any:
    def coupling() -> Any:
        inputs = keras.Input((2,))
        x = layers.Dense(8, "relu", kernel_regularizer=keras.regularizers.L2(0.01))(inputs)
        return keras.Model(inputs, [layers.Dense(2)(x), layers.Dense(2, "tanh")(x)])

    class Flow(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.parts = [coupling() for _ in range(3)]
            self.masks = np.array([[0, 1], [1, 0], [0, 1]], "float32")

        def call(self, x: Any) -> Any:
            total = 0.0
            for mask, part in zip(self.masks, self.parts, strict=True):
                shift, scale = part(x * mask)
                shift, scale = shift * (1 - mask), scale * (1 - mask)
                x = x * mask + (1 - mask) * (x * tf.exp(scale) + shift)
                total += tf.reduce_sum(scale, axis=1)
            return x, total

        def train_step(self, data: Any) -> Any:
            with tf.GradientTape() as tape:
                z, log_det = self(data)
                likelihood = -0.5 * tf.reduce_sum(z**2, axis=1) - np.log(2 * np.pi) + log_det
                loss = -tf.reduce_mean(likelihood) + tf.add_n(self.losses)
            self.optimizer.apply(
                tape.gradient(loss, self.trainable_variables), self.trainable_variables
            )
            return {"loss": loss}

    model = Flow()
    model.compile(keras.optimizers.Adam(0.01))
    return model.fit(floats(40, 2), batch_size=8, epochs=2, verbose=0).history, model.get_weights()
