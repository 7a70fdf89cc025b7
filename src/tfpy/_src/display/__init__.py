"""Text, HTML and SVG for terminals, notebooks and pages: tables, charts, diagrams, progress bars,
tracebacks."""
