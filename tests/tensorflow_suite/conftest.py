"""What pytest does not collect: the sample, which ``tensorflow-tests`` runs."""

collect_ignore = ["sample"]
