"""A check that opens the demo in headless Chromium on each backend and trains it."""

from __future__ import annotations

import json
import math
import statistics
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tfpy.testing.environments import BACKENDS, ENVIRONMENTS
from tfpy.testing.sessions import Browsers, OpenPage

MINIMUM_ACCURACY = 0.97
ENOUGH = 0.95  # used where a test does not need to wait for the end
LONGEST_GAP_MS = 1000.0  # Python runs in a worker, so only a very busy machine comes near
TRAIN_SECONDS = 300.0
POLL_SECONDS = 0.25
SOFTWARE = "tfpyflags=SOFTWARE_WEBGL_ENABLED:true,WEBGPU_SOFTWARE_ENABLED:true"
COLUMNS = ("accuracy", "epoch_ms", "predict_ms", "longest_gap_ms")
DONE = ("trained", "failed")


@dataclass
class Outcome:
    """Figures and problems of one visit of the page."""

    figures: dict[str, Any]
    wrong: list[str] = field(default_factory=list)


def wait_for(
    page: OpenPage, phases: tuple[str, ...], timeout: float, enough: float = math.inf
) -> dict[str, Any]:
    """Return the page's state once it has reached one of the phases or the accuracy `enough`."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        state: dict[str, Any] = page.evaluate("globalThis.tfpyDemo", timeout)
        if state and (state["phase"] in phases or max(state["accuracies"], default=0) >= enough):
            return state
        time.sleep(POLL_SECONDS)
    raise TimeoutError(f"the demo did not come to {' or '.join(phases)} in {timeout:g} s")


def problems_of(page: OpenPage, state: dict[str, Any]) -> list[str]:
    return [*([state["error"]] if state["error"] else []), *page.problems]


def accuracy_with(browsers: Browsers, site: str, backend: str, flags: str) -> dict[str, Any]:
    """Return the demo's state in Chromium with more flags, once its accuracy is high enough."""
    url = f"{site}?auto=1&backend={backend}&{SOFTWARE},{flags}"
    page = browsers.open("chromium", ENVIRONMENTS["default"], url)
    try:
        return wait_for(page, DONE, TRAIN_SECONDS, ENOUGH)
    finally:
        page.close()


def check_backend(browsers: Browsers, site: str, browser: str, backend: str) -> Outcome:
    """Train the demo on one backend."""
    url = f"{site}?auto=1&backend={backend}&{SOFTWARE}"
    page = browsers.open(browser, ENVIRONMENTS["default"], url)
    try:
        state = wait_for(page, DONE, TRAIN_SECONDS)
        outcome = Outcome({"backend": state["backend"]}, problems_of(page, state))
    finally:
        page.close()
    if state["phase"] == "failed":
        return outcome
    outcome.figures |= {
        "accuracy": state["accuracies"][-1],
        "epoch_ms": round(statistics.median(state["epochMs"]), 1),
        "predict_ms": round(statistics.median(state["predictMs"]), 2),
        "variant": state["report"][state["backend"]]["variant"],
        "longest_gap_ms": round(state["longestGapMs"], 1),
    }
    outcome.wrong += wrong_figures(outcome.figures, backend)
    return outcome


def wrong_figures(figures: dict[str, Any], backend: str) -> list[str]:
    """Return the figures that are outside their bounds, as text."""
    wrong = []
    if figures["backend"] != backend:
        wrong.append(f"ran on {figures['backend']}")
    if figures["accuracy"] < MINIMUM_ACCURACY:
        wrong.append(f"accuracy {figures['accuracy']:.4f} is below {MINIMUM_ACCURACY}")
    if figures["longest_gap_ms"] > LONGEST_GAP_MS:
        wrong.append(f"the page froze for {figures['longest_gap_ms']:.0f} ms")
    return wrong


def check_automatic(browsers: Browsers, site: str) -> Outcome:
    """Open the demo without options and check which backend is chosen and why not the others."""
    page = browsers.open("chromium", ENVIRONMENTS["default"], site)
    try:
        state = wait_for(page, ("ready", "failed"), TRAIN_SECONDS)
        figures = {"backend": state["backend"], "report": state["report"]}
        return Outcome(figures, problems_of(page, state))
    finally:
        page.close()


def attempt(check: Any, *arguments: Any) -> Outcome:
    """Return the outcome of a check. An exception counts as a failed check."""
    try:
        outcome: Outcome = check(*arguments)
        return outcome
    except Exception as error:
        return Outcome({}, [f"{type(error).__name__}: {error}"])


def print_table(outcomes: dict[str, Outcome]) -> None:
    print(f"{'backend':8}" + "".join(f"{name:>15}" for name in COLUMNS) + "  variant")
    for name, outcome in outcomes.items():
        figures = outcome.figures
        if "accuracy" in figures:
            shown = "".join(f"{figures[column]:15.4g}" for column in COLUMNS)
            print(f"{name:8}{shown}  {figures['variant']}")
    automatic = outcomes["auto"].figures
    print(f"chosen automatically: {automatic.get('backend', 'none')}")
    for name, state in automatic.get("report", {}).items():
        print(f"  {name:8} {state['status']:10} {state['reason'] or state['variant']}")


def main(site_url: str, json_path: str | None = None) -> int:
    """Check the demo at this address and return the exit status.

    Print a table, and if `json_path` is given, write the figures there as JSON.
    """
    outcomes: dict[str, Outcome] = {}
    browsers = Browsers({})
    try:
        for backend in BACKENDS:
            print(f"training on {backend} ...", flush=True)
            outcomes[backend] = attempt(check_backend, browsers, site_url, "chromium", backend)
        outcomes["auto"] = attempt(check_automatic, browsers, site_url)
    finally:
        browsers.close()
    print_table(outcomes)
    if json_path:
        figures = {name: outcome.figures for name, outcome in outcomes.items()}
        Path(json_path).write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    for name, outcome in outcomes.items():
        for line in outcome.wrong:
            print(f"WRONG ({name}): {line}")
    return 1 if any(outcome.wrong for outcome in outcomes.values()) else 0
