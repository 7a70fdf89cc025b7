// Python for the examples of a page. It runs in a worker, so that the page stays responsive and can stop it.

import { openWorker } from "../../worker.mjs";

/** Milliseconds in which a program must react to its cancellation, and then to an interrupt. */
const CANCEL_MS = 500;
const INTERRUPT_MS = 2000;

/** Value of Pyodide's interrupt buffer that raises KeyboardInterrupt. */
const SIGINT = 2;

/**
 * @param {Promise<any>} promise
 * @param {number} ms
 * @returns {Promise<boolean>} whether the promise settles in this time
 */
function settlesWithin(promise, ms) {
  const settled = promise.then(
    () => true,
    () => true,
  );
  return Promise.race([
    settled,
    new Promise((resolve) => {
      setTimeout(() => resolve(false), ms);
    }),
  ]);
}

export class Session {
  /** @type {Promise<import("../../worker.mjs").Opened> | undefined} */
  #opened;
  /** @type {Promise<string>} */
  #running = Promise.resolve("");
  /** Memory with which the page interrupts Python, if the page is isolated. @type {Uint8Array | undefined} */
  #interrupts;

  /**
   * @param {string[]} packages
   * @param {import("../../worker_host.mjs").Hears} hears
   */
  constructor(packages, hears) {
    this.packages = packages;
    this.hears = hears;
  }

  /** Whether Python runs or starts. */
  get isOpen() {
    return this.#opened !== undefined;
  }

  /** Start Python if it does not run. */
  open() {
    this.#opened ??= this.#start().catch((error) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async #start() {
    const opened = await openWorker({ packages: this.packages }, this.hears);
    if (globalThis.crossOriginIsolated) {
      const memory = new SharedArrayBuffer(1);
      await opened.ask("interruptible", memory);
      this.#interrupts = new Uint8Array(memory);
    }
    return opened;
  }

  /**
   * Run a program.
   * @param {string} source
   * @param {string} filename
   * @param {boolean} echoes whether the value of each expression is printed
   * @returns {Promise<string>} a sentence about the program
   */
  async run(source, filename, echoes) {
    const { ask } = await this.open();
    this.#interrupts?.fill(0);
    this.#running = ask("cell", source, filename, echoes);
    return this.#running;
  }

  /** Stop the running program: at its next await, or at any line if the page is isolated. Otherwise end Python. */
  async stop() {
    const { ask, end } = await this.open();
    ask("cancel").catch(() => {}); // a program that never awaits does not receive it
    if (await settlesWithin(this.#running, CANCEL_MS)) return;
    if (this.#interrupts) {
      this.#interrupts[0] = SIGINT;
      const isOver = await settlesWithin(this.#running, INTERRUPT_MS);
      // an interrupt in a callback of the event loop ends the worker
      if (isOver && (await ask("backend").catch(() => ""))) return;
    }
    end();
    this.#opened = undefined;
  }
}
