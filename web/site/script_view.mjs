// The output that a page shows below a Python script: progress of the start, text, pictures and errors.

import { showError } from "./error_view.mjs";
import { openOutput } from "./output.mjs";
import { showProgress } from "./progress.mjs";

/** Selector of all elements that a view adds. */
export const SHOWN = ".tfpy-progress, .tfpy-output, .tfpy-error, .tfpy-picture";

/** Default styles, which a page's own styles override. */
const STYLE = `
:where(.tfpy-output, .tfpy-error) {
  margin: 1em 0;
  font-family: monospace;
  white-space: pre-wrap;
  overflow-wrap: anywhere;
}
:where(.tfpy-error) { color: light-dark(#b3261e, #f2b8b5); }
:where(.tfpy-error pre) { margin: 0; font: inherit; white-space: pre; overflow-x: auto; }
:where(.tfpy-error summary) { cursor: pointer; }
:where(.tfpy-progress) { display: flex; flex-wrap: wrap; gap: 0.5em; align-items: center; margin: 1em 0; }
`;

/** Add the default styles to the page. */
export function addStyle() {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  document.adoptedStyleSheets.push(sheet);
}

/**
 * Create the view of a script.
 * @param {HTMLElement} script
 * @param {Map<string | number, Element>} pictures containers of images by place
 */
export function openView(script, pictures) {
  /** @type {((text: string) => void) | undefined} */
  let output;
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
      const known = pictures.get(place);
      const into = (known?.isConnected && known) || named || appendNew("div", "tfpy-picture");
      pictures.set(place, into);
      into.innerHTML = svg;
    },

    /** @param {unknown} error */
    error(error) {
      progress?.remove();
      const shown = appendNew("div", "tfpy-error");
      shown.setAttribute("role", "alert");
      showError(shown, error);
    },
  };
}

/** @typedef {ReturnType<typeof openView>} View */
