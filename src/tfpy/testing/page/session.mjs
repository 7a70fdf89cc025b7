// The page of a test session. `globalThis.tfpySession(text)` receives a JSON request and returns a
// JSON response. The request is handled here or, with ?worker, in a module worker.

const agent = new URL("./agent.mjs", import.meta.url);

/** @returns {Promise<(request: string) => Promise<string>>} */
async function openAgent() {
  if (!new URLSearchParams(location.search).has("worker")) {
    return (await import(agent.href)).handle;
  }
  const worker = new Worker(agent, { type: "module" });
  return (request) =>
    new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = (event) => reject(new Error(`worker: ${event.message}`));
      worker.postMessage(request);
    });
}

const opening = openAgent();
Object.assign(globalThis, {
  /** @param {string} request */
  tfpySession: async (request) => (await opening)(request),
});
