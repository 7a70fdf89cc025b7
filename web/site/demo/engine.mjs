// The page's side of worker.mjs.

/**
 * Start the worker.
 * @param {Record<string, (...values: any[]) => void>} events handlers of the worker's events
 * @returns {(call: string, argument?: any) => Promise<any>} a function that calls functions of the worker
 */
export function startEngine(events) {
  const script = new URL("./worker.mjs", import.meta.url);
  script.search = location.search; // passes the flags, which Python reads from there
  const worker = new Worker(script, { type: "module" });
  /** @type {Map<number, {resolve: (result: any) => void, reject: (error: Error) => void}>} */
  const waiting = new Map();
  let last = 0;

  worker.addEventListener("message", ({ data }) => {
    if (data.event) {
      events[data.event](...data.values);
      return;
    }
    const caller = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.error === undefined) {
      caller?.resolve(data.result);
    } else {
      caller?.reject(new Error(data.error));
    }
  });
  worker.addEventListener("error", (event) => {
    for (const caller of waiting.values()) {
      caller.reject(new Error(event.message || "the demo's worker could not be started"));
    }
    waiting.clear();
  });

  return (call, argument) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      worker.postMessage({ id: last, call, argument });
    });
}
