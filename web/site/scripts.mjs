// Python in a page's <script type="text/tfpy">, which tfpy.mjs finds.

import { openOutput } from "./output.mjs";
import { messageOf } from "./python.mjs";
import { FRAME, loadTfpy, SOURCE } from "./tfpy.mjs";

/** Frames that are no code of the user's. */
const INNER_FRAME = /^ {2}File "[^"]*\/(_pyodide|site-packages\/(tfpy|numpy|pyodide))\//;

/** What a page's own style may say otherwise. */
const STYLE = `
:where(pre.tfpy-output, pre.tfpy-error) { white-space: pre-wrap; overflow-wrap: anywhere; }
:where(pre.tfpy-error) { color: light-dark(#b3261e, #f2b8b5); }
`;

/**
 * The element of a class after the script, below what is shown of it already; made when it is not
 * there.
 * @param {HTMLElement} script
 * @param {string} className
 */
function elementAfter(script, className) {
  /** @type {Element} */
  let last = script;
  while (last.className !== className) {
    const next = last.nextElementSibling;
    if (!next?.matches(".tfpy-output, .tfpy-error, .tfpy-picture")) {
      const pre = document.createElement("pre");
      pre.className = className;
      last.after(pre);
      return pre;
    }
    last = next;
  }
  return /** @type {HTMLElement} */ (last);
}

/** @type {WeakMap<HTMLElement, (text: string) => void>} */
const outputs = new WeakMap();

/**
 * Shows what a script prints.
 * @param {HTMLElement} script
 * @param {string} text
 */
function print(script, text) {
  let output = outputs.get(script);
  if (!output) {
    output = openOutput(elementAfter(script, "tfpy-output"), (line) => console.log(line));
    outputs.set(script, output);
  }
  output(text);
}

/**
 * What Pyodide writes a stream to.
 * @param {() => HTMLElement} script gives the one that runs
 */
function streamOf(script) {
  const decoder = new TextDecoder();
  /** @param {Uint8Array} bytes */
  const write = (bytes) => {
    print(script(), decoder.decode(bytes, { stream: true }));
    return bytes.length;
  };
  return { write };
}

/**
 * A Python error with the frames of the user's code alone.
 * @param {unknown} error
 */
function readable(error) {
  let isShown = true;
  let hidden = 0;
  const lines = messageOf(error)
    .split("\n")
    .filter((line) => {
      if (line.startsWith(FRAME)) {
        isShown = !INNER_FRAME.test(line);
        hidden += Number(!isShown);
      } else if (!line.startsWith(SOURCE)) {
        isShown = true;
      }
      return isShown;
    });
  if (hidden > 0) lines.push(`(the console has ${hidden} more frames, of tfpy and Pyodide)`);
  return lines.join("\n");
}

function addStyle() {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  document.adoptedStyleSheets.push(sheet);
}

/** @param {HTMLScriptElement} script */
async function sourceOf(script) {
  if (!script.src) {
    return script.textContent ?? "";
  }
  const response = await fetch(script.src);
  if (!response.ok) {
    throw new Error(`${script.src}: ${response.status} ${response.statusText}`);
  }
  return response.text();
}

/**
 * What the attributes of the page's scripts ask for: packages="keras, …" and as-tensorflow.
 * @param {HTMLScriptElement[]} scripts
 * @returns {import("./tfpy.mjs").LoadOptions}
 */
function optionsOf(scripts) {
  const asked = scripts.map((script) => script.getAttribute("packages") ?? "").join(",");
  const packages = asked.split(",").map((name) => name.trim());
  const asTensorflow = scripts.some((script) => script.hasAttribute("as-tensorflow"));
  return {
    packages: [...new Set(packages.filter(Boolean))],
    ...(asTensorflow && { asTensorflow }),
  };
}

/**
 * Runs the page's Python scripts one after the other in one namespace. What a script prints stands
 * in a <pre class="tfpy-output"> after it, as a terminal shows it; an error, in a
 * <pre class="tfpy-error"> below, ends the run. The script that runs has data-tfpy="running".
 * Each script gets a "tfpy-result" event with `detail.result`, or "tfpy-error" with `detail.error`.
 * @param {HTMLScriptElement[]} scripts
 */
export async function runScripts(scripts) {
  addStyle();
  let current = scripts[0];
  try {
    const tfpy = await loadTfpy({
      ...optionsOf(scripts),
      stdout: (line) => print(current, `${line}\n`),
    });
    tfpy.pyodide.setStdout(streamOf(() => current));
    tfpy.pyodide.setStderr(streamOf(() => current));
    for (current of scripts) {
      current.setAttribute("data-tfpy", "running");
      const filename = current.src || `script ${scripts.indexOf(current) + 1} of the page`;
      const result = await tfpy.pyodide.runPythonAsync(await sourceOf(current), { filename });
      current.removeAttribute("data-tfpy");
      current.dispatchEvent(new CustomEvent("tfpy-result", { bubbles: true, detail: { result } }));
    }
  } catch (error) {
    console.error(error);
    elementAfter(current, "tfpy-error").textContent += `${readable(error)}\n`;
    current.dispatchEvent(new CustomEvent("tfpy-error", { bubbles: true, detail: { error } }));
  }
}
