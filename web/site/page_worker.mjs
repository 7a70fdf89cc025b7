// The worker that startWorker returns. It remains the same object when an interrupt replaces the browser's worker.

/** Events of a worker, and the classes that copy them. @type {[string, new (type: string, event: any) => Event][]} */
const EVENTS = [
  ["message", MessageEvent],
  ["messageerror", MessageEvent],
  ["error", ErrorEvent],
];

/** An object with the interface of a Worker, which passes messages to the current worker and dispatches the events of all workers. */
export class PageWorker extends EventTarget {
  onmessage = null;
  onmessageerror = null;
  onerror = null;
  /** @type {Worker} */
  #current;

  /** @param {Worker} first */
  constructor(first) {
    super();
    for (const [type] of EVENTS) {
      this.addEventListener(type, (event) => /** @type {any} */ (this)[`on${type}`]?.(event));
    }
    this.#current = first;
    this.follow(first);
  }

  /** Replace the current worker. @param {Worker} worker */
  follow(worker) {
    this.#current = worker;
    for (const [type, Copy] of EVENTS) {
      worker.addEventListener(type, (event) => this.dispatchEvent(new Copy(type, event)));
    }
  }

  /** @param {any} message @param {any} [moved] */
  postMessage(message, moved) {
    this.#current.postMessage(message, moved);
  }

  terminate() {
    this.#current.terminate();
  }
}
