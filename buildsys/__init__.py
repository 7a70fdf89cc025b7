"""The build of tfpy: one module for each concern, with the standard library only."""
