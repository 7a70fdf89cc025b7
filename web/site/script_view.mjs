// The output that a page shows below a Python script: progress of the start, text, pictures and errors.

import { openOutput } from "./output.mjs";
import { showProgress } from "./progress.mjs";
import { messageOf } from "./python.mjs";
import { FRAME, SOURCE } from "./tfpy.mjs";

/** A frame of code that is installed with Python, not of the user's code. */
const INNER_FRAME = /^ {2}File "(\/lib\/python3|<frozen )/;

/** Selector of all elements that a view adds. */
const SHOWN = ".tfpy-progress, .tfpy-output, .tfpy-error, .tfpy-picture";

/** Default styles, which a page's own styles override. */
const STYLE = `
:where(.tfpy-output, .tfpy-error) {
  margin: 1em 0;
  font-family: monospace;
  white-space: pre-wrap;
  overflow-wrap: anywhere;
}
:where(.tfpy-error) { color: light-dark(#b3261e, #f2b8b5); }
:where(.tfpy-error summary) { cursor: pointer; }
:where(.tfpy-progress) { display: flex; flex-wrap: wrap; gap: 0.5em; align-items: center; margin: 1em 0; }
`;

/** Add the default styles to the page. */
export function addStyle() {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  document.adoptedStyleSheets.push(sheet);
}

/** Marks below a line of source, which are misplaced when lines are wrapped. */
const MARKS = /^ +[~^]+$/;

/** Escape sequences with which Keras prints bold text in terminals. */
const ESCAPES = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, "g");

/**
 * Reduce a Python traceback to the frames of the user's code.
 * @param {string} message
 */
function readable(message) {
  let isShown = true;
  let hidden = 0;
  const lines = message.split("\n").filter((line) => {
    if (line.startsWith(FRAME)) {
      isShown = !INNER_FRAME.test(line);
      hidden += Number(!isShown);
    } else if (!line.startsWith(SOURCE)) {
      isShown = true;
    }
    return isShown && !MARKS.test(line);
  });
  return { text: lines.join("\n"), hidden };
}

/**
 * @param {string} tag
 * @param {string} text
 */
function element(tag, text) {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

/**
 * Create the view of a script.
 * @param {HTMLElement} script
 */
export function openView(script) {
  /** @type {((text: string) => void) | undefined} */
  let output;
  /** @type {Map<string | number, Element>} containers by place */
  const pictures = new Map();
  /** @type {HTMLElement | undefined} */
  let progress;

  /** @template {HTMLElement} E @param {E} made @returns {E} the same element, inserted below the view's other elements */
  const append = (made) => {
    /** @type {Element} */
    let last = script;
    while (last.nextElementSibling?.matches(SHOWN)) last = last.nextElementSibling;
    last.after(made);
    return made;
  };
  /** @param {string} tag @param {string} className */
  const appendNew = (tag, className) =>
    append(Object.assign(document.createElement(tag), { className }));

  return {
    /** @param {import("./tfpy.mjs").Progress} event */
    progress(event) {
      progress ??= appendNew("label", "tfpy-progress");
      showProgress(progress, event);
    },

    /** Remove the progress bar. */
    ready() {
      progress?.remove();
    },

    /** @param {string} text */
    print(text) {
      output ??= openOutput(appendNew("pre", "tfpy-output"), (line) => console.log(line));
      output(text);
    },

    /**
     * @param {string} svg
     * @param {string | number} place selector of an element of the page, or the number of a new element
     */
    picture(svg, place) {
      const named = typeof place === "string" ? document.querySelector(place) : null;
      const into = pictures.get(place) ?? named ?? appendNew("div", "tfpy-picture");
      pictures.set(place, into);
      into.innerHTML = svg;
    },

    /** @param {unknown} error */
    error(error) {
      progress?.remove();
      const message = messageOf(error).replace(ESCAPES, "");
      const { text, hidden } = readable(message);
      const shown = appendNew("div", "tfpy-error");
      shown.setAttribute("role", "alert");
      shown.append(element("div", text));
      if (hidden > 0) {
        const details = document.createElement("details");
        const summary = `${hidden} more frames, of tfpy, Pyodide and other packages`;
        details.append(element("summary", summary), element("div", message));
        shown.append(details);
      }
    },
  };
}

/** @typedef {ReturnType<typeof openView>} View */
