"""The build of tfpy: one module per concern, standard library only."""
