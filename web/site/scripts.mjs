// Runs Python in a page's <script type="text/tfpy"> elements, which tfpy.mjs finds.

import { textAt } from "./functions.mjs";
import { checkAttributes } from "./options.mjs";
import { messageOf } from "./python.mjs";
import { openEngine } from "./script_engine.mjs";
import { addStyle, openView } from "./script_view.mjs";
import { openWorker } from "./worker.mjs";

/** @typedef {import("./script_view.mjs").View} View */

/** @param {HTMLScriptElement} script */
const sourceOf = async (script) => (script.src ? textAt(script.src) : (script.textContent ?? ""));

/**
 * Combine the attributes of scripts: packages="keras, …", distribution="folder/", modules="mine.py, …",
 * backend="wasm" and as-tensorflow.
 * @param {HTMLScriptElement[]} scripts
 * @returns {import("./script_engine.mjs").Options}
 */
function optionsOf(scripts) {
  const named = (/** @type {string} */ attribute) => {
    const asked = scripts.map((script) => script.getAttribute(attribute) ?? "").join(",");
    return [...new Set(asked.split(",").map((name) => name.trim()))].filter(Boolean);
  };
  const [distribution] = named("distribution");
  const asTensorflow = scripts.some((script) => script.hasAttribute("as-tensorflow"));
  return {
    isForScripts: true,
    packages: named("packages"),
    modules: named("modules"),
    backend: /** @type {import("./tfpy.mjs").BackendName | undefined} */ (named("backend")[0]),
    distribution,
    ...(asTensorflow && { asTensorflow }),
  };
}

/**
 * Opens an engine for scripts that run one after another; `shown` returns the view of the current script, and `report`
 * receives errors that no caller catches.
 * @typedef {(options: import("./script_engine.mjs").Options, shown: () => View, hear: (message: any) => void,
 *   report: (error: unknown) => void) => Promise<{run: import("./script_engine.mjs").Run, interrupt?: () => void}>} Open
 */

/** @type {Open} */
async function openHere(options, shown, _hear, report) {
  const onProgress = (/** @type {import("./tfpy.mjs").Progress} */ event) =>
    shown().progress(event);
  return openEngine({ ...options, onProgress }, (text) => shown().print(text), report);
}

/** @type {Open} */
async function openInWorker(options, shown, hear, report) {
  const { worker, ask, interrupt } = await openWorker(options, {
    progress: (event) => shown().progress(event),
    print: (text) => shown().print(text),
    picture: ({ svg, place }) => shown().picture(svg, place),
    uncaught: report,
  });
  worker.onmessage = ({ data }) => hear({ data, worker });
  return { run: (source, filename) => ask("script", source, filename), interrupt };
}

/**
 * Run scripts one after another, in one namespace.
 * @param {HTMLScriptElement[]} all all scripts of the page
 * @param {HTMLScriptElement[]} scripts
 * @param {Open} open
 */
async function runInTurn(all, scripts, open) {
  const pictures = new Map(); // also of earlier scripts, whose plots may change
  const views = new Map(scripts.map((script) => [script, openView(script, pictures)]));
  let current = scripts[0];
  const shown = () => /** @type {View} */ (views.get(current));
  const filenameOf = (/** @type {HTMLScriptElement} */ script) =>
    script.src || `script ${all.indexOf(script) + 1} of the page`;
  const reportUncaught = (/** @type {unknown} */ error) => {
    const message = messageOf(error);
    const named = scripts.find((script) => message.includes(`"${filenameOf(script)}"`));
    views.get(named ?? current)?.error(error);
  };
  /** @param {string} type @param {any} detail */
  const dispatch = (type, detail) =>
    current.dispatchEvent(new CustomEvent(type, { bubbles: true, detail }));
  try {
    for (current of scripts) checkAttributes(current);
    current = scripts[0];
    const hear = (/** @type {any} */ message) => dispatch("tfpy-message", message);
    const { run, interrupt } = await open(optionsOf(scripts), shown, hear, reportUncaught);
    for (const script of scripts) {
      script.addEventListener("tfpy-interrupt", () => script === current && interrupt?.());
    }
    shown().ready();
    for (current of scripts) {
      current.setAttribute("data-tfpy", "running");
      const result = await run(await sourceOf(current), filenameOf(current));
      current.removeAttribute("data-tfpy");
      dispatch("tfpy-result", { result });
    }
  } catch (error) {
    console.error(error);
    current.removeAttribute("data-tfpy");
    shown().error(error);
    dispatch("tfpy-error", { error });
  }
}

/**
 * Run the page's Python scripts one after another in one namespace: scripts with the attribute "worker" in a
 * worker, the others on the page's thread. The output of a script is shown like in a terminal in a
 * <pre class="tfpy-output"> after it. An error is shown in a <div class="tfpy-error"> below and ends the run. Errors
 * of event handlers are shown there as well.
 * The current script has data-tfpy="running". Each script gets a "tfpy-result" event with `detail.result`, or
 * "tfpy-error" with `detail.error`. A message that it posts from the worker becomes a "tfpy-message" event with
 * `detail.data` and `detail.worker`. A "tfpy-interrupt" event of the page interrupts the script in the worker.
 * @param {HTMLScriptElement[]} scripts
 */
export async function runScripts(scripts) {
  addStyle();
  const apart = scripts.filter((script) => script.hasAttribute("worker"));
  const here = scripts.filter((script) => !script.hasAttribute("worker"));
  await Promise.all([
    here.length > 0 && runInTurn(scripts, here, openHere),
    apart.length > 0 && runInTurn(scripts, apart, openInWorker),
  ]);
}
