// Measure how long Keras's awaited training blocks the event loop of its thread.
//
//   ?backend=webgl      cpu, wasm or webgl
//   &worker=1           in a module worker; default: the page's own thread
//   &work=lstm,head     networks, by name; default: all of ../tasks.py
//   &rounds=3           rounds, each with split steps and with whole steps
//   &post=1             post each record to /result
//
// The delay of a timer of some milliseconds is the time in which the page or the worker could not react. A loop
// of messages would be more exact, but would disturb the measurement, because Chromium handles messages for up
// to 50 ms at once. If the browser reports long tasks (Chromium, on the page's thread), the record also has the
// longest one.

import { loadTfpy } from "/tfpy.mjs";

const NAMES = ["digits", "lstm", "transformer", "head", "cnn", "mobilenet"];
const TICK_MS = 5;
const query = new URLSearchParams(location.search);
const isWorker = typeof document === "undefined";

/** @param {object} line */
async function report(line) {
  if (isWorker) {
    postMessage(line);
    return;
  }
  /** @type {HTMLElement} */ (document.querySelector("#log")).textContent +=
    `${JSON.stringify(line)}\n`;
  if (query.has("post")) {
    await fetch("/result", { method: "POST", body: JSON.stringify(line) });
  }
}

/**
 * Return the milliseconds for which the loop was blocked while an action was awaited, longest first.
 * @param {() => Promise<void>} action
 */
async function gapsDuring(action) {
  /** @type {number[]} */
  const gaps = [];
  let last = performance.now();
  function tick() {
    const now = performance.now();
    gaps.push(now - last - TICK_MS);
    last = now;
  }
  const timer = setInterval(tick, TICK_MS);
  await action();
  clearInterval(timer);
  tick();
  return gaps.sort((a, b) => b - a);
}

/**
 * Return the milliseconds of the long tasks that the browser reported since the last call.
 * @returns {() => Promise<number[] | undefined>}
 */
function watchLongTasks() {
  if (isWorker || !PerformanceObserver.supportedEntryTypes.includes("longtask")) {
    return async () => undefined;
  }
  /** @type {number[]} */
  let found = [];
  new PerformanceObserver((list) => {
    found.push(...list.getEntries().map((entry) => entry.duration));
  }).observe({ type: "longtask" });
  return async () => {
    await new Promise((resolve) => setTimeout(resolve, 100)); // the browser reports them later
    const taken = found;
    found = [];
    return taken.sort((a, b) => b - a);
  };
}

async function measure() {
  const backend = /** @type {import("/tfpy.mjs").BackendName} */ (query.get("backend") ?? "wasm");
  const rounds = Number(query.get("rounds") ?? 3);
  const { pyodide } = await loadTfpy({
    backend,
    packages: ["keras"],
    flags: { SOFTWARE_WEBGL_ENABLED: true, WASM_HAS_MULTITHREAD_SUPPORT: false },
  });
  pyodide.FS.mkdirTree("bench/networks");
  for (const name of ["tasks.py", "networks/keras_tasks.py", "networks/keras_steps.py"]) {
    const source = await fetch(new URL(`../${name}`, import.meta.url));
    pyodide.FS.writeFile(`bench/${name}`, await source.text());
  }
  const Task = await pyodide.runPythonAsync(
    "import tfpy; tfpy.as_tensorflow(); from bench.tasks import Task; Task",
  );
  const longTasks = watchLongTasks();
  for (const work of query.get("work")?.split(",") ?? NAMES) {
    const task = Task(work);
    await task.learn(); // traces, makes programs and compiles shaders
    const ways = { split: () => task.learn(), whole: () => task.learn_whole() };
    for (let round = 0; round < rounds; round++) {
      /** @type {Record<string, object>} */
      const found = {};
      for (const [way, learn] of Object.entries(ways)) {
        await longTasks();
        const start = performance.now();
        const gaps = await gapsDuring(learn);
        const ms = Math.round(performance.now() - start);
        const longest = gaps.slice(0, 5).map(Math.round);
        const long_tasks = (await longTasks())?.slice(0, 5).map(Math.round);
        found[way] = { ms, longest, long_tasks };
      }
      await report({ work, backend, worker: isWorker, round, ...found });
    }
    task.destroy();
  }
}

if (query.has("worker") && !isWorker) {
  const worker = new Worker(new URL(`tasks.mjs${location.search}`, import.meta.url), {
    type: "module",
  });
  worker.onmessage = ({ data }) => report(data);
  worker.onerror = ({ message }) => report({ done: message });
} else {
  try {
    await measure();
    await report({ done: "" });
  } catch (error) {
    await report({ done: String(error) });
  }
}
