"""HTML and SVG for notebooks and pages: tables, charts, diagrams, progress bars, tracebacks."""
