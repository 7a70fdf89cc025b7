"""Train a transformer on the letters of a text, and generate text in its style."""

import numpy as np
from adam import Adam
from gallery import open_page

import tfpy as tf

CONTEXT = 48  # length of the network's input
WIDTH, HEADS, BLOCKS = 64, 4, 2
BATCH = 16
TEMPERATURE = 0.6  # lower values prefer likely letters
SAMPLE = 160  # letters per sample
EVERY = 20  # steps between samples


def weights(*shape):
    """Return a random matrix [inputs, outputs] that preserves the scale of its inputs."""
    return tf.Variable(tf.random.normal(shape, stddev=shape[0] ** -0.5))


def normalized(x):
    mean, variance = tf.nn.moments(x, axes=[-1], keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 1e-5)


class Block(tf.Module):
    """A transformer block: causal attention, then a small network for each letter."""

    def __init__(self):
        super().__init__()
        self.look = weights(WIDTH, 3 * WIDTH)
        self.seen = weights(WIDTH, WIDTH)
        self.widen = weights(WIDTH, 4 * WIDTH)
        self.narrow = weights(4 * WIDTH, WIDTH)

    def __call__(self, x):
        x += self.attention(normalized(x)) @ self.seen
        return x + tf.nn.gelu(normalized(x) @ self.widen) @ self.narrow

    def attention(self, x):
        """Apply causal self-attention to x [batch, letters, WIDTH]."""
        letters = x.shape[1]
        heads = tf.reshape(x @ self.look, [-1, letters, 3, HEADS, WIDTH // HEADS])
        query, key, value = tf.unstack(tf.transpose(heads, [2, 0, 3, 1, 4]))
        scores = tf.matmul(query, key, transpose_b=True) * (WIDTH // HEADS) ** -0.5
        before = tf.linalg.band_part(tf.ones([letters, letters]), -1, 0)
        found = tf.nn.softmax(tf.where(before == 1, scores, -1e9)) @ value
        return tf.reshape(tf.transpose(found, [0, 2, 1, 3]), [-1, letters, WIDTH])


class Transformer(tf.Module):
    """A model that predicts the next letter at each position of a text."""

    def __init__(self, text):
        super().__init__()
        self.letters = sorted(set(text))
        self.embedding = weights(len(self.letters), WIDTH)
        self.places = tf.Variable(tf.random.normal([CONTEXT, WIDTH], stddev=0.1))
        self.blocks = [Block() for _ in range(BLOCKS)]
        self.head = weights(WIDTH, len(self.letters))
        self.optimizer = Adam(self.trainable_variables, rate=0.003)

    def __call__(self, codes):
        """Return logits [batch, letters, len(self.letters)] for codes [batch, letters]."""
        x = tf.one_hot(codes, len(self.letters)) @ self.embedding + self.places[: codes.shape[1]]
        for block in self.blocks:
            x = block(x)
        return normalized(x) @ self.head

    def codes(self, text):
        return np.array([self.letters.index(letter) for letter in text], np.int32)

    @tf.function
    def train(self, codes):
        """Train on random windows of codes [n]; return the mean cross-entropy."""
        starts = tf.random.uniform([BATCH, 1], 0, codes.shape[0] - CONTEXT, tf.int32)
        windows = tf.gather(codes, starts + tf.range(CONTEXT + 1))
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(
                    labels=windows[:, 1:], logits=self(windows[:, :-1])
                )
            )
        self.optimizer.apply(tape.gradient(loss, self.optimizer.parameters))
        return loss

    @tf.function
    def next(self, codes, count):
        """Sample the letter that follows the first `count` codes of [CONTEXT]."""
        logits = self(codes[None])[0, count - 1]
        return tf.random.categorical(logits[None] / TEMPERATURE, 1)[0, 0]

    async def write(self, text):
        """Yield letters that continue a text, one after the other."""
        for _ in range(SAMPLE):
            end = self.codes(text[-CONTEXT:])
            codes = np.pad(end, [0, CONTEXT - len(end)])
            text += self.letters[int(await self.next(codes, tf.constant(len(end))).data())]
            yield text[-1]


page = await open_page()
while True:
    text = page.values["text"].ljust(2 * CONTEXT)
    network = Transformer(text)
    codes = tf.constant(network.codes(text))
    page.clear("losses")
    async for step in page.frames():
        loss = float(await network.train(codes).data())
        page.show(step=step + 1, loss=loss)
        page.plot("losses", step + 1, loss)
        if (step + 1) % EVERY == 0:
            written = text[:1]
            async for letter in network.write(written):
                written += letter
                page.show(written=written)
