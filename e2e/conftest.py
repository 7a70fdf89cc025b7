"""The tests in browsers use tfpy's own plugin, as a user's tests do."""

pytest_plugins = ["tfpy.testing.plugin"]
