// Shows how far a start is.

/**
 * Shows in a bar how much is downloaded. Where that is not known, or all of it, the bar only moves.
 * @param {HTMLProgressElement} bar
 * @param {import("./tfpy.mjs").Progress} progress
 * @returns {string} the percentage, for people
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
 * Shows a progress in an element: what is done, and how much of it.
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
