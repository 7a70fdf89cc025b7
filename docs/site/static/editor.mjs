// A text field for Python: its transparent text lies on a copy with colors.

const KEYWORDS = `and as assert async await break class continue def del elif else except finally for from global if
  import in is lambda nonlocal not or pass raise return try while with yield`;
const BUILTINS = `abs all any bool dict enumerate float getattr int isinstance len list max min next open print range
  repr reversed round set setattr sorted str sum super tuple type zip`;

/** @param {string} words */
const oneOf = (words) => `\\b(?:${words.trim().replace(/\s+/g, "|")})\\b`;

/** Tokens of Python. The groups have the names of Pygments' classes. */
const TOKENS = new RegExp(
  [
    /(?<c1>#.*)/,
    /(?<s2>(?:\b[bfru]{1,2})?(?:"""[\s\S]*?"""|'''[\s\S]*?'''))/,
    /(?<s1>(?:\b[bfru]{1,2})?(?:"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))/,
    /(?<nf>(?<=\b(?:def|class) )\w+)/,
    /(?<nd>^ *@[\w.]+)/,
    { source: `(?<k>${oneOf(KEYWORDS)})` },
    { source: `(?<kc>${oneOf("False None True")})` },
    { source: `(?<nb>(?<!\\.)${oneOf(BUILTINS)})` },
    /(?<mi>\b\d[\w.]*)/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gm",
);

/**
 * Return nodes that show Python with the colors of the theme.
 * @param {string} code
 */
function colored(code) {
  /** @type {(string | HTMLElement)[]} */
  const nodes = [];
  let end = 0;
  for (const { 0: text, index, groups = {} } of code.matchAll(TOKENS)) {
    const span = document.createElement("span");
    span.className = Object.keys(groups).find((name) => groups[name] !== undefined) ?? "";
    span.textContent = text;
    nodes.push(code.slice(end, index), span);
    end = index + text.length;
  }
  return [...nodes, code.slice(end)];
}

/**
 * Return the spaces that begin the line after the cursor's line.
 * @param {HTMLTextAreaElement} field
 */
function indentAfter({ value, selectionStart }) {
  const line = value.slice(value.lastIndexOf("\n", selectionStart - 1) + 1, selectionStart);
  const [indent = ""] = /^ */.exec(line) ?? [];
  return /:\s*(#.*)?$/.test(line) ? `${indent}    ` : indent;
}

/**
 * Create a text field for a program. The Tab key leaves it.
 * @param {string} code
 * @param {{onInput: () => void, onRun: () => void}} calls onRun is called for Ctrl+Enter
 */
export function openEditor(code, { onInput, onRun }) {
  const element = document.createElement("div");
  element.className = "tfpy-editor";
  const copy = document.createElement("pre");
  copy.ariaHidden = "true";
  const field = document.createElement("textarea");
  Object.assign(field, { value: code, spellcheck: false, autocapitalize: "off", wrap: "off" });
  field.ariaLabel = "Program";
  field.title = "Ctrl+Enter runs the program";
  element.append(copy, field);

  const color = () => copy.replaceChildren(...colored(`${field.value}\n`));
  color();
  field.addEventListener("input", () => {
    color();
    onInput();
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      if (!event.repeat) onRun();
    } else if (indentAfter(field) !== "") {
      event.preventDefault();
      document.execCommand("insertText", false, `\n${indentAfter(field)}`); // keeps the history
    }
  });
  return { element, field };
}
