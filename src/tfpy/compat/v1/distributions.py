"""`tf.compat.v1.distributions`: probability distributions of TensorFlow 1."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.distributions.base import (
    FULLY_REPARAMETERIZED as FULLY_REPARAMETERIZED,
    NOT_REPARAMETERIZED as NOT_REPARAMETERIZED,
    Distribution as Distribution,
    ReparameterizationType as ReparameterizationType,
)
from tfpy._src.library.distributions.bernoulli import (
    Bernoulli as Bernoulli,
    Categorical as Categorical,
)
from tfpy._src.library.distributions.beta import Beta as Beta
from tfpy._src.library.distributions.counting import (
    DirichletMultinomial as DirichletMultinomial,
    Multinomial as Multinomial,
)
from tfpy._src.library.distributions.dirichlet import Dirichlet as Dirichlet
from tfpy._src.library.distributions.divergences import (
    RegisterKL as RegisterKL,
    kl_divergence as kl_divergence,
)
from tfpy._src.library.distributions.gamma import Exponential as Exponential, Gamma as Gamma
from tfpy._src.library.distributions.normal import Laplace as Laplace, Normal as Normal
from tfpy._src.library.distributions.student import StudentT as StudentT
from tfpy._src.library.distributions.uniform import Uniform as Uniform
