// Adds buttons to each example, which run it in this page and let the reader edit it. The blocks of a page build on
// each other, so earlier blocks run first; examples of functions (with >>>) run alone. Blocks marked `py` instead
// of `python` get no buttons.

import { openView, SHOWN } from "../../script_view.mjs";
import { openEditor } from "./editor.mjs";
import { Session } from "./session.mjs";

const BLOCKS = ".highlight-python .highlight, .highlight-pycon .highlight, .doctest .highlight";
const PROMPT = ">>> ";
const ENDED = "Stopped. The variables are lost, and the next run starts Python again.";
const CONTINUES =
  "The program has not ended yet. Press Stop again to end Python. The variables are then lost.";

/** Milliseconds after which a program that was interrupted can be ended together with Python. */
const PATIENCE_MS = 1500;

/** @type {Session | undefined} */
let session;

/** Blocks to run, in order. The first one is running. @type {Block[]} */
let queue = [];

/** View of the running block. @type {import("../../script_view.mjs").View | undefined} */
let view;

/** Containers of images by place. @type {Map<string | number, Element>} */
const pictures = new Map();

/** @param {string} text */
function open(text) {
  session ??= new Session(/\bkeras\b/.test(text) ? ["keras"] : [], {
    progress: (event) => view?.progress(event),
    print: (printed) => view?.print(printed),
    picture: ({ svg, place }) => view?.picture(svg, place),
    uncaught: (message) => view?.error(message),
  });
  return session;
}

/**
 * Return an example's program: for an example with prompts, the code after the prompts.
 * @param {string} text
 */
function programOf(text) {
  if (!text.startsWith(PROMPT)) return text.replace(/\n$/, "");
  const lines = text.split("\n").filter((line) => /^(>>>|\.\.\.)( |$)/.test(line));
  return lines.map((line) => line.slice(PROMPT.length)).join("\n");
}

/** Run the blocks of the queue. */
async function runQueue() {
  while (queue.length > 0) {
    const [block] = queue;
    const isDone = await block.run();
    const rest = queue.slice(1);
    change(isDone ? rest : rest.filter((later) => later.isAlone));
  }
}

/** @param {Block[]} blocksToRun */
function change(blocksToRun) {
  queue = blocksToRun;
  for (const block of blocks) block.update();
}

/**
 * Stop the running block, and remove the others from the queue. If the block catches the interrupt and continues, offer
 * to end Python, and do so at the next press.
 */
async function stop() {
  change(queue.slice(0, 1));
  const [block] = queue;
  if (block.offer) return session?.end();
  block.isStopped = true;
  block.update();
  setTimeout(() => block.offerEnd(), PATIENCE_MS);
  await session?.stop();
}

/** Forget the blocks that have run and their images, because Python has ended. */
function forget() {
  pictures.clear();
  for (const block of blocks) block.hasRun = false;
}

/** @param {string} className @param {string} text @param {() => void} press */
function buttonOf(className, text, press) {
  const button = Object.assign(document.createElement("button"), { className, textContent: text });
  button.type = "button";
  button.addEventListener("click", press);
  return button;
}

/** One example of the page. */
class Block {
  /** @param {Element} element */
  constructor(element) {
    this.pre = /** @type {HTMLElement} */ (element.querySelector("pre"));
    this.text = this.pre.textContent ?? "";
    this.code = programOf(this.text);
    this.isAlone = this.text.startsWith(PROMPT);
    this.hasRun = false;
    this.isStopped = false;
    /** Note that the next press of Stop ends Python. @type {HTMLElement | undefined} */
    this.offer = undefined;
    this.place = /** @type {HTMLElement} */ (element.parentElement ?? element);
    /** @type {ReturnType<typeof openEditor> | undefined} */
    this.editor = undefined;
    this.runButton = buttonOf("tfpy-run", "Run", () => this.press());
    this.editButton = buttonOf("tfpy-edit", "Edit", () =>
      this.editor ? this.reset() : this.edit(),
    );
    const buttons = document.createElement("div");
    buttons.className = "tfpy-buttons";
    buttons.append(this.editButton, this.runButton);
    element.append(buttons);
  }

  /** Run the block and the earlier blocks that have not run, or stop it. */
  press() {
    if (queue[0] === this) {
      stop();
    } else if (queue.includes(this)) {
      change(queue.filter((block) => block !== this));
    } else {
      const isIdle = queue.length === 0;
      const earlier = this.isAlone ? [] : blocks.slice(0, blocks.indexOf(this));
      const missing = earlier.filter((b) => !b.isAlone && !b.hasRun && !queue.includes(b));
      for (const block of [...missing, this]) block.isStopped = false;
      change([...queue, ...missing, this]);
      if (isIdle) runQueue();
    }
  }

  /** Show whether the block waits or runs. */
  update() {
    const isQueued = queue.includes(this);
    this.runButton.textContent = isQueued ? "Stop" : "Run";
    this.runButton.disabled = isQueued && this.isStopped && !this.offer;
    if (queue[0] === this) this.place.dataset.tfpy = "running";
    else if (isQueued) this.place.dataset.tfpy = "waiting";
    else delete this.place.dataset.tfpy;
    if (!isQueued) {
      this.offer?.remove();
      this.offer = undefined;
    }
  }

  /** If the program still runs after Stop, let the next press of Stop end Python. */
  offerEnd() {
    if (queue[0] !== this || !this.isStopped || !session?.isRunning) return;
    this.offer ??= this.note(CONTINUES);
    this.update();
  }

  /** Replace the example by a text field. */
  edit() {
    const editor = openEditor(this.code, {
      onInput: () => {
        this.hasRun = false;
      },
      onRun: () => {
        if (!queue.includes(this)) this.press();
      },
    });
    this.editor = editor;
    this.pre.hidden = true;
    this.pre.before(editor.element);
    this.editButton.textContent = "Reset";
    editor.field.focus();
  }

  /** Show the original example again. */
  reset() {
    if (this.editor?.field.value !== this.code) this.hasRun = false;
    this.editor?.element.remove();
    this.editor = undefined;
    this.pre.hidden = false;
    this.editButton.textContent = "Edit";
  }

  /** @returns {Promise<boolean>} whether it ended without an error */
  async run() {
    this.clear();
    view = openView(this.place, pictures);
    const source = this.editor?.field.value ?? this.code;
    const filename = `example ${blocks.indexOf(this) + 1} of the page`;
    const python = open(blocks.map((block) => block.text).join());
    try {
      await python.open();
    } catch (error) {
      console.error(error);
      view.error(error);
      return false;
    }
    view.ready();
    if (this.isStopped) return false;
    try {
      const summary = await python.run(source, filename, this.isAlone);
      this.hasRun = !this.isStopped && source === (this.editor?.field.value ?? this.code);
      if (this.isStopped || !this.place.nextElementSibling?.matches(SHOWN)) this.note(summary);
    } catch (error) {
      if (!python.isOpen) forget();
      if (python.isOpen || !this.isStopped) {
        console.error(error);
        view.error(error);
      } else {
        this.note(ENDED);
      }
      return false;
    }
    return !this.isStopped;
  }

  /** Remove the output of an earlier run. */
  clear() {
    while (this.place.nextElementSibling?.matches(`${SHOWN}, .tfpy-note`)) {
      this.place.nextElementSibling.remove();
    }
  }

  /** @param {string} text */
  note(text) {
    const note = Object.assign(document.createElement("output"), { className: "tfpy-note" });
    note.textContent = text;
    let last = /** @type {Element} */ (this.place);
    while (last.nextElementSibling?.matches(SHOWN)) last = last.nextElementSibling;
    last.after(note);
    return note;
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
