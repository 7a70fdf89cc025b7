"""The engine. What a user may import stands in the modules of ``tfpy`` itself."""
