// Python in a page's <script type="text/tfpy">, which tfpy.mjs finds.

import { FRAME, loadTfpy, messageOf, SOURCE } from "./tfpy.mjs";

/** Frames that are no code of the user's. */
const INNER_FRAME = /^ {2}File "[^"]*\/(_pyodide|site-packages\/(tfpy|numpy|pyodide))\//;

/** What a page's own style may say otherwise. */
const STYLE = `
:where(pre.tfpy-output, pre.tfpy-error) { white-space: pre-wrap; overflow-wrap: anywhere; }
:where(pre.tfpy-error) { color: light-dark(#b3261e, #f2b8b5); }
`;

/**
 * Adds text to the element of a class after the script, below what is shown of it already.
 * @param {HTMLElement} script
 * @param {string} className
 * @param {string} text
 */
function showAfter(script, className, text) {
  /** @type {Element} */
  let last = script;
  while (last.className !== className) {
    const next = last.nextElementSibling;
    if (!next?.matches("pre.tfpy-output, pre.tfpy-error")) {
      const pre = document.createElement("pre");
      pre.className = className;
      last.after(pre);
      last = pre;
      break;
    }
    last = next;
  }
  last.textContent += `${text}\n`;
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
 * in a <pre class="tfpy-output"> after it; an error, in a <pre class="tfpy-error"> below, ends the
 * run.
 * Each script gets a "tfpy-result" event with `detail.result`, or "tfpy-error" with `detail.error`.
 * @param {HTMLScriptElement[]} scripts
 */
export async function runScripts(scripts) {
  addStyle();
  let current = scripts[0];
  try {
    const tfpy = await loadTfpy({
      ...optionsOf(scripts),
      stdout: (line) => {
        console.log(line);
        showAfter(current, "tfpy-output", line);
      },
    });
    for (current of scripts) {
      const filename = current.src || `script ${scripts.indexOf(current) + 1} of the page`;
      const result = await tfpy.pyodide.runPythonAsync(await sourceOf(current), { filename });
      current.dispatchEvent(new CustomEvent("tfpy-result", { bubbles: true, detail: { result } }));
    }
  } catch (error) {
    console.error(error);
    showAfter(current, "tfpy-error", readable(error));
    current.dispatchEvent(new CustomEvent("tfpy-error", { bubbles: true, detail: { error } }));
  }
}
