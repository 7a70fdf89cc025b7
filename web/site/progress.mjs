// Shows the progress of a start.

/**
 * Show the downloaded share in a progress bar; the bar is indeterminate if the share is unknown or complete.
 * @param {HTMLProgressElement} bar
 * @param {import("./tfpy.mjs").Progress} progress
 * @returns {string} the percentage as text
 */
export function showShare(bar, { bytes }) {
  if (!bytes || bytes.loaded === bytes.total) {
    bar.removeAttribute("value");
    return "";
  }
  bar.value = bytes.loaded / bytes.total;
  return `${Math.floor(100 * bar.value)} %`;
}

/**
 * Show a progress event in an element: its message, a bar and the percentage.
 * @param {HTMLElement} element
 * @param {import("./tfpy.mjs").Progress} progress
 */
export function showProgress(element, progress) {
  if (!element.hasChildNodes()) {
    element.append(...["span", "progress", "output"].map((tag) => document.createElement(tag)));
  }
  const [text, bar, percent] = /** @type {[HTMLElement, HTMLProgressElement, HTMLElement]} */ (
    /** @type {unknown} */ ([...element.children])
  );
  if (text.textContent !== progress.message) text.textContent = progress.message;
  percent.textContent = showShare(bar, progress);
}
