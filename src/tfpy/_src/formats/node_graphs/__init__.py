"""Models of other formats: node lists, their readers, and what runs them with tfpy's functions."""
