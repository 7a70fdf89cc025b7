// Python for the examples of a page. It runs in a worker, so that the page stays responsive and can stop it.

import { openWorker } from "../../worker.mjs";

export class Session {
  /** @type {Promise<import("../../worker.mjs").Opened> | undefined} */
  #opened;
  /** The last call of `stop`. */
  #stopping = Promise.resolve();
  /** True while a program runs. */
  isRunning = false;

  /**
   * @param {string[]} packages
   * @param {Parameters<typeof openWorker>[1]} hears
   */
  constructor(packages, hears) {
    this.packages = packages;
    this.hears = hears;
  }

  /** True if Python runs or starts. */
  get isOpen() {
    return this.#opened !== undefined;
  }

  /** Start Python if it does not run. */
  open() {
    this.#opened ??= openWorker({ packages: this.packages }, this.hears).catch((error) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  /**
   * Run a program.
   * @param {string} source
   * @param {string} filename
   * @param {boolean} echoes whether the value of each expression is printed
   * @returns {Promise<string>} a sentence about the program
   */
  async run(source, filename, echoes) {
    const opened = await this.open();
    this.isRunning = true;
    try {
      return await opened.ask("cell", source, filename, echoes);
    } catch (error) {
      await this.#stopping; // then `isOpen` is false if Python has ended
      if (opened.isOver()) this.#opened = undefined;
      throw error;
    } finally {
      this.isRunning = false;
    }
  }

  /** Interrupt the running program. If that is impossible, end Python. */
  stop() {
    this.#stopping = this.#interrupt();
    return this.#stopping;
  }

  /** End Python, also if the program catches interrupts. The running call rejects. */
  async end() {
    const opened = await this.#opened?.catch(() => undefined);
    this.#opened = undefined;
    opened?.end();
  }

  async #interrupt() {
    const opened = await this.open().catch(() => undefined); // the run reports the error
    if (opened && !(await opened.interrupt())) this.#opened = undefined;
  }
}
