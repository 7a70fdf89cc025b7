"""The tests in browsers use tfpy's own plugin, as a user's tests do."""

from e2e.webgl_page import evaluate, rng, small_bands

__all__ = ["evaluate", "rng", "small_bands"]

pytest_plugins = ["tfpy.testing.plugin"]
