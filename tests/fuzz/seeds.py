"""A campaign over seeds. Each seed tries something and reports errors."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable

import numpy as np

from .values import Rng


def run(
    what: str,
    try_one: Callable[[Rng], list[str]],
    seed: int,
    count: int | None,
    seconds: float | None,
) -> Counter[str]:
    """Try seeds up to a number or a time limit, and return the number of each finding.

    Args:
        what: Name of the campaign.
        try_one: Function that returns the lines of a finding, or an empty list. The last line
            identifies the kind of finding.
    """
    found: Counter[str] = Counter()
    until = time.time() + seconds if seconds is not None else float("inf")
    at = seed
    while time.time() < until and (count is None or at < seed + count):
        said = try_one(np.random.default_rng(at))
        if said:
            found[said[-1]] += 1
            if found[said[-1]] == 1:
                print(f"\n--- {what}, seed {at}", *said, sep="\n", flush=True)
        at += 1
    print(f"{what}: {at - seed} tried, {found.total()} findings", flush=True)
    return found
