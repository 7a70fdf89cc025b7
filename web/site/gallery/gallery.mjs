// The page around a gallery program: it passes canvases and controls to the Python code in its
// <script type="text/tfpy" worker>, and shows the results (gallery.py is the other side).
//
// <button id="run"> starts and stops; data-start is its label instead of "Start". <select id="pictures"> selects
// the source of images; without a camera the first option is selected, and the element "camera" shows the reason.
// Any other button, input, select and textarea with an id is a control; those with data-restart restart the
// program. A slider's value is shown next to it; with data-power, 10 to the power of the value.
// <div class="plot" data-lines="a, b"> is a plot. The elements "backend-list" and "source", if they exist,
// show the backends and the program. "?backend=NAME" selects a backend, and "?run" starts at once.

import { showBackends } from "../backends.mjs";
import { fixed, openPlot } from "../plots.mjs";
import { takePicture } from "./camera.mjs";
import { watchTouches } from "./touch.mjs";

/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement | HTMLButtonElement} Control */

const CONTROLS = "main :is(button, input, select, textarea)[id]";

const parameters = new URLSearchParams(location.search);
const script = /** @type {HTMLScriptElement} */ (document.querySelector("script[worker]"));
const { body } = document;

/** @type {(id: string) => any} */
const $ = (id) => document.getElementById(id);

/** @type {Worker | undefined} */
let worker;
let isRunning = false;

/** Set the state of the page, for styles and for automation. @param {"loading" | "ready" | "failed"} phase */
function setPhase(phase) {
  body.dataset.phase = phase;
  for (const control of controls()) control.disabled = phase !== "ready";
}

/** @returns {Control[]} */
function controls() {
  return [...document.querySelectorAll(CONTROLS)].map((found) => /** @type {Control} */ (found));
}

/** @param {Control} control */
function settingOf(control) {
  if (!(control instanceof HTMLInputElement)) return control.value;
  if (control.type === "checkbox") return control.checked;
  return control.type === "range" ? control.valueAsNumber : control.value;
}

/**
 * Send values to Python, under the names of controls or other names.
 * @param {Record<string, boolean | number | string | Float32Array>} values
 * @param {boolean} restart
 */
export function tell(values, restart) {
  worker?.postMessage({ name: Object.keys(values)[0], values, restart });
}

/** @param {boolean} wanted */
function setRunning(wanted) {
  isRunning = wanted;
  const run = $("run");
  if (run) run.textContent = wanted ? "Stop" : (run.dataset.start ?? "Start");
}

/** @param {Event} event */
function use({ type, target }) {
  const control = /** @type {Control} */ (target);
  const isButton = control instanceof HTMLButtonElement;
  if (!controls().includes(control) || isButton !== (type === "click")) return;
  if (control.id === "run") setRunning(!isRunning);
  const value = control.id === "run" ? isRunning : settingOf(control);
  tell({ [control.id]: value }, "restart" in control.dataset);
}

/** Show a slider's value next to it, and set it for screen readers. @param {HTMLInputElement} slider */
function showValue(slider) {
  const text = document.createElement("span");
  text.className = "value";
  text.ariaHidden = "true";
  const show = () => {
    const value = slider.valueAsNumber;
    text.textContent = `${"power" in slider.dataset ? Number((10 ** value).toPrecision(2)) : value}`;
    slider.ariaValueText = text.textContent;
  };
  slider.after(text);
  slider.addEventListener("input", show);
  show();
}

for (const control of controls()) {
  if (control.type === "range") showValue(/** @type {HTMLInputElement} */ (control));
}

for (const canvas of document.querySelectorAll("canvas")) {
  if ("touch" in canvas.dataset) {
    watchTouches(canvas, (place, began) => {
      worker?.postMessage({ name: canvas.id, touch: [...place, began] });
    });
  }
}

/** @param {HTMLElement} container */
function plotIn(container) {
  const { lines = "", digits = "" } = container.dataset;
  return openPlot(container, {
    points: false,
    range: [0, null],
    format: (value, needed) => fixed(value, digits ? Number(digits) : needed),
    lines: lines.split(",").map((line) => line.trim()),
  });
}

const plots = Object.fromEntries(
  [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".plot"))].map((found) => [
    found.id,
    plotIn(found),
  ]),
);

/** Handlers of Python's messages. @type {Record<string, (...values: any[]) => void>} */
const told = {
  open(backend, report) {
    const canvas = Object.fromEntries(
      [
        .../** @type {NodeListOf<HTMLCanvasElement>} */ (document.querySelectorAll("canvas[id]")),
      ].map((found) => [found.id, found.transferControlToOffscreen()]),
    );
    const values = Object.fromEntries(controls().map((found) => [found.id, settingOf(found)]));
    if (parameters.has("run")) setRunning(true);
    const message = { canvas, values: { ...values, run: isRunning } };
    worker?.postMessage(message, Object.values(canvas));
    const takeBackend = (/** @type {string} */ name) => {
      parameters.set("backend", name);
      location.search = parameters.toString();
    };
    if ($("backend-list")) showBackends($("backend-list"), report, backend, takeBackend);
    setPhase("ready");
  },
  show(texts) {
    for (const [id, text] of Object.entries(texts)) {
      const found = $(id);
      if (found instanceof HTMLProgressElement) found.value = text;
      else if (found instanceof HTMLMediaElement) found.src = text;
      else found.textContent = text;
    }
  },
  plot: (name, x, ...ys) => plots[name].add(x, ...ys),
  clear(...names) {
    for (const name of names) plots[name].clear();
  },
  stop: () => setRunning(false),
  async camera(size) {
    try {
      const picture = await takePicture(size);
      worker?.postMessage({ picture }, [picture]);
      $("camera").textContent = "";
    } catch (error) {
      const pictures = $("pictures");
      pictures.selectedIndex = 0;
      $("camera").textContent = `The camera is not available: ${error}`;
      // undefined becomes None in Python; null does not
      worker?.postMessage({ picture: undefined, values: { pictures: pictures.value } });
    }
  },
};

/** Offer a link to the best backend if the backend in the address does not open. */
function offerAnother() {
  parameters.delete("backend");
  const link = document.createElement("a");
  link.href = `?${parameters}`;
  link.textContent = "Use the best backend that works here";
  $("backend-list")?.replaceWith(link);
}

async function showSource() {
  $("source").tabIndex = 0; // for scrolling by keyboard
  $("source").textContent = await (await fetch(script.src)).text();
}

addEventListener("tfpy-message", (event) => {
  const { detail } = /** @type {CustomEvent} */ (event);
  worker = detail.worker;
  const [kind, ...values] = detail.data;
  told[kind](...values);
});
addEventListener("tfpy-error", () => {
  setPhase("failed");
  if (parameters.has("backend") && !worker) offerAnother();
});
addEventListener("input", use);
addEventListener("click", use);

setPhase("loading");
const backend = parameters.get("backend");
if (backend) script.setAttribute("backend", backend);
if ($("source")) showSource();
await import("../tfpy.mjs"); // runs the script
