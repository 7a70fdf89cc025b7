// Runs the works of the benchmark (bench/page/bench.mjs, in a frame) on the visitor's machine. The address has parameters
// for tests:
//
//   ?work=a,b           only these works
//   &repeats=15         samples of each side
//   &seconds=4          maximum time of a work, with at least three samples

/**
 * @typedef {{tfpy_ms: number, peer_ms?: number, ratio?: number}} Times in milliseconds
 * @typedef {{work: string, backend: string, peer: string, library: string, title: string, recorded: Times}} Row
 * @typedef {object} Recorded the file benchmark.json
 * @property {Row[]} rows
 * @property {Record<string, {date: string, name: string}>} machines by backend
 * @property {Record<string, string>} versions of tfpy and of the libraries
 * @typedef {Partial<Times> & {work?: string, peer?: string, renderer?: string, done?: string,
 *   failure?: string, reason?: string, peer_failure?: string}} Line a record of the benchmark
 * @typedef {{times?: Times, note?: string}} Outcome
 */

const LIBRARY = "TensorFlow.js"; // the only one that the site contains
const TITLES = /** @type {Record<string, string>} */ ({
  webgpu: "WebGPU",
  webgl: "WebGL",
  wasm: "WebAssembly",
});
/** A step of the clock in milliseconds that makes the shortest times inexact. */
const COARSE_MS = 0.05;
/** Words in tfpy's reasons for GPU backends that have no GPU. */
const SOFTWARE = /software rasterizer|adapter/;
const BENCHMARK = new URL("bench/page/index.html", import.meta.url).href;

const query = new URLSearchParams(location.search);

/** @template {HTMLElement} E @param {string} id @returns {E} */
const byId = (id) => /** @type {E} */ (document.getElementById(id));
const runButton = /** @type {HTMLButtonElement} */ (byId("run"));
const cancelButton = /** @type {HTMLButtonElement} */ (byId("cancel"));
const copyButton = /** @type {HTMLButtonElement} */ (byId("copy"));
const textArea = /** @type {HTMLTextAreaElement} */ (byId("text"));
const bar = /** @type {HTMLProgressElement} */ (byId("progress"));

/**
 * @param {string} tag
 * @param {string} text
 * @param {object} [attributes]
 */
function element(tag, text, attributes) {
  return Object.assign(document.createElement(tag), { textContent: text, ...attributes });
}

/**
 * @param {string} text
 * @param {boolean} [failed]
 */
function say(text, failed = false) {
  const status = byId("status");
  status.textContent = text;
  status.classList.toggle("failed", failed);
}

/** Return the step of the browser's clock in milliseconds. */
function clockStep() {
  const steps = [];
  let last = performance.now();
  while (steps.length < 5) {
    const now = performance.now();
    if (now > last) steps.push(now - last);
    last = now;
  }
  return Math.min(...steps);
}

/** Return a number with three significant digits. @param {number} value */
const digits = (value) => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);

/** Return the times as text. @param {Times} times */
function timesText({ tfpy_ms: own, peer_ms: theirs }) {
  return theirs === undefined ? `${digits(own)} ms` : `${digits(own)} and ${digits(theirs)} ms`;
}

/**
 * Show an outcome in a cell.
 * @param {HTMLElement} cell
 * @param {Outcome} outcome
 */
function fill(cell, { times, note }) {
  const ratio = times?.ratio;
  cell.className = ratio === undefined ? "" : ratio >= 1 ? "faster" : "slower";
  cell.replaceChildren();
  if (ratio !== undefined) cell.append(element("strong", `${digits(ratio)} ×`));
  if (times) cell.append(element("small", timesText(times)));
  if (note) cell.append(element("small", note));
}

/** The table: one row for each work of each backend. */
class Table {
  /** @param {Recorded} recorded */
  constructor({ rows, machines, versions }) {
    this.rows = rows.filter(({ library }) => library === LIBRARY);
    const wanted = query.get("work")?.split(",");
    if (wanted) this.rows = this.rows.filter(({ work }) => wanted.includes(work));
    this.machines = machines;
    this.versions = versions;
    /** @type {Map<Row, Outcome>} */
    this.outcomes = new Map();
    /** @type {Map<Row, HTMLElement>} */
    this.cells = new Map();
    /** Names of the GPUs, by backend. @type {Record<string, string>} */
    this.renderers = {};
    this.show();
  }

  show() {
    const table = /** @type {HTMLTableElement} */ (document.querySelector("table"));
    for (const [backend, { date, name }] of Object.entries(this.machines)) {
      const body = table.createTBody();
      const head = element("th", TITLES[backend], { scope: "rowgroup", colSpan: 3 });
      head.append(element("small", `our machine: ${name}, ${date}`));
      body.insertRow().append(head);
      for (const row of this.of(backend)) this.showRow(body.insertRow(), row);
    }
  }

  /** @param {HTMLTableRowElement} line @param {Row} row */
  showRow(line, row) {
    line.append(element("th", row.title, { scope: "row" }));
    const cell = line.insertCell();
    cell.dataset.work = row.work;
    cell.dataset.backend = row.backend;
    this.cells.set(row, cell);
    fill(cell, { note: "–" });
    fill(line.insertCell(), { times: row.recorded });
  }

  /** Return the rows of a backend. @param {string} backend */
  of(backend) {
    return this.rows.filter((row) => row.backend === backend);
  }

  /** @param {Row} row @param {Outcome} outcome */
  set(row, outcome) {
    this.outcomes.set(row, outcome);
    fill(/** @type {HTMLElement} */ (this.cells.get(row)), outcome);
    textArea.value = this.text();
  }

  /** Remove the results of rows. @param {Row[]} rows */
  clear(rows) {
    for (const row of rows) {
      this.outcomes.delete(row);
      fill(/** @type {HTMLElement} */ (this.cells.get(row)), { note: "–" });
    }
  }

  /** Return the results as lines of text. */
  text() {
    const names = ["tfpy", LIBRARY].map((name) => `${name} ${this.versions[name]}`);
    const lines = [`${names.join(" and ")}, ${new Date().toISOString()}`];
    lines.push(`${navigator.userAgent}, ${navigator.hardwareConcurrency} threads`);
    for (const [backend, name] of Object.entries(this.renderers)) lines.push(`${backend}: ${name}`);
    lines.push(
      "",
      "backend | work | ratio | times (tfpy and TensorFlow.js) | ratio on our machine",
    );
    for (const [row, { times, note }] of this.outcomes) {
      const cells = [row.backend, row.title];
      cells.push(times?.ratio === undefined ? "–" : digits(times.ratio));
      cells.push([times && timesText(times), note].filter(Boolean).join("; "));
      cells.push(digits(/** @type {number} */ (row.recorded.ratio)));
      lines.push(cells.join(" | "));
    }
    return lines.join("\n");
  }
}

/** @param {Line} line @returns {Outcome} */
function outcomeOf(line) {
  if (line.failure) return { note: `failed: ${line.reason ?? line.failure}` };
  const own = /** @type {number} */ (line.tfpy_ms);
  if (line.peer_failure) {
    const reason = line.peer_failure.replace(/^Error: /, "");
    return { times: { tfpy_ms: own }, note: `${LIBRARY} failed: ${reason}` };
  }
  return { times: { tfpy_ms: own, peer_ms: line.peer_ms, ratio: line.ratio } };
}

/**
 * Yield the records of the benchmark's page on a backend. The end of the loop, or a signal, removes the page, which ends
 * all that runs in it.
 * @param {string} backend
 * @param {string[]} works
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<Line>}
 */
async function* records(backend, works, signal) {
  const parameters = new URLSearchParams({
    backend,
    work: works.join(","),
    repeats: query.get("repeats") ?? "15",
    seconds: query.get("seconds") ?? "4",
    hardware: "1",
    peers: "tfjs",
  });
  const frame = /** @type {HTMLIFrameElement} */ (
    element("iframe", "", { title: "the benchmark", tabIndex: -1, ariaHidden: "true" })
  );
  const aborted = new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  const opened = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  frame.src = `${BENCHMARK}?${parameters}`;
  byId("frames").append(frame);
  try {
    await Promise.race([opened, aborted]);
    const page = /** @type {any} */ (frame.contentWindow);
    if (!page?.nextLines) throw new Error("the files of the benchmark could not be loaded");
    for (;;) {
      // The objects belong to the frame's page, which will be removed.
      const lines = structuredClone(await Promise.race([page.nextLines(), aborted]));
      for (const line of lines) {
        yield line;
        if ("done" in line) return;
      }
    }
  } finally {
    frame.remove();
  }
}

/**
 * Run the rows of a backend.
 * @param {Table} table
 * @param {string} backend
 * @param {AbortSignal} signal
 * @param {(title: string) => void} onDone called when a row is complete
 */
async function runBackend(table, backend, signal, onDone) {
  const open = new Set(table.of(backend));
  const works = [...open].map(({ work }) => work);
  for await (const line of records(backend, works, signal)) {
    if (line.renderer) table.renderers[backend] = line.renderer;
    if (line.done) {
      for (const row of open) table.set(row, { note: whyNot(backend, line) });
      return;
    }
    for (const row of open) {
      if (line.work !== row.work) continue;
      if (!line.failure && !line.peer?.startsWith(row.peer)) continue;
      table.set(row, outcomeOf(line));
      open.delete(row);
      onDone(row.title);
    }
  }
}

/**
 * Return the reason why a backend's rows did not run.
 * @param {string} backend
 * @param {Line} line
 */
function whyNot(backend, line) {
  if (backend === "webgpu" && !("gpu" in navigator)) return "This browser has no WebGPU here.";
  const reason = (line.reason ?? "The work did not run.").split("\n")[0];
  if (backend === "wasm" || !SOFTWARE.test(reason)) return reason;
  return `${TITLES[backend]} finds no GPU in this browser.`;
}

/** @param {Table} table */
async function run(table) {
  const controller = new AbortController();
  const checked = /** @type {NodeListOf<HTMLInputElement>} */ (
    document.querySelectorAll("input:checked")
  );
  const backends = [...checked].map(({ value }) => value);
  const rows = backends.flatMap((backend) => table.of(backend));
  if (rows.length === 0) return say("Select a backend.", true);
  table.clear(rows);
  bar.max = rows.length;
  bar.value = 0;
  const stop = () => controller.abort(new DOMException("cancelled", "AbortError"));
  cancelButton.addEventListener("click", stop, { once: true });
  busy(true);
  try {
    for (const backend of backends) {
      const before = bar.value;
      const title = TITLES[backend];
      say(`${title}: loading tfpy and ${LIBRARY}`);
      await runBackend(table, backend, controller.signal, (done) => {
        bar.value += 1;
        say(`${title}: measured ${done}`);
      });
      bar.value = before + table.of(backend).length;
    }
    say("complete");
  } catch (error) {
    if (!controller.signal.aborted) {
      return say(`The benchmark stopped: ${/** @type {Error} */ (error).message}.`, true);
    }
    say("cancelled");
  } finally {
    cancelButton.removeEventListener("click", stop);
    busy(false);
    copyButton.disabled = table.outcomes.size === 0;
  }
}

/** Enable the controls that are for this state. @param {boolean} running */
function busy(running) {
  const focused = document.activeElement;
  runButton.disabled = running;
  cancelButton.disabled = !running;
  for (const box of /** @type {NodeListOf<HTMLInputElement>} */ (
    document.querySelectorAll("input")
  )) {
    box.disabled = running;
  }
  // A disabled button loses the focus, and users of keyboards would start from the top again.
  if (running && focused === runButton) cancelButton.focus();
  if (!running && focused === cancelButton) runButton.focus();
}

/** Copy the table, or show it for copying if the browser does not allow it. */
async function copy() {
  try {
    await navigator.clipboard.writeText(textArea.value);
    say("copied");
  } catch {
    /** @type {HTMLDetailsElement} */ (document.querySelector("details")).open = true;
    textArea.focus();
    textArea.select();
    say("The browser does not allow copying. Copy the selected text below.");
  }
}

async function main() {
  const response = await fetch(new URL("benchmark.json", import.meta.url));
  if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
  const table = new Table(await response.json());
  runButton.addEventListener("click", () => run(table));
  copyButton.addEventListener("click", copy);
  runButton.disabled = false;
  const step = clockStep();
  if (step > COARSE_MS) {
    byId("clock").textContent =
      `This browser's clock advances in steps of ${digits(step)} ms on this page, so short times are not exact. ` +
      "A server that isolates the page from other origins makes it more exact.";
  }
  say("ready");
}

main().catch((error) => say(`The list of works could not be loaded: ${error.message}.`, true));
