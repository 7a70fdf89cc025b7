// The page around a program of the gallery: it hands canvases and controls to the Python in its
// <script type="text/tfpy" worker>, and shows what Python tells (gallery.py is the other side).
//
// <button id="run"> starts and stops. <select id="pictures"> says where pictures come from; without a
// camera the first choice is taken, and the element "camera" says why. Any other button, input, select
// and textarea with an id is a control; those with data-restart begin anew. A slider's value is written
// beside it, with data-power ten to the power of it.
// <div class="plot" data-lines="a, b"> is a plot; the elements "backend-list" and "source", where there are
// such, show the backends and the program. "?backend=NAME" takes that backend, and "?run" starts at once.

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

/** How far it is, for style and for whoever automates this page. @param {"loading" | "ready" | "failed"} phase */
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
 * Gives Python values, under the names of controls or others.
 * @param {Record<string, boolean | number | string | Float32Array>} values
 * @param {boolean} restart
 */
export function tell(values, restart) {
  worker?.postMessage({ name: Object.keys(values)[0], values, restart });
}

/** @param {boolean} wanted */
function setRunning(wanted) {
  isRunning = wanted;
  if ($("run")) $("run").textContent = wanted ? "Stop" : "Start";
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

/** Writes a slider's value beside it; who does not see it hears it from the slider. @param {HTMLInputElement} slider */
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

/** What Python tells. @type {Record<string, (...values: any[]) => void>} */
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
      $("camera").textContent = `The camera cannot be used: ${error}`;
      // undefined is None in Python, which null is not
      worker?.postMessage({ picture: undefined, values: { pictures: pictures.value } });
    }
  },
};

/** Where the backend of the address does not open: a way to the others. */
function offerAnother() {
  parameters.delete("backend");
  const link = document.createElement("a");
  link.href = `?${parameters}`;
  link.textContent = "Take the best backend that works here";
  $("backend-list")?.replaceWith(link);
}

async function showSource() {
  $("source").tabIndex = 0; // so that keys scroll it
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
await import("../tfpy.mjs"); // which runs the script
