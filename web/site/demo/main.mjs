// The demo page: connects demo.py, which runs in a worker, to the page's controls.
//
// ?backend=NAME selects the initial backend, ?auto=1 starts training at once, and
// ?tfpyflags=NAME:VALUE,... sets flags of tf.env(), as on every page.

import { noteOn, showBackends } from "../backends.mjs";
import { styled } from "../output.mjs";
import { fixed, openPlot } from "../plots.mjs";
import { showShare } from "../progress.mjs";
import { withoutTraceback } from "../tfpy.mjs";
import { startEngine } from "./engine.mjs";
import { openPad, showDigit, toDigit } from "./pad.mjs";
import { watchResponsiveness } from "./responsiveness.mjs";

/**
 * The state of the page, for tests and other automation.
 * @typedef {object} DemoState
 * @property {"loading" | "ready" | "training" | "trained" | "failed"} phase
 * @property {string} backend
 * @property {Record<string, import("../backends.mjs").BackendState>} report
 * @property {number[]} accuracies held-out accuracy after each epoch
 * @property {number[]} epochMs
 * @property {number[]} predictMs
 * @property {number} longestGapMs the same in all later steps
 * @property {string} error
 */

/** @type {DemoState} */
const state = {
  phase: "loading",
  backend: "",
  report: {},
  accuracies: [],
  epochMs: [],
  predictMs: [],
  longestGapMs: 0,
  error: "",
};
Object.assign(globalThis, { tfpyDemo: state });

const PREDICTIONS_TIMED = 10;
const parameters = new URLSearchParams(location.search);

/** @type {(id: string) => any} */
const $ = (id) => document.getElementById(id);

const lossPlot = openPlot($("loss-plot"), {
  points: false,
  range: [0, null],
  format: fixed,
});
const accuracyPlot = openPlot($("accuracy-plot"), {
  points: true,
  range: [0.8, 1],
  format: (value, digits) => `${fixed(value * 100, Math.max(digits - 2, 0))} %`,
});

/** @type {Uint8Array} */
let digit = new Uint8Array(64);

/** @type {{count: number, images: string}} held-out digits with 64 values each, in base64 */
let samples = { count: 0, images: "" };

/**
 * Return a random held-out digit.
 * @param {typeof samples} digits
 */
function sampleOf({ count, images }) {
  const values = Uint8Array.from(atob(images), (letter) => letter.charCodeAt(0));
  const first = 64 * Math.floor(Math.random() * count);
  return values.slice(first, first + 64);
}

/** @param {string} url */
async function text(url) {
  const response = await fetch(new URL(url, import.meta.url));
  if (!response.ok) {
    throw new Error(`${response.url}: ${response.status} ${response.statusText}`);
  }
  return response.text();
}

/** @param {unknown} error */
function fail(error) {
  console.error(error);
  state.phase = "failed";
  state.error = error instanceof Error ? error.message : String(error);
  $("status").replaceChildren(styled(withoutTraceback(error)));
  $("status").className = "error";
  $("progress").value = 0;
}

/** @template {any[]} A @param {(...args: A) => Promise<void>} action */
const guarded =
  (action) =>
  (/** @type {A} */ ...args) =>
    action(...args).catch(fail);

/** @param {{backend: string, report: DemoState["report"]}} backends */
function showReport(backends) {
  Object.assign(state, backends);
  showBackends($("backend-list"), state.report, state.backend, guarded(pick));
}

/** Clear the results of the last training. */
function clearResults() {
  lossPlot.clear();
  accuracyPlot.clear();
  Object.assign(state, { phase: "ready", accuracies: [], epochMs: [], predictMs: [] });
  $("progress").value = 0;
  for (const id of ["step", "loss", "accuracy", "step-time"]) {
    $(id).textContent = "–";
  }
}

/** @param {string} name */
async function pick(name) {
  await engine("stop");
  await training;
  $("status").textContent = `starting ${name}`;
  try {
    showReport(await engine("pick", name));
    clearResults();
    $("status").textContent = `${name} is ready`;
  } catch (error) {
    console.info(error);
    showReport(await engine("backends"));
    $("status").textContent = noteOn(name, state.report[name]);
  }
}

/** Handlers of the worker's events. */
const engine = startEngine({
  /** @param {import("../tfpy.mjs").Progress} progress */
  progress(progress) {
    $("percent").textContent = showShare($("progress"), progress);
    if ($("status").textContent !== progress.message) $("status").textContent = progress.message;
  },
  /** @type {(done: number, steps: number, loss: number, ms: number) => void} */
  step(done, steps, loss, ms) {
    if (done === 1) $("status").textContent = `training on ${state.backend}`;
    $("progress").value = done / steps;
    $("step").textContent = `${done} / ${steps}`;
    $("loss").textContent = loss.toFixed(3);
    $("step-time").textContent = `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
    lossPlot.add(done, loss);
  },
  /** @type {(done: number, accuracy: number, ms: number) => void} */
  epoch(done, accuracy, ms) {
    state.accuracies.push(accuracy);
    state.epochMs.push(ms);
    $("accuracy").textContent = `${(accuracy * 100).toFixed(1)} %`;
    $("status").textContent = `epoch ${done}: ${(ms / 1000).toFixed(2)} s on ${state.backend}`;
    accuracyPlot.add(done, accuracy);
  },
});

async function train() {
  await engine("reset");
  clearResults();
  state.phase = "training";
  $("train").textContent = "Stop";
  $("status").textContent = "compiling kernels";
  const watch = watchResponsiveness();
  let finished = false;
  try {
    finished = await engine("train");
  } finally {
    state.longestGapMs = watch.stop();
    $("train").textContent = "Train";
  }
  if (!finished) {
    state.phase = "ready";
    $("status").textContent = "stopped";
    return;
  }
  await timePredictions();
  await predict();
  state.phase = "trained";
}

async function timePredictions() {
  for (let i = 0; i < PREDICTIONS_TIMED; i++) {
    const start = performance.now();
    await engine("predict", digit);
    state.predictMs.push(performance.now() - start);
  }
}

/** Show the probabilities for the drawn digit. */
async function predict() {
  const probabilities = /** @type {number[]} */ (await engine("predict", digit));
  const best = digit.some(Boolean) ? probabilities.indexOf(Math.max(...probabilities)) : -1;
  for (const [index, item] of [...$("probabilities").children].entries()) {
    const share = best < 0 ? 0 : probabilities[index];
    item.className = index === best ? "best" : "";
    item.querySelector(".fill").style.width = `${share * 100}%`;
    item.querySelector(".share").textContent = `${(share * 100).toFixed(1)} %`;
  }
  const answer = best < 0 ? "" : `The network sees a ${best}.`;
  if ($("answer").textContent !== answer) $("answer").textContent = answer;
}

function addProbabilityBars() {
  for (let i = 0; i < 10; i++) {
    const item = document.createElement("li");
    item.innerHTML = `<span>${i}</span><div class="track"><div class="fill"></div></div><span class="share"></span>`;
    $("probabilities").append(item);
  }
}

let predicting = false;
async function predictDrawing() {
  if (predicting || state.phase === "loading") {
    return; // the running prediction checks at its end whether the drawing has changed
  }
  predicting = true;
  try {
    for (let seen; seen !== digit; ) {
      seen = digit;
      await predict();
    }
  } finally {
    predicting = false;
  }
}

/** @type {Promise<void>} */
let training = Promise.resolve();
function toggleTraining() {
  if (state.phase === "training") {
    guarded(engine)("stop");
  } else {
    training = guarded(train)();
  }
}

async function main() {
  addProbabilityBars();
  const pad = openPad($("pad"), (strokes) => {
    digit = toDigit(strokes);
    showDigit($("seen"), digit);
    guarded(predictDrawing)();
  });
  $("clear").addEventListener("click", pad.clear);
  pad.clear();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () =>
    showDigit($("seen"), digit),
  );
  $("sample").addEventListener("click", () => {
    digit = sampleOf(samples);
    showDigit($("seen"), digit);
    pad.show(digit);
    guarded(predictDrawing)();
  });

  const [source, digits] = await Promise.all([text("demo.py"), text("../data/digits.json")]);
  $("source").tabIndex = 0; // for scrolling by keyboard
  $("source").textContent = source;
  samples = JSON.parse(digits).test;
  $("sample").disabled = false;
  const opened = await engine("open", {
    source,
    digits,
    backend: parameters.get("backend") ?? undefined,
  });
  showReport(opened);
  clearResults();
  $("train").disabled = false;
  $("train").addEventListener("click", toggleTraining);
  if (parameters.has("auto")) {
    toggleTraining();
  }
}

guarded(main)();
