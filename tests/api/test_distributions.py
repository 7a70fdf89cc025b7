"""``tf.compat.v1.distributions``: the distributions of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import compare, error

import tfpy

RANDOM = np.random.default_rng(9)
POSITIVE = RANDOM.uniform(1.5, 4.0, [3, 4]).astype(np.float32)
ROWS = RANDOM.uniform(0.2, 2.0, [2, 3]).astype(np.float32)
PROBS = ROWS / ROWS.sum(-1, keepdims=True)
REAL = np.array([[-30.0, -2.0, 0.0, 1.5], [0.3, 4.5, 7.0, 30.0], [1.0, -1.0, 2.0, -7.0]], "float32")
INSIDE = RANDOM.uniform(0.05, 0.95, [3, 4]).astype(np.float32)
CONTINUOUS = (
    *("log_prob(x)", "prob(x)", "log_cdf(x)", "cdf(x)", "survival_function(x)"),
    *("log_survival_function(x)", "entropy()", "mean()", "variance()", "stddev()", "mode()"),
)
DISCRETE = ("log_prob(x)", "prob(x)", "entropy()", "mode()")
VECTORS = ("log_prob(x)", "prob(x)", "mean()", "variance()", "stddev()", "covariance()")

CASES: dict[str, tuple[str, Any, tuple[str, ...]]] = {
    "normal": ("Normal(0.5, a)", REAL, CONTINUOUS),
    "laplace": ("Laplace(0.5, a)", REAL, CONTINUOUS),
    "student": ("StudentT(a, 0.5, 2.0)", REAL, tuple(c for c in CONTINUOUS if "log_s" not in c)),
    "uniform": ("Uniform(-a, a)", REAL, tuple(c for c in CONTINUOUS if "mode" not in c)),
    "gamma": ("Gamma(a, 2.0)", POSITIVE, CONTINUOUS),
    "exponential": ("Exponential(a)", POSITIVE, (*CONTINUOUS, "log_survival_function(x)")),
    "beta": ("Beta(a, 2.5)", INSIDE, CONTINUOUS),
    "bernoulli": ("Bernoulli(probs=p[0])", [0, 1, 1], (*DISCRETE, "mean()", "variance()")),
    "logits": ("Bernoulli(logits=x)", REAL, ("mean()", "stddev()", "mode()", "entropy()")),
    "categorical": ("Categorical(probs=p)", [0, 2], (*DISCRETE, "cdf(x)")),
    "classes": ("Categorical(logits=p)", [[0, 2], [1, 1]], DISCRETE),
    "dirichlet": ("Dirichlet(r + 1.0)", PROBS, (*VECTORS, "entropy()")),
    "multinomial": ("Multinomial(4.0, probs=p)", [[1.0, 2.0, 1.0], [4.0, 0.0, 0.0]], VECTORS),
    "counts": ("DirichletMultinomial(4.0, r)", [[1.0, 2.0, 1.0], [0.0, 1.0, 3.0]], VECTORS),
}
SHAPES = ("batch_shape", "event_shape", "dtype.name", "name", "allow_nan_stats", "validate_args")
TENSORS = ("batch_shape_tensor()", "event_shape_tensor()", "is_scalar_batch()", "is_scalar_event()")


def check(program: Callable[[Any], Any], tolerance: float = 1e-5) -> None:
    """Compare the results of a program with both libraries."""
    compare(program(tfpy), program(tensorflow), tolerance, program.__name__)


def made(tf: Any, call: str, x: Any = None) -> Any:
    """Return a distribution."""
    names = {"a": tf.constant(POSITIVE), "r": tf.constant(ROWS), "p": tf.constant(PROBS), "x": x}
    return eval(f"tfd.{call}", {"tfd": tf.compat.v1.distributions}, names)


@pytest.mark.parametrize("case", CASES)
def test_statistics(case: str) -> None:
    """Probabilities, statistics and shapes are equal."""

    def program(tf: Any) -> Any:
        call, x, methods = CASES[case]
        one = made(tf, call, tf.constant(x))
        names = {"one": one, "x": x}
        found = {m: eval(f"one.{m}", names) for m in (*methods, *TENSORS)}
        facts = [str(eval(f"one.{s}", names)) for s in SHAPES]
        return [found, facts, str(one), repr(one)]

    check(program, 3e-5)


@pytest.mark.parametrize("case", CASES)
def test_samples(case: str) -> None:
    """Samples with a seed have the same values."""
    call, x, _ = CASES[case]

    def program(tf: Any) -> Any:
        tf.random.set_seed(1)
        one = made(tf, call, tf.constant(x))
        return [one.sample(seed=3), one.sample(2, seed=4), one.sample([2, 1], seed=5)]

    check(program, 1e-4)


@pytest.mark.parametrize("case", CASES)
def test_graphs(case: str) -> None:
    """Distributions with placeholders compute in sessions."""
    call, x, methods = CASES[case]

    def program(tf: Any) -> Any:
        one = tf.compat.v1
        with tf.Graph().as_default():
            fed = one.placeholder(tf.convert_to_tensor(x).dtype, np.shape(x))
            parameters = {
                "a": one.placeholder_with_default(POSITIVE, None),
                "r": one.placeholder_with_default(ROWS, [None, 3]),
                "p": one.placeholder_with_default(PROBS, [None, 3]),
            }
            names = {"tfd": one.distributions, "x": fed, **parameters}
            made = eval(f"tfd.{call}", names)
            names["one"] = made
            found = [eval(f"one.{m}", names) for m in methods[:4]]
            found += [made.batch_shape_tensor(), made.is_scalar_batch()]
            drawn = made.sample([2], seed=1)
            with one.Session() as session:
                values = session.run(found, {fed: x})
                return values, session.run(drawn, {fed: x}).shape, str(made)

    check(program, 1e-4)


PAIRS = {
    "Normal(0.5, a)": "Normal(1.0, 2.0)",
    "Gamma(a, 2.0)": "Gamma(3.0, a)",
    "Beta(a, 2.5)": "Beta(2.0, a)",
    "Bernoulli(probs=p)": "Bernoulli(logits=p)",
    "Categorical(probs=p)": "Categorical(logits=p)",
    "Dirichlet(r)": "Dirichlet(p)",
}


@pytest.mark.parametrize("first", PAIRS)
def test_divergences(first: str) -> None:
    """Divergences and cross entropies are equal."""

    def program(tf: Any) -> Any:
        one, other = made(tf, first), made(tf, PAIRS[first])
        tfd = tf.compat.v1.distributions
        return [tfd.kl_divergence(one, other), one.kl_divergence(other), one.cross_entropy(other)]

    check(program, 1e-4)


def test_own_classes() -> None:
    """Classes of programs inherit, and missing methods follow from others."""

    def program(tf: Any) -> Any:
        tfd = tf.compat.v1.distributions

        class Logistic(tfd.Distribution):  # type: ignore[misc, name-defined]
            def __init__(self, loc: float) -> None:
                super().__init__(
                    tf.float32, tfd.FULLY_REPARAMETERIZED, False, True, {"loc": loc}, name="log"
                )
                self.loc = loc

            def _cdf(self, value: Any) -> Any:
                return tf.sigmoid(value - self.loc)

            def _log_prob(self, value: Any) -> Any:
                return -tf.abs(value - self.loc)

            def _variance(self) -> Any:
                return tf.constant(4.0)

        one = Logistic(1.0)
        assert one.copy(loc=2.0).loc == 2.0
        assert one.parameters == {"loc": 1.0}

        class Child(Logistic):
            pass

        @tfd.RegisterKL(Logistic, Logistic)
        def distance(a: Any, b: Any, name: str | None = None) -> Any:
            return tf.constant(a.loc - b.loc)

        assert distance(one, one) == 0
        values = [one.log_cdf(0.0), one.survival_function(2.0), one.prob(2.0), one.stddev()]
        return [*values, tfd.kl_divergence(Child(3.0), one), one.log_survival_function(1.0)]

    check(program)
    for name in ("mean()", "sample()", "entropy()", "quantile(0.5)", "covariance()"):
        check(lambda tf, n=name: error(lambda: eval(f"d.{n}", {"d": Plain.of(tf)})))


class Plain:
    """A class without methods."""

    @staticmethod
    def of(tf: Any) -> Any:
        """Return a distribution."""
        tfd = tf.compat.v1.distributions
        kind = type("Empty", (tfd.Distribution,), {})
        return kind(tf.float32, tfd.NOT_REPARAMETERIZED, False, True)


WRONG = (
    "tfd.Normal(0.0, [1.0, -1.0], validate_args=True)",
    "tfd.Gamma([1.0, -1.0], 1.0, validate_args=True)",
    "tfd.Uniform(2.0, 1.0, validate_args=True)",
    "tfd.Beta(-1.0, 1.0, validate_args=True)",
    "tfd.Bernoulli(probs=[0.5, 1.5], validate_args=True)",
    "tfd.Bernoulli()",
    "tfd.Bernoulli(logits=0.0, probs=0.5)",
    "tfd.Bernoulli(logits=1)",
    "tfd.Categorical(probs=[0.5, 0.4], validate_args=True)",
    "tfd.Categorical(logits=[0.5], validate_args=True)",
    "tfd.Multinomial(2.5, probs=[0.5, 0.5], validate_args=True)",
    "tfd.Multinomial(2.0, probs=[0.5, 0.5], validate_args=True).prob([1.0, 2.0])",
    "tfd.Dirichlet([1.0, 2.0], validate_args=True).prob([0.5, 0.6])",
    "tfd.Beta(0.5, 0.5, allow_nan_stats=False).mode()",
    "tfd.StudentT(0.5, 0.5, 1.0, allow_nan_stats=False).mean()",
    "tfd.Bernoulli(probs=0.5, validate_args=True).prob(-1)",
    "tfd.kl_divergence(tfd.Normal(0.0, 1.0), tfd.Uniform())",
    "tfd.RegisterKL(tfd.Normal, tfd.Normal)(print)",
    "tfd.RegisterKL(tfd.Normal, tfd.Gamma)(3)",
    "tfd.Normal(0.0, 1.0).sample([[1]])",
)


@pytest.mark.parametrize("call", WRONG)
def test_errors(call: str) -> None:
    """Wrong parameters and values raise errors of the same classes."""

    def kind(tf: Any) -> Any:
        with pytest.raises(Exception) as caught:  # noqa: PT011
            eval(call, {"tfd": tf.compat.v1.distributions})
        return caught.type.__name__

    assert kind(tfpy) == kind(tensorflow)


def test_undefined_statistics() -> None:
    """Undefined statistics are NaN."""

    def program(tf: Any) -> Any:
        tfd = tf.compat.v1.distributions
        return [
            tfd.StudentT([0.5, 1.5, 3.0], 0.5, 1.0).mean(),
            tfd.StudentT([0.5, 1.5, 3.0], 0.5, 1.0).variance(),
            tfd.Beta([0.5, 3.0], 2.0).mode(),
            tfd.Gamma([0.5, 3.0], 2.0).mode(),
            tfd.Dirichlet([[0.5, 3.0], [0.5, 2.0]]).mode(),
            tfd.Dirichlet([3.0, 2.0]).mode(),
            tfd.Normal(0.0, 1.0).quantile([0.0, 0.1, 0.5, 0.99, 1.0]),
        ]

    check(program)


def test_shapes_of_parameters() -> None:
    """Classes report the shapes of their parameters."""

    def program(tf: Any) -> Any:
        tfd = tf.compat.v1.distributions
        found = {}
        for name in ("Normal", "Gamma", "Exponential", "Beta", "Uniform", "StudentT", "Bernoulli"):
            kind = getattr(tfd, name)
            known = {key: s.as_list() for key, s in kind.param_static_shapes([2, 3]).items()}
            found[name] = [known, sorted(kind.param_shapes([4]))]
        return found

    check(program)
    assert "FULLY" in repr(tfpy.compat.v1.distributions.FULLY_REPARAMETERIZED)


def test_gradients() -> None:
    """Gradients flow from samples and probabilities to the parameters."""

    def program(tf: Any) -> Any:
        tfd = tf.compat.v1.distributions
        loc, scale, rate = tf.constant(0.5), tf.constant(2.0), tf.constant([1.0, 3.0])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([loc, scale, rate])
            normal, gamma = tfd.Normal(loc, scale), tfd.Exponential(rate)
            drawn = normal.sample(3, seed=1), gamma.sample(seed=1)
            tails = normal.log_cdf([-30.0, -5.0, 5.0, 30.0])
            chance = tfd.Bernoulli(logits=rate).sample(seed=1)
            classes = tf.cast(chance, tf.float32)
        return [
            tape.gradient(drawn[0], [loc, scale]),
            tape.gradient(drawn[1], rate),
            tape.gradient(tails, [loc, scale]),
            tape.gradient(classes, rate) is None,
        ]

    check(program, 1e-4)
