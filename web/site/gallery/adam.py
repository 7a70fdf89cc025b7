"""The Adam optimizer, for pages that do not load Keras."""

import tfpy as tf


class Adam(tf.Module):
    """Adam (Kingma and Ba, https://arxiv.org/abs/1412.6980) for a list of Variables."""

    def __init__(self, variables, rate=0.001, beta_1=0.9, beta_2=0.99):
        super().__init__()
        self.parameters = variables
        self.rate, self.beta_1, self.beta_2 = rate, beta_1, beta_2
        self.means = [tf.Variable(tf.zeros_like(variable)) for variable in variables]
        self.squares = [tf.Variable(tf.zeros_like(variable)) for variable in variables]
        self.steps = tf.Variable(0.0)

    def apply(self, gradients):
        """Update each Variable with its gradient."""
        steps = self.steps.assign_add(1.0)
        rate = self.rate * tf.sqrt(1 - self.beta_2**steps) / (1 - self.beta_1**steps)
        kept = zip(self.parameters, gradients, self.means, self.squares, strict=True)
        for variable, gradient, mean, square in kept:
            mean.assign(self.beta_1 * mean + (1 - self.beta_1) * gradient)
            square.assign(self.beta_2 * square + (1 - self.beta_2) * gradient**2)
            variable.assign_sub(rate * mean / (tf.sqrt(square) + 1e-7))
