// Shows Python's errors: the frames of the user's code and the message, and the other frames on request.

import { styled } from "./output.mjs";
import { messageOf } from "./python.mjs";
import { FRAME, SOURCE } from "./tfpy.mjs";

/** A frame of code that is installed with Python, not of the user's code. */
const INNER_FRAME = /^ {2}File "(\/lib\/python3|<frozen )/;

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
    return isShown;
  });
  return { text: lines.join("\n"), hidden };
}

/** Python's error for a path that does not exist. */
const NO_FILE = /^FileNotFoundError: \[Errno \d+\]/m;

/** The sentences that follow such an error. */
const ABOUT_FILES =
  "Python in a page has its own file system. To use a file of the server or of the user there, write " +
  '[path] = await tf.io.to_folder_async(source, "/files"), where source is a URL or a file that the user has picked.';

/**
 * Divide a message into frames, which must not wrap because marks point at the line above them, and text.
 * @param {string} message
 */
function partsOf(message) {
  /** @type {{isFrames: boolean, lines: string[]}[]} */
  const parts = [];
  let isFrames = false;
  for (const line of message.split("\n")) {
    isFrames = line.startsWith(FRAME) || (isFrames && line.startsWith(SOURCE));
    const last = parts.at(-1);
    if (last?.isFrames === isFrames) last.lines.push(line);
    else parts.push({ isFrames, lines: [line] });
  }
  return parts;
}

/**
 * Return the elements that show a message.
 * @param {string} message
 */
function elementsOf(message) {
  return partsOf(message).map(({ isFrames, lines }) => {
    const element = document.createElement(isFrames ? "pre" : "div");
    if (isFrames) element.tabIndex = 0; // for scrolling by keyboard
    element.append(styled(lines.join("\n")));
    return element;
  });
}

/**
 * Show an error in an element.
 * @param {HTMLElement} element
 * @param {unknown} error
 */
export function showError(element, error) {
  const message = messageOf(error);
  const { text, hidden } = readable(message);
  element.append(...elementsOf(NO_FILE.test(text) ? `${text}\n${ABOUT_FILES}` : text));
  if (hidden > 0) {
    const details = document.createElement("details");
    const summary = document.createElement("summary");
    const frames = hidden === 1 ? "1 more frame" : `${hidden} more frames`;
    summary.textContent = `${frames}, of tfpy, Pyodide and other packages`;
    details.append(summary, ...elementsOf(message));
    element.append(details);
  }
}
