"""Exclusion of the sample, which ``tensorflow-tests`` runs, from the collection of pytest."""

collect_ignore = ["sample"]
