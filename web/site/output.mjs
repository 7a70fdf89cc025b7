// Shows Python's output in an element as a terminal does: progress bars rewrite their line, and escape sequences
// make text bold and colored.

/** The eight colors of terminals, for light and dark pages. */
const COLORS = [
  "light-dark(#1b1f27, #5d6675)",
  "light-dark(#b3261e, #f2b8b5)",
  "light-dark(#12794a, #4cc38a)",
  "light-dark(#8a6100, #e3c26b)",
  "light-dark(#2459a8, #8db4f0)",
  "light-dark(#8b3a99, #d9a2e3)",
  "light-dark(#0f7080, #6cc6d4)",
  "light-dark(#c3c8d1, #4a5160)",
];

/** The rest of an escape sequence: parameters and a letter for the command; or an incomplete sequence. */
const SEQUENCE = /\[([0-9;?]*)([@-~])|\[[0-9;?]*$|$|[^[]/y;

/** @typedef {{color: string, isBold: boolean}} Style */

/** @typedef {{text: string, style: Style}} Cell a character on the last line */

/** @type {Style} */
const PLAIN = { color: "", isBold: false };

/**
 * Return the style after a sequence of kind "m".
 * @param {Style} style
 * @param {string} parameters
 */
function restyled(style, parameters) {
  let found = style;
  for (const code of parameters.split(";").map(Number)) {
    if (code === 0) found = PLAIN;
    else if (code === 1) found = { ...found, isBold: true };
    else if (code === 22) found = { ...found, isBold: false };
    else if (code === 39) found = { ...found, color: "" };
    else if (code >= 30 && code < 38) found = { ...found, color: COLORS[code - 30] ?? "" };
    else if (code === 38) break; // extended colors are not supported
  }
  return found;
}

/**
 * Return the nodes that show some cells.
 * @param {Cell[]} cells
 */
function nodesOf(cells) {
  /** @type {Node[]} */
  const nodes = [];
  for (let begin = 0; begin < cells.length; ) {
    const { style } = /** @type {Cell} */ (cells[begin]);
    let end = begin + 1;
    while (cells[end]?.style === style) end++;
    const text = cells
      .slice(begin, end)
      .map((cell) => cell.text)
      .join("");
    nodes.push(style === PLAIN ? new Text(text) : spanOf(text, style));
    begin = end;
  }
  return nodes;
}

/**
 * @param {string} text
 * @param {Style} style
 */
function spanOf(text, { color, isBold }) {
  const span = document.createElement("span");
  span.textContent = text;
  span.style.color = color;
  span.style.fontWeight = isBold ? "bold" : "";
  return span;
}

/**
 * Create a function that appends text to an element. Carriage returns and backspaces move back in the last
 * line; escape sequences make text bold and colored.
 * @param {HTMLElement} element
 * @param {(line: string) => void} onLine called with each complete line
 * @returns {(text: string) => void}
 */
export function openOutput(element, onLine) {
  const last = document.createElement("span");
  element.append(last);
  let style = PLAIN;
  /** @type {Cell[]} */
  let line = [];
  let column = 0;
  let begun = "";

  const endLine = () => {
    last.before(...nodesOf(line), "\n");
    onLine(line.map((cell) => cell.text).join(""));
    line = [];
    column = 0;
  };

  return (text) => {
    const all = begun + text;
    begun = "";
    for (let at = 0; at < all.length; ) {
      const letter = String.fromCodePoint(/** @type {number} */ (all.codePointAt(at)));
      at += letter.length;
      if (letter === "\x1b") {
        SEQUENCE.lastIndex = at;
        const [sequence, parameters, kind] = SEQUENCE.exec(all) ?? [""];
        at += sequence.length;
        if (kind === "m") style = restyled(style, parameters ?? "");
        else if (kind === "K") line.length = Math.min(line.length, column);
        else if (kind === undefined && at === all.length) begun = letter + sequence;
      } else if (letter === "\n") endLine();
      else if (letter === "\r") column = 0;
      else if (letter === "\b") column = Math.max(column - 1, 0);
      else {
        while (line.length < column) line.push({ text: " ", style: PLAIN });
        line[column++] = { text: letter, style };
      }
    }
    last.replaceChildren(...nodesOf(line));
  };
}

/**
 * Return an element that shows a text as a terminal does.
 * @param {string} text
 */
export function styled(text) {
  const shown = document.createElement("span");
  openOutput(shown, () => {})(text);
  return shown;
}
