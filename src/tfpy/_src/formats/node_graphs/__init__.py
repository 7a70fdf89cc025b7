"""Models of other formats as lists of nodes, which tfpy's functions run."""
