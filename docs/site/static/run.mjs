// Adds a Run button to each example, which runs it in this page. The blocks of a page build on each other,
// so earlier blocks run first; examples of functions (with >>>) run alone. Blocks marked `py` instead of
// `python` get no button.

import { openOutput } from "../../output.mjs";
import { openEngine } from "../../script_engine.mjs";
import { withoutTraceback } from "../../tfpy.mjs";

const BLOCKS = ".highlight-python .highlight, .highlight-pycon .highlight, .doctest .highlight";

/** @type {ReturnType<typeof openEngine> | undefined} */
let loading;

/** Resolves after all requested blocks, which run one after another. @type {Promise<void>} */
let pressed = Promise.resolve();

/** @type {(text: string) => void} called with the output of the running block */
let write = () => {};

function load() {
  const packages = /\bkeras\b/.test(blocks.map((b) => b.text).join()) ? ["keras"] : [];
  loading ??= openEngine({ packages }, (text) => write(text));
  return loading;
}

/**
 * Return an example's program. For an example with prompts, this is the code after the prompts, with
 * expressions printed. tf.function can read its source.
 * @param {string} text
 */
function programOf(text) {
  if (!text.startsWith(">>> ")) return text;
  const lines = text.split("\n").filter((line) => /^(>>>|\.\.\.)( |$)/.test(line));
  const code = lines.map((line) => line.slice(4)).join("\n");
  return `import ast, linecache
_code = ${JSON.stringify(code)}
linecache.cache["example"] = len(_code), None, _code.splitlines(True), "example"
for _node in ast.parse(_code).body:
    _kind = "single" if isinstance(_node, ast.Expr) else "exec"
    _tree = ast.Interactive([_node]) if _kind == "single" else ast.Module([_node], [])
    exec(compile(_tree, "example", _kind))
`;
}

/** One example of the page. */
class Block {
  /** @param {Element} element */
  constructor(element) {
    this.element = element;
    this.text = element.querySelector("pre")?.textContent ?? "";
    this.isAlone = this.text.startsWith(">>> ");
    this.hasRun = false;
    /** @type {HTMLElement[]} elements with its output */
    this.shown = [];
    this.button = document.createElement("button");
    this.button.className = "tfpy-run";
    this.button.textContent = "Run";
    this.button.addEventListener("click", () => this.press());
    element.append(this.button);
  }

  press() {
    this.say("Waiting …");
    pressed = pressed.then(() => this.runWithEarlier());
  }

  async runWithEarlier() {
    const earlier = this.isAlone ? [] : blocks.slice(0, blocks.indexOf(this));
    const missing = earlier.filter((b) => !b.isAlone && !b.hasRun);
    for (const block of [...missing, this]) {
      if (!(await block.run())) break;
    }
    this.say("Run");
  }

  /** @param {string} text text of the button, which is enabled if the text is "Run" */
  say(text) {
    this.button.textContent = text;
    this.button.disabled = text !== "Run";
  }

  /** @returns {Promise<boolean>} whether it ended without an error */
  async run() {
    for (const pre of this.shown.splice(0)) pre.remove();
    const place = this.element.parentElement ?? this.element;
    while (place.nextElementSibling?.matches(".tfpy-picture")) place.nextElementSibling.remove();
    place.setAttribute("data-tfpy", "running");
    this.say(loading ? "Running …" : "Loading Python …");
    try {
      const { run } = await load();
      /** @type {((text: string) => void) | undefined} */
      let output;
      write = (text) => {
        output ??= openOutput(this.show("tfpy-output"), console.log);
        output(text);
      };
      await run(programOf(this.text), `example ${blocks.indexOf(this) + 1} of the page`);
      this.hasRun = true;
    } catch (error) {
      console.error(error);
      this.show("tfpy-error").textContent = withoutTraceback(error);
      return false;
    } finally {
      place.removeAttribute("data-tfpy");
      this.say("Run");
    }
    return true;
  }

  /** @param {string} className */
  show(className) {
    const pre = document.createElement("pre");
    pre.className = className;
    (this.shown.at(-1) ?? this.element.parentElement ?? this.element).after(pre);
    this.shown.push(pre);
    return pre;
  }
}

/** @type {Block[]} */
let blocks = [];

/**
 * Add buttons to the examples of a page.
 * @param {ParentNode} page
 */
export function offer(page) {
  blocks = [...page.querySelectorAll(BLOCKS)].map((element) => new Block(element));
}

offer(document);
