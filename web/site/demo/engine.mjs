// The page's side of worker.mjs.

/**
 * Starts the worker.
 * @param {Record<string, (...values: any[]) => void>} events what to do with each event it tells
 * @returns {(call: string, argument?: any) => Promise<any>} calls a function of the worker
 */
export function startEngine(events) {
  const script = new URL("./worker.mjs", import.meta.url);
  script.search = location.search; // with the flags, which Python reads there
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
